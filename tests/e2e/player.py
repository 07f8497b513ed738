"""Play /tune-skill: a session that follows the command's text, and a reader of its questions, by agents or by the server."""

import json
import re
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.scripted_api import flat, last_said, schema_of, text, tool, tools_of

_PREFIX = "mcp__tune-skill__"
_AGENT = "You answer one question of a run of tune-skill"
RULES = ("Never publish without the user's approval.", "Never mention a customer by name.")
"""Two neighbouring lines of the example, each with a fault; the first explains the complaint."""
_CLEARER = ("Never publish before the user has approved the draft.", "Never mention a customer by name or initials.")


def answer_question(prompt: str, schema: Any) -> dict[str, Any]:
    """Answer a question as an honest reader: it reports both rules, confirms, drafts badly and then well, approves."""
    kinds = schema["properties"]
    if "drafts" in kinds:
        faults = re.split(r"^### (ISS-\d+)$", prompt.partition("## Their patterns")[0], flags=re.MULTILINE)[1:]
        pairs = zip(faults[::2], faults[1::2], strict=True)
        is_first = "It was rejected: " not in prompt
        return {"drafts": [{"faults": [id], **_draft(fault, is_first)} for id, fault in pairs]}
    if "reviews" in kinds:
        fixes = re.split(r"^## Fix (\d+)$", prompt, flags=re.MULTILINE)[1:]
        return {"reviews": [_approve(int(n), fix) for n, fix in zip(fixes[::2], fixes[1::2], strict=True)]}
    empty: dict[str, Any] = {"notes": [], "unchecked": [], "verdicts": [], "added": []}
    if "Your task is to refute them" in prompt:
        asked = prompt.partition("## The findings")[2].partition("## What else")[0]
        rows = re.findall(r"^(ISS-\d+) \S+ (\w+) ", asked, re.MULTILINE)
        return {**empty, "verdicts": [
            {"id": id, "verdict": "confirm", "severity": severity, "reason": "I found no word against it."}
            for id, severity in rows]}  # fmt: skip
    severities = ("high", "medium")
    return {**empty, "added": [
        {"pattern": "custom", "file": "SKILL.md", "quote": rule, "problem": f"It is not clear what “{rule}” forbids.",
         "harm": "Each run guesses.", "severity": severity, "looked_up": [], "from_knowledge": False,
         "explains_complaint": rule == RULES[0]}
        for rule, severity in zip(RULES, severities, strict=True)]}  # fmt: skip


def _draft(fault: str, is_first: bool) -> dict[str, Any]:
    """Draft a fix of a rule; the first one forgets to name what it rewords. Other faults are declined."""
    said = {"edits": [], "removes": [], "rewords": [], "description": "Say what is forbidden.", "rationale": "It was open.",
            "declined": ""}  # fmt: skip
    number = next((n for n, rule in enumerate(RULES) if rule in fault), None)
    if number is None:
        return {**said, "declined": "Only the author knows what is meant."}
    edit = {"file": "SKILL.md", "search": RULES[number], "replace": _CLEARER[number]}
    return {**said, "edits": [edit], "rewords": [] if is_first else [RULES[number]]}


def _approve(number: int, fix: str) -> dict[str, Any]:
    ids = dict.fromkeys(re.findall(r"^(ISS-\d+) ", fix, re.MULTILINE))
    verdicts = [{"id": id, "gone": True, "reason": "It is clear now."} for id in ids]
    return {"fix": number, "verdicts": verdicts, "holds": True, "merge": True, "sound": True, "changes": False,
            "objections": []}  # fmt: skip


