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
from tests.scripted_api import get_answer_schema, get_last_user_text, join_text, list_tool_names, text_block, tool_call

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
_CLEARER_RULES = (
    "Never publish before the user has approved the draft.",
    "Never mention a customer by name or initials.",
)
_COMMAND_LINE = 'python scripts/merged.py --since_tag "$(git describe --tags --abbrev=0)" --out pulls.json'
_LINE_OF_TWO_DRAFTS = "Show the draft and ask whether it is fine. Then delete the old drafts and tell the team."
FAULTS = (
    *(Fault(rule, f"It is not clear what “{rule}” forbids.", rule, clearer_rule, (rule,), "SKILL.md")
      for rule, clearer_rule in zip(RULES, _CLEARER_RULES, strict=True)),
    Fault(_COMMAND_LINE, "A tag that begins with a dash is taken for an option.", '--since_tag "$(git', '--since-tag="$(git',
          (_COMMAND_LINE,), "phases/01-collect.md"),
    Fault("- internal", "A kind for translations is missing.", "- internal\n", "- internal\n- translation\n"),
    Fault("Kinds of entries:", "It is not said who checks, neither here nor in line 21.", "| names | after drafting |",
          "| names | after drafting, by the agent |", ("| names | after drafting |",)),
    Fault("Ask first:", "It is not asked for whom the notes are written.", "> Which tag was the last one?\n",
          "> Which tag was the last one?\n\nThen ask:\n\n> Who reads the notes?\n"),
    Fault(_LINE_OF_TWO_DRAFTS, "Nothing says what follows when it is not fine.", "it is fine.", "it is fine; if not, correct it.",
          ("Show the draft and ask whether it is fine.",)),
    Fault(_LINE_OF_TWO_DRAFTS, "The team has no draft left to compare with.", "delete the old drafts and tell the team.",
          "tell the team and delete the old drafts.", ("Then delete the old drafts and tell the team.",)),
)  # fmt: skip


def answer_question(prompt: str, schema: Any, path: str = "") -> dict[str, Any]:
    """Answer a question honestly: report the faults, confirm them, draft first a bad and then a good fix, approve it.

    path: the file that the first answer names for the faults in SKILL.md.
    """
    properties = schema["properties"]
    if "drafts" in properties:
        faults = re.split(r"^### (ISS-\d+)$", _FAULTS_END.split(prompt)[0], flags=re.MULTILINE)[1:]
        pairs = zip(faults[::2], faults[1::2], strict=True)
        is_first = _REJECTED not in prompt
        return {"drafts": [{"faults": [id], **_draft(fault, prompt, is_first)} for id, fault in pairs]}
    if "reviews" in properties:
        fixes = re.split(r"^## Fix (\d+)$", prompt, flags=re.MULTILINE)[1:]
        return {"reviews": [_approve(int(n), fix) for n, fix in zip(fixes[::2], fixes[1::2], strict=True)]}
    empty: dict[str, Any] = {"notes": [], "unchecked": [], "verdicts": [], "added": []}
    if "Your task is to refute them" in prompt:
        findings_text = prompt.partition("## The findings")[2].partition("## What else")[0]
        rows = re.findall(r"^(ISS-\d+) \S+ (\w+) ", findings_text, re.MULTILINE)
        return {**empty, "verdicts": [
            {"id": id, "verdict": "confirm", "severity": severity, "reason": "I found no word against it."}
            for id, severity in rows]}  # fmt: skip
    is_first = path and _REJECTED not in prompt
    return {**empty, "added": [
        {"pattern": "custom", "file": path if is_first and fault.file == "SKILL.md" else fault.file, "quote": fault.quote,
         "problem": fault.problem, "harm": "Each run guesses.", "severity": "high" if fault is FAULTS[0] else "medium",
         "looked_up": [], "from_knowledge": False, "explains_complaint": fault is FAULTS[0]}
        for fault in (FAULTS if _LINE_OF_TWO_DRAFTS in prompt else FAULTS[:2])]}  # fmt: skip


