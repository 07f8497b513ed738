"""Test `/tune-skill` in the real Claude Code with agents that read the skill in parallel. One lies, and one dies."""

import json
import re
import threading
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.claude_code import CLAUDE
from tests.e2e.machine import ROOT
from tests.fakes import add_large_references
from tests.scripted_api import (
    Reply,
    ScriptedApi,
    build_smallest_answer,
    get_last_user_text,
    join_text,
    list_tool_names,
    text_block,
    tool_call,
)

pytestmark = pytest.mark.slow
PLACEHOLDER = "DeferredToolPlaceholder"
"""A stand-in for the tool search that Claude Code offers if tools are deferred; it does nothing."""
QUOTE = "Never publish"


@dataclass
class SessionAndAgents:
    """The model: it plays the session that follows the command, and the agents, recognized by their system prompts.

    `max_questions` is the number of questions, from the end, that get an agent. The session then gives up the others.
    """

    prefix: str = "mcp__tune-skill__"
    agent_type: str = "skill-judge"
    max_questions: int = 99
    agent_requests: list[Any] = field(default_factory=list)
    inputs: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)
    lying_question: str = ""
    dead_question: str = ""
    agents_started: dict[str, int] = field(default_factory=dict)
    waiting_questions: list[str] = field(default_factory=list)

    def __call__(self, request: Any) -> Any:
        if "You answer one question of a run of tune-skill" in json.dumps(request.get("system")):
            with self.lock:
                self.agent_requests.append(request)
            return self.reply_as_agent(request)
        self.inputs.append(get_last_user_text(request))
        return self.reply_as_session(len(self.inputs))

    def reply_as_session(self, turn: int) -> Any:
        if turn == 1:
            return tool_call(f"{self.prefix}diagnose", skill="release-notes")
        status = self.parse_status()
        if status is None:
            answered_count = self.inputs[-1].count("answered")
            lost_questions = [
                id
                for id in (self.dead_question, self.lying_question)
                if id in self.waiting_questions and answered_count < len(self.waiting_questions)
            ]
            return tool_call(f"{self.prefix}fixes", run=self.run, wait=True, lost=lost_questions)
        self.run = status["run"]
        if status["waits_for"] == "questions":
            return self.start_agents(status)
        if status["waits_for"] == "finding_selection":
            ids = [id for option in status["ask"]["options"] for id in option["ids"]]
            return tool_call(f"{self.prefix}fixes", run=self.run, findings=list(dict.fromkeys(ids)))
        if status["waits_for"] == "fix_selection":
            return tool_call(f"{self.prefix}apply", run=self.run, fixes=[])
        return text_block(f"The run {self.run} has ended.")

    def parse_status(self) -> Any:
        match = re.search(r"^\{.*\}$", self.inputs[-1], re.MULTILINE)
        return json.loads(match[0]) if match else None

    def start_agents(self, status: Any) -> Any:
        """Start an agent for each question, and another for a question that comes back; then give up."""
        ids = [question["id"] for question in status["questions"]][-self.max_questions :]
        for id in ids:
            self.agents_started[id] = self.agents_started.get(id, 0) + 1
        self.waiting_questions = ids
        if any(self.agents_started[id] > 2 for id in ids) or len(self.agents_started) > self.max_questions:
            return tool_call(f"{self.prefix}fixes", run=self.run, give_up=True)
        prompts = [f"Answer question {id} of run {self.run}." for id in ids]
        return [
            tool_call(
                "Agent", description="read", prompt=prompt, subagent_type=self.agent_type, run_in_background=False
            )
            for prompt in prompts
        ]

    def reply_as_agent(self, request: Any) -> Any:
        text_so_far = "\n".join(join_text(m["content"]) for m in request["messages"] if m["role"] == "user")
        id, run = re.search(r"Answer question (Q-\w+) of run (\S+)\.", text_so_far).groups()
        with self.lock:
            self.dead_question = self.dead_question or id
        if id == self.dead_question:
            return Reply(status=400)
        if '"schema":' not in text_so_far:
            return tool_call(f"{self.prefix}question", run=run, id=id)
        question = parse_questions([request])[id]
        value = build_smallest_answer(question["prompt"], question["schema"])
        with self.lock:
            is_lying = question["name"].startswith("reading") and self.lying_question in ("", id)
            self.lying_question = id if is_lying else self.lying_question
        if is_lying:
            if '"taken":false' in text_so_far:
                return text_block("I have nothing true to say.")
            false_finding = {"pattern": "custom", "file": "SKILL.md", "quote": "Words that stand nowhere.", "problem": "A lie.",
                   "harm": "None.", "severity": "high", "looked_up": [], "from_knowledge": False,
                   "explains_complaint": False}  # fmt: skip
            return self.answer(question, {**value, "added": [false_finding]})
        if '"taken":true' in text_so_far:
            return text_block("answered")
        return self.answer(question, value)

    def answer(self, question: Any, value: Any) -> Any:
        return tool_call(
            f"{self.prefix}answer", run=question["run"], id=question["id"], token=question["token"], answer=value
        )


def run_claude(machine, model, command):
    with ScriptedApi(model) as api:
        result = machine.run(str(CLAUDE), "-p", command, "--output-format", "json", ANTHROPIC_BASE_URL=api.url)
    assert result.code == 0, result
    return result.json


def read_state(machine):
    (run,) = (machine.project / ".workflow" / "skill-tuning").iterdir()
    return json.loads((run / "state.json").read_text())


