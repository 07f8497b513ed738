"""Script /tune-skill: a session that follows the command, and a reader that answers for agents or the server."""

import json
import re
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.reviewer import read_files_to_edit
from tests.scripted_api import flat, last_said, schema_of, text, tool, tools_of

_PREFIX = "mcp__tune-skill__"
_AGENT = "You answer one question of a run of tune-skill"
_FAULTS_END = re.compile(r"^## (?:Their patterns|What else is found|The files to edit)", re.MULTILINE)
_REJECTED = "It was rejected: "
CHECKS = """# Checks

Ask first:

> Which tag was the last one?

Kinds of entries:

- feature
- repair
- removal
- security
- speed
- docs
- tests
- internal

| Check | When |
|---|---|
| links | after drafting |
| names | after drafting |

Show the draft and ask whether it is fine. Then delete the old drafts and tell the team.
"""
"""Another file of the example, with labels, a row and a quote to edit, and a line that two drafts change."""


@dataclass(frozen=True)
class Fault:
    """A fault that the reader reports, and its fix, which replaces `search` and declares `rewords` as reworded."""

    quote: str
    problem: str
    search: str
    replace: str
    rewords: tuple[str, ...] = ()
    file: str = "references/checks.md"


RULES = ("Never publish without the user's approval.", "Never mention a customer by name.")
"""Two adjacent lines of the example, each with a fault; the first explains the complaint."""
_CLEARER = ("Never publish before the user has approved the draft.", "Never mention a customer by name or initials.")
_CALL = 'python scripts/merged.py --since_tag "$(git describe --tags --abbrev=0)" --out pulls.json'
_BOTH = "Show the draft and ask whether it is fine. Then delete the old drafts and tell the team."
FAULTS = (
    *(Fault(old, f"It is not clear what “{old}” forbids.", old, new, (old,), "SKILL.md")
      for old, new in zip(RULES, _CLEARER, strict=True)),
    Fault(_CALL, "A tag that begins with a dash is taken for an option.", '--since_tag "$(git', '--since-tag="$(git',
          (_CALL,), "phases/01-collect.md"),
    Fault("- internal", "A kind for translations is missing.", "- internal\n", "- internal\n- translation\n"),
    Fault("Kinds of entries:", "It is not said who checks, neither here nor in line 21.", "| names | after drafting |",
          "| names | after drafting, by the agent |", ("| names | after drafting |",)),
    Fault("Ask first:", "It is not asked for whom the notes are written.", "> Which tag was the last one?\n",
          "> Which tag was the last one?\n\nThen ask:\n\n> Who reads the notes?\n"),
    Fault(_BOTH, "Nothing says what follows when it is not fine.", "it is fine.", "it is fine; if not, correct it.",
          ("Show the draft and ask whether it is fine.",)),
    Fault(_BOTH, "The team has no draft left to compare with.", "delete the old drafts and tell the team.",
          "tell the team and delete the old drafts.", ("Then delete the old drafts and tell the team.",)),
)  # fmt: skip


def answer_question(prompt: str, schema: Any, path: str = "") -> dict[str, Any]:
    """Answer a question honestly: report the faults, confirm them, draft first a bad and then a good fix, approve it.

    path: the file that the first answer names for the faults in SKILL.md.
    """
    kinds = schema["properties"]
    if "drafts" in kinds:
        faults = re.split(r"^### (ISS-\d+)$", _FAULTS_END.split(prompt)[0], flags=re.MULTILINE)[1:]
        pairs = zip(faults[::2], faults[1::2], strict=True)
        is_first = _REJECTED not in prompt
        return {"drafts": [{"faults": [id], **_draft(fault, prompt, is_first)} for id, fault in pairs]}
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
    is_first = path and _REJECTED not in prompt
    return {**empty, "added": [
        {"pattern": "custom", "file": path if is_first and fault.file == "SKILL.md" else fault.file, "quote": fault.quote,
         "problem": fault.problem, "harm": "Each run guesses.", "severity": "high" if fault is FAULTS[0] else "medium",
         "looked_up": [], "from_knowledge": False, "explains_complaint": fault is FAULTS[0]}
        for fault in (FAULTS if _BOTH in prompt else FAULTS[:2])]}  # fmt: skip