@dataclass
class Player:
    """The script of a `ScriptedApi` for the session, its agents, and the questions that the server asks itself.

    requests counts what came by who asked; tokens estimates their input. standing is the last status of the run.
    retries: how often it looks for a server that is still starting. started: the questions for which an agent was started; again: those that were listed once more; asked: the prompts
    that were answered. agent: answers a request of the agent of a question instead; None leaves it to the player.
    """

    words: str = ""
    skill: str = "release-notes"
    agent: Callable[[Any, str], Any] = lambda request, id: None
    retries: int = 15
    requests: Counter[str] = field(default_factory=Counter)
    tokens: Counter[str] = field(default_factory=Counter)
    heard: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)
    standing: dict[str, Any] = field(default_factory=dict)
    started: list[str] = field(default_factory=list)
    again: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def __call__(self, request: Any) -> Any:
        is_server = "StructuredOutput" in tools_of(request)
        who = "session" if "Agent" in tools_of(request) else "server" if is_server else "aside"
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
            return tool("StructuredOutput", **self.answer(_said(request), schema_of(request)))
        return text("A title")

    def answer(self, prompt: str, schema: Any) -> dict[str, Any]:
        self.asked.append(prompt)
        return answer_question(prompt, schema)

    def turn(self, request: Any) -> Any:
        """Return what the session does next, by the last result of a tool or the last words of the user."""
        heard, called = self.heard[-1], _last_call(request)
        if not called or "<arguments>" in heard:
            return self.follow(heard)
        if called == "AskUserQuestion":
            return self.pass_on(heard)
        found = re.findall(r'^(\{"run".*\})$', heard, re.MULTILINE)
        if "No such tool available" in heard and called == f"{_PREFIX}diagnose" and self.retries:
            self.retries -= 1  # the server is still starting, which is no turn of a review
            self.requests["session"] -= 1
            time.sleep(2)
            return tool(f"{_PREFIX}diagnose", skill=self.skill, **({"issue": self.words} if self.words else {}))
        if not found:
            return text(f"I stop: {heard[:300]}")
        self.standing = json.loads(found[-1])
        self.again += [one["id"] for one in self.standing["questions"] if one["id"] in self.started]
        return self.go_on()

    def follow(self, words: str) -> Any:
        """Do what the user has typed: the command, or a wish about findings or fixes of the run."""
        if "<arguments>" in words:
            return tool(f"{_PREFIX}diagnose", skill=self.skill, **({"issue": self.words} if self.words else {}))
        for tool_name, key, ids in (
            ("apply", "fixes", re.findall(r"FIX-\d+", words)),
            ("fixes", "findings", re.findall(r"ISS-\d+", words)),
        ):
            if ids:
                return tool(f"{_PREFIX}{tool_name}", run=self.standing["run"], **{key: ids})
        return text("I did not understand.")

    def go_on(self) -> Any:
        standing = self.standing
        match standing["waits_for"]:
            case "questions":
                ids = [one["id"] for one in standing["questions"]]
                self.started += ids
                agents = [
                    tool("Agent", description="read", subagent_type="skill-judge",
                         prompt=f"Answer question {id} of run {standing['run']}.") for id in ids
                ]  # fmt: skip
                return [*agents, tool(f"{_PREFIX}fixes", run=standing["run"], wait=True)]
            case "answers":
                return tool(f"{_PREFIX}fixes", run=standing["run"], wait=True)
            case "finding_selection" | "fix_selection":
                return [text(standing["show"]), tool("AskUserQuestion", questions=[_question(standing["ask"])])]
            case "nothing":
                return text(f"{standing['show']}\n\nThe end.")
        return tool(f"{_PREFIX}fixes", run=standing["run"])

    def pass_on(self, heard: str) -> Any:
        """Pass on the ids of what the user chose; typed words are ids, the first ones shown, or a refusal."""
        chosen = heard.split('"="')[-1] if '"="' in heard else ""
        ids = [id for one in self.standing["ask"]["options"] if one["label"] in chosen for id in one["ids"]]
        ids = ids or re.findall(r"(?:ISS|FIX)-\d+", chosen)
        if "first two" in chosen:
            ids = list(dict.fromkeys(re.findall(r"(?:ISS|FIX)-\d+", self.standing["show"])))[:2]
        call = {"finding_selection": ("fixes", "findings"), "fix_selection": ("apply", "fixes")}
        name, key = call[self.standing["waits_for"]]
        return tool(f"{_PREFIX}{name}", run=self.standing["run"], **{key: list(dict.fromkeys(ids))})

    def answer_as_agent(self, request: Any) -> Any:
        said = _said(request)
        id, run = re.search(r"Answer question (Q-\w+) of run (\S+)\.", said).groups()  # type: ignore[union-attr]
        if special := self.agent(request, id):
            return special
        if '"schema":' not in said:
            return tool(f"{_PREFIX}question", run=run, id=id)
        if '"taken":true' in said:
            return text("answered")
        prompt, at, rest = said.rpartition('\n{"run":"' + run + '","id":"' + id + '","name"')
        asked, _ = json.JSONDecoder().raw_decode(at[1:] + rest)
        again = "It was rejected: " if '"taken":false' in said else ""
        value = self.answer(prompt[prompt.index("[tune-skill judge]") :] + again, asked["schema"])
        return tool(f"{_PREFIX}answer", run=run, id=id, token=asked["token"], answer=value)


def _question(ask: Any) -> dict[str, Any]:
    options = [{"label": one["label"], "description": one["description"]} for one in ask["options"]]
    return {
        "question": ask["question"], "header": ask["header"], "multiSelect": ask["multi_select"], "options": options,
    }  # fmt: skip


def _said(request: Any) -> str:
    return "\n".join(flat(m["content"]) for m in request["messages"] if m["role"] == "user")


def _last_call(request: Any) -> str:
    """Return the name of the tool whose result came last; "" if the user has typed words since."""
    for message in reversed(request["messages"]):
        blocks = message["content"] if not isinstance(message["content"], str) else [{"type": "text"}]
        kinds = [block.get("type") for block in blocks]
        if message["role"] == "assistant":
            return next((b["name"] for b in reversed(blocks) if b.get("type") == "tool_use"), "")
        if message["role"] == "user" and "tool_result" not in kinds and not _is_reminder(message):
            return ""
    return ""


def _is_reminder(message: Any) -> bool:
    return flat(message["content"]).lstrip().startswith("<system-reminder>")