def _draft(fault: str, prompt: str, is_first: bool) -> dict[str, Any]:
    """Draft a fix. The first draft for a rule does not declare the text that it rewords. Unknown faults are declined."""
    draft = {"edits": [], "removes": [], "rewords": [], "description": "Say what is forbidden.", "rationale": "It was open.",
            "declined": ""}  # fmt: skip
    fix = next((item for item in FAULTS if item.problem in fault), None)
    if fix is None:
        return {**draft, "declined": "Only the author knows what is meant."}
    text = "\n".join(read_files_to_edit(prompt).values())
    search, *rewords = (item if item in text else item.replace("_tag", "-tag") for item in (fix.search, *fix.rewords))
    edit = {"file": fix.file, "search": search, "replace": fix.replace}
    return {**draft, "edits": [edit], "rewords": [] if is_first and fix.file == "SKILL.md" else rewords}


def _approve(number: int, fix: str) -> dict[str, Any]:
    ids = dict.fromkeys(re.findall(r"^(ISS-\d+) ", fix, re.MULTILINE))
    verdicts = [{"id": id, "gone": True, "reason": "It is clear now."} for id in ids]
    return {"fix": number, "verdicts": verdicts, "holds": True, "merge": True, "sound": True, "changes": False,
            "objections": []}  # fmt: skip