def _draft(fault: str, prompt: str, is_first: bool) -> dict[str, Any]:
    """Draft a fix; the first draft for a rule omits the reworded text. Other faults are declined."""
    said = {"edits": [], "removes": [], "rewords": [], "description": "Say what is forbidden.", "rationale": "It was open.",
            "declined": ""}  # fmt: skip
    fix = next((one for one in FAULTS if one.problem in fault), None)
    if fix is None:
        return {**said, "declined": "Only the author knows what is meant."}
    text = "\n".join(read_files_to_edit(prompt).values())
    search, *rewords = (one if one in text else one.replace("_tag", "-tag") for one in (fix.search, *fix.rewords))
    edit = {"file": fix.file, "search": search, "replace": fix.replace}
    return {**said, "edits": [edit], "rewords": [] if is_first and fix.file == "SKILL.md" else rewords}


def _approve(number: int, fix: str) -> dict[str, Any]:
    ids = dict.fromkeys(re.findall(r"^(ISS-\d+) ", fix, re.MULTILINE))
    verdicts = [{"id": id, "gone": True, "reason": "It is clear now."} for id in ids]
    return {"fix": number, "verdicts": verdicts, "holds": True, "merge": True, "sound": True, "changes": False,
            "objections": []}  # fmt: skip


@dataclass
class Player:
    """A script of a `ScriptedApi`: it plays the session, its agents, and the model that the server queries.

    requests: the number of requests by who sent them; tokens: their estimated input; standing: the last status of the
    run; started: the questions for which an agent was started; again: questions that were listed a second time; asked:
    the prompts that were answered.

    Options: `retries` is how often the session looks for a server that is still starting. `path` is the file that an
    agent first names instead of SKILL.md. With `is_early` the session asks for the report before the run has ended.
    `agent` answers a request of a question's agent, or returns None to leave it to the player.
    """

    words: str = ""
    skill: str = "release-notes"
    agent: Callable[[Any, str], Any] = lambda request, id: None
    retries: int = 15
    path: str = ""
    is_early: bool = False
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
        return answer_question(prompt, schema, self.path)

    def turn(self, request: Any) -> Any:
        """Return the next turn of the session, after the last tool result or the last words of the user."""
        heard, called = self.heard[-1], _last_call(request)
        if not called or "<arguments>" in heard:
            return self.follow(heard)
        if called == "AskUserQuestion":
            return self.pass_on(heard)
        if called == f"{_PREFIX}report":
            return self.go_on()
        found = re.findall(r'^(\{"run".*\})$', heard, re.MULTILINE)
        if "No such tool available" in heard and called == f"{_PREFIX}diagnose" and self.retries:
            self.retries -= 1  # the server is still starting, so this is not a turn of a review
            self.requests["session"] -= 1
            time.sleep(2)
            return tool(f"{_PREFIX}diagnose", skill=self.skill, **({"issue": self.words} if self.words else {}))
        if not found:
            return text(f"I stop: {heard[:300]}")
        self.standing = json.loads(found[-1])
        self.again += [one["id"] for one in self.standing["questions"] if one["id"] in self.started]
        return self.go_on()

    def follow(self, words: str) -> Any:
        """Do what the user typed: the command, or a request about findings or fixes of the run."""
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
        if self.is_early:
            self.is_early = False
            return tool(f"{_PREFIX}report", run=standing["run"])
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
        """Pass on the ids that the user chose; typed words are ids, the first ids shown, or a refusal."""
        chosen = heard.split('"="')[-1] if '"="' in heard else ""
        ids = [id for one in self.standing["ask"]["options"] if one["label"] in chosen for id in one["ids"]]
        ids = ids or re.findall(r"(?:ISS|FIX)-\d+", chosen)
        shown = list(dict.fromkeys(re.findall(r"(?:ISS|FIX)-\d+", self.standing["show"])))
        if "first two" in chosen:
            ids = shown[:2]
        if "all but" in chosen:
            ids = [id for id in shown if id.startswith("FIX-") and id not in ids]
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
        wrong = re.findall(r'"taken":false,"wrong":("(?:[^"\\\\]|\\\\.)*")', said)
        again = f"{_REJECTED}{json.loads(wrong[-1])}" if wrong else ""
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
    """Return the name of the tool with the latest result, or "" if the user has typed something since."""
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
