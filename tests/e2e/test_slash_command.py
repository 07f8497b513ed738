"""Test `/tune-skill` in the real Claude Code, from the prompt to the report."""

import json
import re

import pytest

from actions.case import Case
from actions.scoring.issues import make_issues
from actions.scoring.quality import compute_score
from actions.scoring.scan import scan
from orchestrator.project.skill_reader import read_skill
from tests.e2e.author import answer_run, call_bash, find_command_line, follow_command
from tests.e2e.machine import Model
from tests.scripted_api import get_last_user_text, list_tool_names, tool_call

pytestmark = pytest.mark.slow


def choose_first_or_all(question):
    """Choose every fix, and the first interpretation of each unclear point."""
    labels = [option["label"] for option in question["options"]]
    return ", ".join(labels[:-1]) if question["multiSelect"] else labels[0]


def score_skill(machine):
    return compute_score(make_issues(scan(Case(read_skill(machine.skill)))))


ODD_COMPLAINT = '它忘了“规则”, it\'s "half" $(touch pwned) `touch pwned` & | C:\\x !x'


def test_slash_command_diagnoses_asks_fixes_and_reports(machine, monkeypatch):
    """The complaint is unclear, and contains characters that are special in a shell and in Markdown."""
    assert machine.tune_skill("install").code == 0
    score_before = score_skill(machine)
    skill = ".claude/skills/release-notes"
    model = Model(lambda inputs: follow_command(inputs, skill, ODD_COMPLAINT))
    conversation = machine.hold_conversation(
        f"/tune-skill '{skill}' {ODD_COMPLAINT}", model, choose_first_or_all, monkeypatch
    )
    assert [tool for tool, _ in conversation.permission_requests if tool != "AskUserQuestion"] == [], (
        "its own commands asked for a permission"
    )
    questions = [question for _, tool_input in conversation.permission_requests for question in tool_input["questions"]]
    assert {question["header"] for question in questions} == {"Meaning", "Fixes"}
    assert questions[0]["header"] == "Meaning"
    assert score_skill(machine) > score_before
    (run,) = (machine.project / ".workflow" / "skill-tuning").iterdir()
    state = json.loads((run / "state.json").read_text())
    assert state["user_issue_description"] == ODD_COMPLAINT
    answers = {ambiguity["answered_by"] for ambiguity in state["requirement_analysis"]["ambiguities"]}
    assert answers == {"user"}
    assert (state["status"], state["options"]["judge"]) == ("completed", "none")
    assert conversation.last_message.startswith("# release-notes: tuning report")
    assert (run / "report.md").read_text().strip() == conversation.last_message.strip()
    events = machine.events()
    assert events[0] == "run_created"
    assert "fix_applied" in events
    assert not (machine.project / "pwned").exists()


def test_slash_command_without_an_argument_lists_the_skills(machine, monkeypatch):
    assert machine.tune_skill("install").code == 0

    def turns(inputs):
        (line,) = re.findall(r"`(ls [^`]*)`", inputs[0])
        yield call_bash(line)
        names = [name for name in re.findall(r"skills/([^/]+)/", inputs[-1]) if name != "tune-skill"]
        options = [{"label": name, "description": name} for name in (*names, "None")]
        question = {"question": "Which skill?", "header": "Skill", "options": options, "multiSelect": False}
        yield tool_call("AskUserQuestion", questions=[question])
        assert "release-notes" in inputs[-1]
        yield "Good."

    conversation = machine.hold_conversation("/tune-skill", Model(turns), choose_first_or_all, monkeypatch)
    assert [tool for tool, _ in conversation.permission_requests] == ["AskUserQuestion"]
    assert "<arguments>\n\n</arguments>" in get_last_user_text(conversation.model_requests[0])


def test_slash_command_without_a_user_prints_the_next_command(machine):
    """The program is not on PATH, so it is called by its path, which needs quotes."""
    machine.bin = machine.bin.rename(machine.bin.with_name("it's a bin"))
    environment = {"PATH": "/usr/bin:/bin"}
    assert machine.run(str(machine.bin / "tune-skill"), "install", **environment).code == 0
    score_before = score_skill(machine)

    def turns(inputs):
        yield call_bash(
            find_command_line(inputs[0], "run").replace("'SKILL'", "release-notes").replace(" --issue 'WORDS'", "")
        )
        yield re.findall(r"^  (tune-skill apply .*)$", inputs[-1], re.MULTILINE)[0]

    result, requests = machine.run_claude("/tune-skill release-notes", Model(turns), **environment)
    assert result["permission_denials"] == []
    assert "AskUserQuestion" not in list_tool_names(requests[0])
    assert score_skill(machine) == score_before
    apply_result = machine.run("/bin/sh", "-c", f"{result['result']} --quiet")
    assert apply_result.code in (0, 1), apply_result.err
    assert score_skill(machine) > score_before


def test_slash_command_resumes_an_interrupted_run(machine, monkeypatch):
    """The user presses Ctrl-C while fixes are applied; the next session resumes the run."""
    assert machine.tune_skill("install").code == 0
    score_before = score_skill(machine)

    def start_run(inputs):
        line = find_command_line(inputs[0], "run").replace("'SKILL'", "release-notes").replace(" --issue 'WORDS'", "")
        yield call_bash(line.replace("--apply ask", "--apply all"))
        yield "It was quicker than the interruption."

    machine.interrupt_claude("/tune-skill release-notes", Model(start_run), lambda: "fix_applied" in machine.events())

    def resume_run(inputs):
        yield call_bash(find_command_line(inputs[0], "status"))
        (run,) = re.findall(r"resume (\S+)", inputs[-1])
        yield call_bash(find_command_line(inputs[0], "resume").replace("RUN", run))
        yield from answer_run(inputs, inputs[0])

    conversation = machine.hold_conversation("/tune-skill go on", Model(resume_run), choose_first_or_all, monkeypatch)
    assert conversation.last_message.startswith("# release-notes: tuning report")
    assert score_skill(machine) > score_before
    assert machine.tune_skill("rollback", "--all").code in (0, 1)
    assert score_skill(machine) == score_before


def test_slash_command_reports_a_missing_program_in_one_line(machine):
    assert machine.tune_skill("install").code == 0
    (machine.bin / "tune-skill").unlink()

    def turns(inputs):
        yield call_bash(
            find_command_line(inputs[0], "run").replace("'SKILL'", "release-notes").replace(" --issue 'WORDS'", "")
        )
        (line,) = re.findall(r"^\| `not found` \| .*`(tune-skill is not installed.*)` \|$", inputs[0], re.MULTILINE)
        yield line if "not found" in inputs[-1] else inputs[-1]

    result, _ = machine.run_claude("/tune-skill release-notes", Model(turns), "--strict-mcp-config")
    assert result["result"].startswith("tune-skill is not installed: run")