def parse_questions(requests):
    """Return each question by its id, as an agent saw it: the prompt, and the rest as JSON."""
    questions_by_id = {}
    for request in requests:
        for message in request["messages"]:
            prompt, marker, rest = join_text(message["content"]).rpartition('\n{"run"')
            if '"schema"' in rest:
                question, _ = json.JSONDecoder().raw_decode(marker[1:] + rest)
                questions_by_id[question["id"]] = {**question, "prompt": prompt[prompt.index("[tune-skill judge]") :]}
    return questions_by_id


def list_prompts(model):
    return [question["prompt"] for question in parse_questions(model.agent_requests).values()]


def have_common_prefix(prompts):
    """Return whether all questions begin with the same bytes: the whole skill or, for its parts, SKILL.md."""
    prompts_with_skill = [prompt for prompt in prompts if "=== SKILL.md" in prompt]
    return (
        len({prompt[: prompt.index("\nDATA ", prompt.index("=== SKILL.md"))] for prompt in prompts_with_skill})
        <= 2
        < len(prompts_with_skill)
    )


def test_run_completes_although_one_agent_lies_and_one_dies(machine):
    assert machine.tune_skill("install").code == 0
    add_large_references(machine.skill)
    model = SessionAndAgents()
    result = run_claude(machine, model, "/tune-skill release-notes")
    assert result["permission_denials"] == [], "the command or an agent needed a permission for its own tools"
    offered = {frozenset(list_tool_names(request)) - {PLACEHOLDER} for request in model.agent_requests}
    assert offered == {frozenset({f"mcp__tune-skill__{name}" for name in ("question", "look", "answer")})}
    questions_with_agent = list(model.agents_started)
    assert len(questions_with_agent) >= 5, "too few questions were asked to test parallel agents"
    texts = ["\n".join(join_text(m["content"]) for m in request["messages"]) for request in model.agent_requests]
    texts_before_answers = texts[: next(n for n, text in enumerate(texts) if '"taken":' in text)]
    assert len({re.search(r"question (Q-\w+)", text)[1] for text in texts_before_answers}) > 1, (
        "the agents did not run in parallel"
    )
    assert have_common_prefix(list_prompts(model)), "the prompts do not have a common prefix for the cache"
    state = read_state(machine)
    assert (state["status"], state["judge"]) == ("completed", "claude-code")
    assert {model.agents_started[model.dead_question], model.agents_started[model.lying_question]} == {3}, (
        "each must get one more agent and then be given up"
    )
    assert all(
        count == 1
        for id, count in model.agents_started.items()
        if id not in (model.dead_question, model.lying_question)
    )
    (note,) = [note for note in state["notes"] if "did not answer" in note]
    assert note.count("reading of") <= 2
    assert not [issue for issue in state["issues"] if "A lie" in issue["description"]]


def test_plugin_provides_server_and_agent_with_prefixed_names(machine):
    for words in (("marketplace", "add", str(ROOT / "plugin")), ("install", "tune-skill@tune-skill")):
        assert machine.run(str(CLAUDE), "plugin", *words).code == 0
    model = SessionAndAgents(
        "mcp__plugin_tune-skill_tune-skill__",
        "tune-skill:skill-judge",
        max_questions=1,
        lying_question="no one",
        dead_question="no one",
    )
    result = run_claude(machine, model, "/tune-skill:tune-skill release-notes")
    assert result["permission_denials"] == []
    offered = {frozenset(list_tool_names(request)) - {PLACEHOLDER} for request in model.agent_requests}
    assert offered == {frozenset({f"{model.prefix}{name}" for name in ("question", "look", "answer")})}
    assert read_state(machine)["status"] == "completed"


def test_agents_receive_all_of_a_huge_skill_with_300_findings(machine):
    assert machine.tune_skill("install").code == 0
    main = machine.skill / "SKILL.md"
    main.write_text(main.read_text() + "".join(f"\n## The shore with the number {n}\n\nTODO\n" for n in range(300)))
    (machine.skill / "references").mkdir(exist_ok=True)
    for part in range(10):
        lines = (
            f"Line {n} of part {part} says what the gulls of shore {n * part} did in the rain." for n in range(430)
        )
        (machine.skill / "references" / f"part{part}.md").write_text("\n".join(lines))
    model = SessionAndAgents(max_questions=2, lying_question="no one", dead_question="no one")
    run_claude(machine, model, "/tune-skill release-notes")
    assert len(list_prompts(model)) == 2
    assert max(map(len, list_prompts(model))) > 300_000, "no prompt contains the whole skill"
    assert all("Line 429 of part 9" in prompt for prompt in list_prompts(model) if "=== references/part9.md" in prompt)
    (choice,) = [result for result in model.inputs if '"waits_for":"finding_selection"' in result]
    assert '"left_out":"not shown here: 2' in choice
    assert all(len(result) < 8_000 for result in model.inputs[1:]), "a result is too long"
    state = read_state(machine)
    assert (state["status"], len(state["issues"]) > 300) == ("completed", True)


def test_claude_code_lists_the_server_until_it_is_removed(machine):
    assert machine.tune_skill("install", "--user").code == 0
    assert "tune-skill: tune-skill mcp - ✔ Connected" in machine.run(str(CLAUDE), "mcp", "list").out
    assert machine.tune_skill("uninstall", "--user").code == 0
    assert "No MCP servers configured" in machine.run(str(CLAUDE), "mcp", "list").out