@dataclass
class Player:
    """A script of a `ScriptedApi`: it plays the session, its agents, and the model that the server queries.

    requests: the number of requests by sender. tokens: their estimated input by sender. status: the last status of the
    run. started: the questions for which an agent was started. listed_again: those that were listed a second time. prompts:
    the prompts that were answered.

    words: the complaint that follows the command. inputs: the tool results and texts that the session received.

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
    inputs: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)
    status: dict[str, Any] = field(default_factory=dict)
    started: list[str] = field(default_factory=list)
    listed_again: list[str] = field(default_factory=list)
    prompts: list[str] = field(default_factory=list)

    def __call__(self, request: Any) -> Any:
        is_server = "StructuredOutput" in list_tool_names(request)
        sender = "session" if "Agent" in list_tool_names(request) else "server" if is_server else "aside"
        sender = "agent" if _AGENT in json.dumps(request.get("system")) else sender
        with self.lock:
            self.requests[sender] += 1
            self.tokens[sender] += len(json.dumps(request)) // 4
        if sender == "session":
            self.inputs.append(get_last_user_text(request))
            return self.turn(request)
        if sender == "agent":
            return self.reply_as_agent(request)
        if sender == "server":
            return tool_call("StructuredOutput", **self.answer(_join_user_text(request), get_answer_schema(request)))
        return text_block("A title")

    def answer(self, prompt: str, schema: Any) -> dict[str, Any]:
        self.prompts.append(prompt)
        return answer_question(prompt, schema, self.path)

    def turn(self, request: Any) -> Any:
        """Return the next turn of the session, after the last tool result or the last words of the user."""
        last_input, tool_name = self.inputs[-1], _find_last_call(request)
        if not tool_name or "<arguments>" in last_input:
            return self.follow_user(last_input)
        if tool_name == "AskUserQuestion":
            return self.pass_on_choice(last_input)
        if tool_name == f"{_PREFIX}report":
            return self.continue_run()
        status_lines = re.findall(r'^(\{"run".*\})$', last_input, re.MULTILINE)
        if "No such tool available" in last_input and tool_name == f"{_PREFIX}diagnose" and self.retries:
            self.retries -= 1  # The server is still starting, so this is not a turn of a review.
            self.requests["session"] -= 1
            time.sleep(2)
            return tool_call(f"{_PREFIX}diagnose", skill=self.skill, **({"issue": self.words} if self.words else {}))
        if not status_lines:
            return text_block(f"I stop: {last_input[:300]}")
        self.status = json.loads(status_lines[-1])
        self.listed_again += [item["id"] for item in self.status["questions"] if item["id"] in self.started]
        return self.continue_run()

    def follow_user(self, user_text: str) -> Any:
        """Do what the user typed: the command, or a request about findings or fixes of the run."""
        if "<arguments>" in user_text:
            return tool_call(f"{_PREFIX}diagnose", skill=self.skill, **({"issue": self.words} if self.words else {}))
        for tool_name, key, ids in (
            ("apply", "fixes", re.findall(r"FIX-\d+", user_text)),
            ("fixes", "findings", re.findall(r"ISS-\d+", user_text)),
        ):
            if ids:
                return tool_call(f"{_PREFIX}{tool_name}", run=self.status["run"], **{key: ids})
        return text_block("I did not understand.")

    def continue_run(self) -> Any:
        status = self.status
        if self.is_early:
            self.is_early = False
            return tool_call(f"{_PREFIX}report", run=status["run"])
        match status["waits_for"]:
            case "questions":
                ids = [item["id"] for item in status["questions"]]
                self.started += ids
                agents = [
                    tool_call("Agent", description="read", subagent_type="skill-judge",
                         prompt=f"Answer question {id} of run {status['run']}.") for id in ids
                ]  # fmt: skip
                return [*agents, tool_call(f"{_PREFIX}fixes", run=status["run"], wait=True)]
            case "answers":
                return tool_call(f"{_PREFIX}fixes", run=status["run"], wait=True)
            case "finding_selection" | "fix_selection":
                return [
                    text_block(status["show"]),
                    tool_call("AskUserQuestion", questions=[_make_question(status["ask"])]),
                ]
            case "nothing":
                return text_block(f"{status['show']}\n\nThe end.")
        return tool_call(f"{_PREFIX}fixes", run=status["run"])

    def pass_on_choice(self, last_input: str) -> Any:
        """Pass on the ids that the user chose; typed words are ids, the first ids shown, or a refusal."""
        chosen = last_input.split('"="')[-1] if '"="' in last_input else ""
        ids = [id for item in self.status["ask"]["options"] if item["label"] in chosen for id in item["ids"]]
        ids = ids or re.findall(r"(?:ISS|FIX)-\d+", chosen)
        shown_ids = list(dict.fromkeys(re.findall(r"(?:ISS|FIX)-\d+", self.status["show"])))
        if "first two" in chosen:
            ids = shown_ids[:2]
        if "all but" in chosen:
            ids = [id for id in shown_ids if id.startswith("FIX-") and id not in ids]
        call = {"finding_selection": ("fixes", "findings"), "fix_selection": ("apply", "fixes")}
        name, key = call[self.status["waits_for"]]
        return tool_call(f"{_PREFIX}{name}", run=self.status["run"], **{key: list(dict.fromkeys(ids))})

    def reply_as_agent(self, request: Any) -> Any:
        text_so_far = _join_user_text(request)
        id, run = re.search(r"Answer question (Q-\w+) of run (\S+)\.", text_so_far).groups()  # type: ignore[union-attr]
        if special_reply := self.agent(request, id):
            return special_reply
        if '"schema":' not in text_so_far:
            return tool_call(f"{_PREFIX}question", run=run, id=id)
        if '"taken":true' in text_so_far:
            return text_block("answered")
        prompt, marker, rest = text_so_far.rpartition('\n{"run":"' + run + '","id":"' + id + '","name"')
        question, _ = json.JSONDecoder().raw_decode(marker[1:] + rest)
        rejections = re.findall(r'"taken":false,"wrong":("(?:[^"\\\\]|\\\\.)*")', text_so_far)
        rejection_text = f"{_REJECTED}{json.loads(rejections[-1])}" if rejections else ""
        value = self.answer(prompt[prompt.index("[tune-skill judge]") :] + rejection_text, question["schema"])
        return tool_call(f"{_PREFIX}answer", run=run, id=id, token=question["token"], answer=value)


def _make_question(ask: Any) -> dict[str, Any]:
    options = [{"label": item["label"], "description": item["description"]} for item in ask["options"]]
    return {
        "question": ask["question"], "header": ask["header"], "multiSelect": ask["multi_select"], "options": options,
    }  # fmt: skip


def _join_user_text(request: Any) -> str:
    return "\n".join(join_text(m["content"]) for m in request["messages"] if m["role"] == "user")


def _find_last_call(request: Any) -> str:
    """Return the name of the tool with the latest result, or "" if the user has typed something since."""
    for message in reversed(request["messages"]):
        blocks = message["content"] if not isinstance(message["content"], str) else [{"type": "text"}]
        properties = [block.get("type") for block in blocks]
        if message["role"] == "assistant":
            return next((b["name"] for b in reversed(blocks) if b.get("type") == "tool_use"), "")
        if message["role"] == "user" and "tool_result" not in properties and not _is_reminder(message):
            return ""
    return ""


def _is_reminder(message: Any) -> bool:
    return join_text(message["content"]).lstrip().startswith("<system-reminder>")
