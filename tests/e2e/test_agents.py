"""Test `/tune-skill` in the real Claude Code with agents that read the skill in parallel; one lies, one dies."""

import json
import re
import threading
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.claude_code import CLAUDE
from tests.e2e.machine import ROOT
from tests.fakes import add_large_references
from tests.scripted_api import Reply, ScriptedApi, flat, last_said, least_answer, text, tool, tools_of

pytestmark = pytest.mark.slow
PLACEHOLDER = "DeferredToolPlaceholder"
"""A stand-in for the tool search that Claude Code offers if tools are deferred; it does nothing."""
QUOTE = "Never publish"


@dataclass
class Tuner:
    """The model: it plays the session that follows the command, and the agents, recognized by their system prompts.

    `few` is the number of questions, from the end, that get an agent before the session gives up the others.
    """

    prefix: str = "mcp__tune-skill__"
    judge: str = "skill-judge"
    few: int = 99
    agents: list[Any] = field(default_factory=list)
    heard: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)
    lied: str = ""
    died: str = ""
    started: dict[str, int] = field(default_factory=dict)
    waiting: list[str] = field(default_factory=list)

    def __call__(self, request: Any) -> Any:
        if "You answer one question of a run of tune-skill" in json.dumps(request.get("system")):
            with self.lock:
                self.agents.append(request)
            return self.agent(request)
        self.heard.append(last_said(request))
        return self.session(len(self.heard))

    def session(self, turn: int) -> Any:
        if turn == 1:
            return tool(f"{self.prefix}diagnose", skill="release-notes")
        standing = self.standing()
        if standing is None:
            ended = self.heard[-1].count("answered")
            lost = [id for id in (self.died, self.lied) if id in self.waiting and ended < len(self.waiting)]
            return tool(f"{self.prefix}fixes", run=self.run, wait=True, lost=lost)
        self.run = standing["run"]
        if standing["waits_for"] == "questions":
            return self.started_for(standing)
        if standing["waits_for"] == "finding_selection":
            ids = [id for option in standing["ask"]["options"] for id in option["ids"]]
            return tool(f"{self.prefix}fixes", run=self.run, findings=list(dict.fromkeys(ids)))
        if standing["waits_for"] == "fix_selection":
            return tool(f"{self.prefix}apply", run=self.run, fixes=[])
        return text(f"The run {self.run} has ended.")

    def standing(self) -> Any:
        found = re.search(r"^\{.*\}$", self.heard[-1], re.MULTILINE)
        return json.loads(found[0]) if found else None

    def started_for(self, standing: Any) -> Any:
        """Start an agent for each question, and another for a question that comes back; then give up."""
        ids = [one["id"] for one in standing["questions"]][-self.few :]
        for id in ids:
            self.started[id] = self.started.get(id, 0) + 1
        self.waiting = ids
        if any(self.started[id] > 2 for id in ids) or len(self.started) > self.few:
            return tool(f"{self.prefix}fixes", run=self.run, give_up=True)
        prompts = [f"Answer question {id} of run {self.run}." for id in ids]
        return [
            tool("Agent", description="read", prompt=one, subagent_type=self.judge, run_in_background=False)
            for one in prompts
        ]

    def agent(self, request: Any) -> Any:
        said = "\n".join(flat(m["content"]) for m in request["messages"] if m["role"] == "user")
        id, run = re.search(r"Answer question (Q-\w+) of run (\S+)\.", said).groups()
        with self.lock:
            self.died = self.died or id
        if id == self.died:
            return Reply(status=400)
        if '"schema":' not in said:
            return tool(f"{self.prefix}question", run=run, id=id)
        asked = questions([request])[id]
        value = least_answer(asked["prompt"], asked["schema"])
        with self.lock:
            lies = asked["name"].startswith("reading") and self.lied in ("", id)
            self.lied = id if lies else self.lied
        if lies:
            if '"taken":false' in said:
                return text("I have nothing true to say.")
            lie = {"pattern": "custom", "file": "SKILL.md", "quote": "Words that stand nowhere.", "problem": "A lie.",
                   "harm": "None.", "severity": "high", "looked_up": [], "from_knowledge": False,
                   "explains_complaint": False}  # fmt: skip
            return self.answer(asked, {**value, "added": [lie]})
        if '"taken":true' in said:
            return text("answered")
        return self.answer(asked, value)

    def answer(self, asked: Any, value: Any) -> Any:
        return tool(f"{self.prefix}answer", run=asked["run"], id=asked["id"], token=asked["token"], answer=value)


def tuned(machine, tuner, command):
    with ScriptedApi(tuner) as api:
        done = machine.run(str(CLAUDE), "-p", command, "--output-format", "json", ANTHROPIC_BASE_URL=api.url)
    assert done.code == 0, done
    return done.json


def state_of(machine):
    (run,) = (machine.project / ".workflow" / "skill-tuning").iterdir()
    return json.loads((run / "state.json").read_text())


