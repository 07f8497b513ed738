"""Play /tune-skill: a session that follows the command's text, and a reader of its questions, by agents or by the server."""

import json
import re
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.reviewer import Reviewer
from tests.scripted_api import Block, flat, last_said, schema_of, text, tool, tools_of

_PREFIX = "mcp__tune-skill__"
_AGENT = "You answer one question of a run of tune-skill"


class Reader(Reviewer):
    """An honest reader: it reports one fault that explains the complaint, confirms it, drafts badly, then well."""

    def answer(self, prompt: str, schema: Any) -> dict[str, Any]:
        """Return the answer to a question, whoever asks it."""
        request = {"messages": [{"role": "user", "content": prompt}], "tools": [
            {"name": "StructuredOutput", "input_schema": schema}]}  # fmt: skip
        (block,) = self(request).content
        value: dict[str, Any] = block["input"]
        return value

    def _reading(self, prompt: str, blocks: list[str]) -> dict[str, Any]:
        self.asked["reading"] = 1  # with its own finding each time
        value = super()._reading(prompt, blocks)
        return {**value, "verdicts": [], "added": [{**value["added"][0], "explains_complaint": True}]}

    def _refute(self, prompt: str, blocks: list[str]) -> dict[str, Any]:
        asked = prompt.partition("## The findings")[2].partition("## What else")[0]
        ids = dict.fromkeys(re.findall(r"^(ISS-\d+) ", asked, re.MULTILINE))
        said = [
            {"id": id, "verdict": "confirm", "severity": "high", "reason": "I found no word against it."} for id in ids
        ]
        return {"notes": [], "unchecked": [], "verdicts": said, "added": []}

    def _draft_one(self, fault: str, name: str, texts: list[str]) -> dict[str, Any]:
        return super()._draft_one(fault + "What you drafted before" * self.is_again, name, texts)

    is_again = False

    def _draft(self, prompt: str, blocks: list[str]) -> dict[str, Any]:
        self.is_again = "It was rejected: " in prompt
        return super()._draft(prompt, blocks)


@dataclass
class Player:
    """The script of a `ScriptedApi` for the session, its agents, and the questions that the server asks itself.

    requests counts what came by who asked; tokens estimates their input. picks says what a dialog's user chose.
    """

    words: str = ""
    skill: str = "release-notes"
    first: Callable[[], Block] | None = None
    reader: Reader = field(default_factory=Reader)
    requests: Counter[str] = field(default_factory=Counter)
    tokens: Counter[str] = field(default_factory=Counter)
    heard: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)
    standing: dict[str, Any] = field(default_factory=dict)
    agent: Callable[[Any, str], Any] | None = None
    started: list[str] = field(default_factory=list)
    waits: list[dict[str, Any]] = field(default_factory=list)

    def __call__(self, request: Any) -> Any:
        who = (
            "session"
            if "Agent" in tools_of(request)
            else "server"
            if "StructuredOutput" in tools_of(request)
            else "aside"
        )
        who = "agent" if _AGENT in json.dumps(request.get("system")) else who
        with self.lock:
            self.requests[who] += 1
            self.tokens[who] += len(json.dumps(request)) // 4
        if who == "session":
            self.heard.append(last_said(request))
            return self.turn(request)
        if who == "agent":
            return self.answer_as_agent(request)
        if who == "server":
            return tool("StructuredOutput", **self.reader.answer(_said(request), schema_of(request)))
        return text("A title")

    def turn(self, request: Any) -> Any:
        """Return what the session does next, by the last result of a tool."""
        if "<arguments>" in self.heard[-1]:
            more = {"issue": self.words} if self.words else {}
            return self.first() if self.first else tool(f"{_PREFIX}diagnose", skill=self.skill, **more)
        called = _last_call(request)
        if called == "Agent":
            return tool(f"{_PREFIX}fixes", run=self.standing["run"], wait=True)
        if called == "AskUserQuestion":
            return self.pass_on(self.heard[-1])
        found = re.findall(r'^(\{"run".*\})$', self.heard[-1], re.MULTILINE)
        if not found:
            return text(f"I stop: {self.heard[-1][:300]}")
        self.standing = json.loads(found[-1])
        if called == f"{_PREFIX}fixes" and self.standing["waits_for"] == "questions":
            self.waits.append({**self.standing, "questions": [
                one for one in self.standing["questions"] if one["id"] in self.started]})  # fmt: skip
        return self.go_on()

    def go_on(self) -> Any:
        standing = self.standing
        match standing["waits_for"]:
            case "questions" if standing["questions"]:
                self.started += [one["id"] for one in standing["questions"]]
                return [
                    tool("Agent", description="read", subagent_type="skill-judge",
                         prompt=f"Answer question {one['id']} of run {standing['run']}.")
                    for one in standing["questions"]
                ]  # fmt: skip
            case "questions":
                return tool(f"{_PREFIX}fixes", run=standing["run"], wait=True)
            case "finding_selection" | "fix_selection":
                return [text(standing["show"]), tool("AskUserQuestion", questions=[_question(standing["ask"])])]
            case "nothing":
                return text(f"{standing['show']}\n\nThe end.")
        return tool(f"{_PREFIX}fixes", run=standing["run"])

    def pass_on(self, heard: str) -> Any:
        """Pass on the ids of what the user chose; typed words are ids or a refusal."""
        chosen = heard.split('"="')[-1] if '"="' in heard else ""
        ids = [id for one in self.standing["ask"]["options"] if one["label"] in chosen for id in one["ids"]]
        ids = ids or re.findall(r"(?:ISS|FIX)-\d+", chosen)
        call = {"finding_selection": ("fixes", "findings"), "fix_selection": ("apply", "fixes")}
        name, key = call[self.standing["waits_for"]]
        return tool(f"{_PREFIX}{name}", run=self.standing["run"], **{key: list(dict.fromkeys(ids))})

    def answer_as_agent(self, request: Any) -> Any:
        said = _said(request)
        id, run = re.search(r"Answer question (Q-\w+) of run (\S+)\.", said).groups()  # type: ignore[union-attr]
        if self.agent and (special := self.agent(request, id)):
            return special
        if '"schema":' not in said:
            return tool(f"{_PREFIX}question", run=run, id=id)
        if '"taken":true' in said:
            return text("answered")
        prompt, at, rest = said.rpartition('\n{"run":"' + run + '","id":"' + id + '","name"')
        asked, _ = json.JSONDecoder().raw_decode(at[1:] + rest)
        again = "It was rejected: " if '"taken":false' in said else ""
        value = self.reader.answer(prompt[prompt.index("[tune-skill judge]") :] + again, asked["schema"])
        return tool(f"{_PREFIX}answer", run=run, id=id, token=asked["token"], answer=value)


def _question(ask: Any) -> dict[str, Any]:
    options = [{"label": one["label"], "description": one["description"]} for one in ask["options"]]
    return {
        "question": ask["question"],
        "header": ask["header"],
        "multiSelect": ask["multi_select"],
        "options": options,
    }


def _said(request: Any) -> str:
    return "\n".join(flat(m["content"]) for m in request["messages"] if m["role"] == "user")


def _last_call(request: Any) -> str:
    """Return the name of the tool whose result came last."""
    blocks = [
        b
        for m in request["messages"]
        if m["role"] == "assistant" and not isinstance(m["content"], str)
        for b in m["content"]
    ]
    return next((b["name"] for b in reversed(blocks) if b.get("type") == "tool_use"), "")
