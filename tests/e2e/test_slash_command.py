"""Test `/tune-skill` in the real Claude Code, from the prompt to the report."""

import json
import re

import pytest

from actions.case import Case
from actions.scoring.issues import make_issues
from actions.scoring.quality import compute_score as worth
from actions.scoring.scan import scan
from orchestrator.project.skill_reader import read_skill
from tests.e2e.author import bash, going_on, line_of, tuning
from tests.e2e.machine import Model
from tests.scripted_api import last_said, tool, tools_of

pytestmark = pytest.mark.slow


def choose(question):
    """Choose every fix, and the first interpretation of each unclear point."""
    labels = [option["label"] for option in question["options"]]
    return ", ".join(labels[:-1]) if question["multiSelect"] else labels[0]


def score(machine):
    return worth(make_issues(scan(Case(read_skill(machine.skill)))))


ODD = '它忘了“规则”, it\'s "half" $(touch pwned) `touch pwned` & | C:\\x !x'


def test_slash_command_diagnoses_asks_fixes_and_reports(machine, monkeypatch):
    """The complaint is unclear, and contains characters that are special in a shell and in Markdown."""
    assert machine.tune_skill("install").code == 0
    before = score(machine)
    skill = ".claude/skills/release-notes"
    model = Model(lambda heard: tuning(heard, skill, ODD))
    talk = machine.talk(f"/tune-skill '{skill}' {ODD}", model, choose, monkeypatch)
    assert [tool for tool, _ in talk.asked if tool != "AskUserQuestion"] == [], "its own commands need no permission"
    questions = [question for _, given in talk.asked for question in given["questions"]]
    assert {question["header"] for question in questions} == {"Meaning", "Fixes"}
    assert questions[0]["header"] == "Meaning"
    assert score(machine) > before
    (run,) = (machine.project / ".workflow" / "skill-tuning").iterdir()
    state = json.loads((run / "state.json").read_text())
    assert state["user_issue_description"] == ODD
    answers = {one["answered_by"] for one in state["requirement_analysis"]["ambiguities"]}
    assert answers == {"user"}
    assert (state["status"], state["options"]["judge"]) == ("completed", "none")
    assert talk.said.startswith("# release-notes: tuning report")
    assert (run / "report.md").read_text().strip() == talk.said.strip()
    story = machine.events()
    assert story[0] == "run_created"
    assert "fix_applied" in story
    assert not (machine.project / "pwned").exists()


def test_slash_command_without_an_argument_lists_the_skills(machine, monkeypatch):
    assert machine.tune_skill("install").code == 0

    def turns(heard):
        (line,) = re.findall(r"`(ls [^`]*)`", heard[0])
        yield bash(line)
        names = [name for name in re.findall(r"skills/([^/]+)/", heard[-1]) if name != "tune-skill"]
        options = [{"label": name, "description": name} for name in (*names, "None")]
        question = {"question": "Which skill?", "header": "Skill", "options": options, "multiSelect": False}
        yield tool("AskUserQuestion", questions=[question])
        assert "release-notes" in heard[-1]
        yield "Good."

    talk = machine.talk("/tune-skill", Model(turns), choose, monkeypatch)
    assert [tool for tool, _ in talk.asked] == ["AskUserQuestion"]
    assert "<arguments>\n\n</arguments>" in last_said(talk.turns[0])


def test_slash_command_without_a_user_prints_the_next_command(machine):
    """The program is not on PATH, so it is called by its path, which needs quotes."""
    machine.bin = machine.bin.rename(machine.bin.with_name("it's a bin"))
    off_path = {"PATH": "/usr/bin:/bin"}
    assert machine.run(str(machine.bin / "tune-skill"), "install", **off_path).code == 0
    before = score(machine)

    def turns(heard):
        yield bash(line_of(heard[0], "run").replace("'SKILL'", "release-notes").replace(" --issue 'WORDS'", ""))
        yield re.findall(r"^  (tune-skill apply .*)$", heard[-1], re.MULTILINE)[0]

    result, asked = machine.claude("/tune-skill release-notes", Model(turns), **off_path)
    assert result["permission_denials"] == []
    assert "AskUserQuestion" not in tools_of(asked[0])
    assert score(machine) == before
    done = machine.run("/bin/sh", "-c", f"{result['result']} --quiet")
    assert done.code in (0, 1), done.err
    assert score(machine) > before


def test_slash_command_resumes_an_interrupted_run(machine, monkeypatch):
    """The user presses Ctrl-C while fixes are applied; the next session resumes the run."""
    assert machine.tune_skill("install").code == 0
    before = score(machine)

    def begun(heard):
        line = line_of(heard[0], "run").replace("'SKILL'", "release-notes").replace(" --issue 'WORDS'", "")
        yield bash(line.replace("--apply ask", "--apply all"))
        yield "It was quicker than the interruption."

    machine.interrupted("/tune-skill release-notes", Model(begun), lambda: "fix_applied" in machine.events())

    def resumed(heard):
        yield bash(line_of(heard[0], "status"))
        (run,) = re.findall(r"resume (\S+)", heard[-1])
        yield bash(line_of(heard[0], "resume").replace("RUN", run))
        yield from going_on(heard, heard[0])

    talk = machine.talk("/tune-skill go on", Model(resumed), choose, monkeypatch)
    assert talk.said.startswith("# release-notes: tuning report")
    assert score(machine) > before
    assert machine.tune_skill("rollback", "--all").code in (0, 1)
    assert score(machine) == before


def test_slash_command_reports_a_missing_program_in_one_line(machine):
    assert machine.tune_skill("install").code == 0
    (machine.bin / "tune-skill").unlink()

    def turns(heard):
        yield bash(line_of(heard[0], "run").replace("'SKILL'", "release-notes").replace(" --issue 'WORDS'", ""))
        (line,) = re.findall(r"^\| `not found` \| .*`(tune-skill is not installed.*)` \|$", heard[0], re.MULTILINE)
        yield line if "not found" in heard[-1] else heard[-1]

    result, _ = machine.claude("/tune-skill release-notes", Model(turns))
    assert result["result"].startswith("tune-skill is not installed: run")