def questions(requests):
    """Return each question by its id, as an agent saw it: the prompt, and the rest as JSON."""
    found = {}
    for request in requests:
        for message in request["messages"]:
            prompt, at, rest = flat(message["content"]).rpartition('\n{"run"')
            if '"schema"' in rest:
                asked, _ = json.JSONDecoder().raw_decode(at[1:] + rest)
                found[asked["id"]] = {**asked, "prompt": prompt[prompt.index("[tune-skill judge]") :]}
    return found


def prompts(tuner):
    return [asked["prompt"] for asked in questions(tuner.agents).values()]


def one_prefix(found):
    """Return whether all questions begin with the same bytes: the whole skill or, for its parts, SKILL.md."""
    about = [prompt for prompt in found if "=== SKILL.md" in prompt]
    return len({prompt[: prompt.index("\nDATA ", prompt.index("=== SKILL.md"))] for prompt in about}) <= 2 < len(about)


def test_agents_in_parallel_with_one_lying_and_one_dying(machine):
    assert machine.tune_skill("install").code == 0
    add_large_references(machine.skill)
    tuner = Tuner()
    result = tuned(machine, tuner, "/tune-skill release-notes")
    assert result["permission_denials"] == [], "command and agents need no permission for their own tools"
    offered = {frozenset(tools_of(request)) - {PLACEHOLDER} for request in tuner.agents}
    assert offered == {frozenset({f"mcp__tune-skill__{name}" for name in ("question", "look", "answer")})}
    first = list(tuner.started)
    assert len(first) >= 5, "an agent each"
    texts = ["\n".join(flat(m["content"]) for m in request["messages"]) for request in tuner.agents]
    before = texts[: next(n for n, words in enumerate(texts) if '"taken":' in words)]
    assert len({re.search(r"question (Q-\w+)", words)[1] for words in before}) > 1, "side by side"
    assert one_prefix(prompts(tuner)), "one prefix for a cache"
    state = state_of(machine)
    assert (state["status"], state["judge"]) == ("completed", "claude-code")
    assert {tuner.started[tuner.died], tuner.started[tuner.lied]} == {3}, "each had one more agent, then was given up"
    assert all(count == 1 for id, count in tuner.started.items() if id not in (tuner.died, tuner.lied))
    (note,) = [note for note in state["notes"] if "did not answer" in note]
    assert note.count("reading of") <= 2
    assert not [issue for issue in state["issues"] if "A lie" in issue["description"]]


def test_plugin_provides_server_and_agent_with_prefixed_names(machine):
    for words in (("marketplace", "add", str(ROOT / "plugin")), ("install", "tune-skill@tune-skill")):
        assert machine.run(str(CLAUDE), "plugin", *words).code == 0
    tuner = Tuner("mcp__plugin_tune-skill_tune-skill__", "tune-skill:skill-judge", few=1, lied="no one", died="no one")
    result = tuned(machine, tuner, "/tune-skill:tune-skill release-notes")
    assert result["permission_denials"] == []
    offered = {frozenset(tools_of(request)) - {PLACEHOLDER} for request in tuner.agents}
    assert offered == {frozenset({f"{tuner.prefix}{name}" for name in ("question", "look", "answer")})}
    assert state_of(machine)["status"] == "completed"


def test_agents_receive_a_huge_skill_with_300_findings_whole(machine):
    assert machine.tune_skill("install").code == 0
    main = machine.skill / "SKILL.md"
    main.write_text(main.read_text() + "".join(f"\n## The shore with the number {n}\n\nTODO\n" for n in range(300)))
    (machine.skill / "references").mkdir(exist_ok=True)
    for part in range(10):
        lines = (
            f"Line {n} of part {part} says what the gulls of shore {n * part} did in the rain." for n in range(430)
        )
        (machine.skill / "references" / f"part{part}.md").write_text("\n".join(lines))
    tuner = Tuner(few=2, lied="no one", died="no one")
    tuned(machine, tuner, "/tune-skill release-notes")
    assert len(prompts(tuner)) == 2
    assert max(map(len, prompts(tuner))) > 300_000, "the reading of the seams shows all of it"
    assert all("Line 429 of part 9" in prompt for prompt in prompts(tuner) if "=== references/part9.md" in prompt)
    (choice,) = [said for said in tuner.heard if '"waits_for":"finding_selection"' in said]
    assert '"left_out":"not shown here: 2' in choice
    assert all(len(said) < 8_000 for said in tuner.heard[1:]), "each result is small"
    state = state_of(machine)
    assert (state["status"], len(state["issues"]) > 300) == ("completed", True)


def test_claude_code_lists_the_server_until_it_is_removed(machine):
    assert machine.tune_skill("install", "--user").code == 0
    assert "tune-skill: tune-skill mcp - ✔ Connected" in machine.run(str(CLAUDE), "mcp", "list").out
    assert machine.tune_skill("uninstall", "--user").code == 0
    assert "No MCP servers configured" in machine.run(str(CLAUDE), "mcp", "list").out
