"""Test that YAML with 30,000 levels or odd values stops no command, and that other files are still read."""

import json
import os
import subprocess
import sys

import pytest

from orchestrator.guard.steering.considerations import OVERRIDE
from orchestrator.tuning.trial.grants import remove_grants
from tests.fakes import SKILL_HEADER, write_config, write_skill
from tests.orchestrator.guard.hooks.samples import make_stdin
from tests.terminal import COMMAND, ROOT

LEVELS = 30_000
DEEP = "[" * LEVELS + "]" * LEVELS
DEEP_SKILL = f"---\nname: plover\ndescription: {DEEP}\n---\n\nCount each bird once.\n"
BASE_60 = f"---\nname: plover\ndescription: 1{':1' * LEVELS}\n---\n\nCount each bird once.\n"
TOO_DEEP = "is nested deeper than 50 levels in line 3; reduce the nesting."
PROBLEMS = {
    DEEP_SKILL: TOO_DEEP,
    DEEP_SKILL.replace(DEEP, f"\n{'- ' * LEVELS}x"): "is nested deeper than 50 levels in line 4; reduce the nesting.",
    BASE_60: "contains a number that is longer than 100 characters in line 3; put it in quotes.",
}


def run_command(project, *arguments, **options):
    return subprocess.run(
        [*COMMAND, *arguments], cwd=project, capture_output=True, text=True, timeout=120, check=False, **options
    )


@pytest.fixture
def folder_of_two_skills(project):
    """Return a folder of two skills. The frontmatter of the first is nested too deeply."""
    write_skill(project / "skills" / "plover", DEEP_SKILL)
    write_skill(project / "skills" / "tern", SKILL_HEADER.replace("plover", "tern") + "See [the list](missing.md).\n")
    return project / "skills"


def list_patterns_and_descriptions(row):
    return [(issue["pattern"], issue["description"]) for issue in row["issues"]]


@pytest.mark.parametrize(("text", "expected"), PROBLEMS.items(), ids=["flow", "block", "base 60"])
def test_diagnose_reports_deep_frontmatter_and_its_neighbour(folder_of_two_skills, text, expected):
    write_skill(folder_of_two_skills / "plover", text)
    result = run_command(folder_of_two_skills, "diagnose", ".", "--format", "json")
    deep, healthy = json.loads(result.stdout)
    (message,) = [message for id, message in list_patterns_and_descriptions(deep) if id == "SPEC-001"]
    assert message.endswith(expected)
    assert "SPEC-005" in dict(list_patterns_and_descriptions(healthy))
    message = "tune-skill: 2 findings of medium severity or worse (--fail-on), worst plover/SKILL.md:1 SPEC-001\n"
    assert result.stderr == message


def test_pre_commit_hook_reports_deep_frontmatter(folder_of_two_skills):
    result = run_command(
        folder_of_two_skills.parent,
        "diagnose",
        "--only-in-skills",
        "--",
        "skills/plover/SKILL.md",
        "skills/tern/SKILL.md",
    )
    assert result.returncode == 1
    assert TOO_DEEP in result.stdout
    assert "missing.md" in result.stdout


def test_run_continues_with_deep_frontmatter(folder_of_two_skills):
    result = run_command(folder_of_two_skills, "run", "plover", "--yes", "--format", "json")
    assert result.returncode in (0, 1, 3), result.stderr
    assert TOO_DEEP in result.stdout


def test_fleet_surveys_deep_frontmatter(folder_of_two_skills):
    result = run_command(folder_of_two_skills, "fleet", ".", "--format", "json", "--jobs", "1")
    survey = json.loads(result.stdout)
    assert (survey["skills"], survey["failed"]) == (2, [])
    assert {"SPEC-001", "SPEC-005"} <= {row["pattern"] for row in survey["patterns"]}


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("tasks.yaml", f"tasks:\n  {DEEP}\n", 2),
        ("tasks.json", f'{{"tasks":\n{DEEP}}}', 2),
        ("one/case.yaml", f"name: {DEEP}\n", 1),
        ("one/prompt.md", f"---\nmax_turns: {DEEP}\n---\n\nSay hello.\n", 2),
        ("tasks.yaml", f"tasks:\n  1{':1' * LEVELS}\n", 2),
    ],
)
def test_too_deep_tasks_are_a_one_line_error(folder_of_two_skills, name, text, line):
    file = folder_of_two_skills / "tern" / "evals" / name
    file.parent.mkdir(parents=True)
    file.write_text(text)
    code = (
        "import sys; from pathlib import Path; from orchestrator.errors import BadInput\n"
        "from orchestrator.tuning.trial.tasks import read_tasks\n"
        "try: read_tasks(Path('tern'), sys.argv[1])\n"
        "except BadInput as error: print(error)"
    )
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", code, str(file)]
    result = subprocess.run(
        command, cwd=folder_of_two_skills, env=env, capture_output=True, text=True, timeout=60, check=False
    )
    expected = (
        "contains a number that is longer than 100 characters; put it in quotes"
        if ":1" in text
        else ("is nested deeper than 50 levels; reduce the nesting")
    )
    assert result.stdout == f"{file}:{line}: the file {expected}\n", result.stderr


@pytest.mark.parametrize("text", [DEEP, "- " * LEVELS])
def test_stop_hook_answers_with_too_deep_considerations(project, text, tmp_path):
    write_config(project, hooks={"power_steering": True})
    override_file = project / OVERRIDE
    override_file.parent.mkdir(parents=True)
    override_file.write_text(text)
    transcript = tmp_path / "session.jsonl"
    messages = [{"role": "user", "content": "Fix the sum."}, {"role": "assistant", "content": "Fixed."}]
    transcript.write_text("".join(json.dumps({"message": message}) + "\n" for message in messages))
    env = {**os.environ, "CLAUDE_PROJECT_DIR": str(project)}
    result = run_command(project, "hook", "Stop", input=make_stdin("Stop", transcript_path=str(transcript)), env=env)
    assert result.returncode == 0, result.stderr
    assert "decision" not in json.loads(result.stdout)


def test_remove_grants_keeps_frontmatter_with_odd_keys():
    skill_without_grants = remove_grants(
        b"---\nname: plover\nmetadata: {2024-01-01: x, !!binary YQ==: y, ~: z}\n---\n\nCount.\n"
    )
    assert b'"metadata": {"2024-01-01": "x", "YQ==": "y", "~": "z"}\n' in skill_without_grants
