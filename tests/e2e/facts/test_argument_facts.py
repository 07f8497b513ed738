"""Test how Claude Code counts the arguments of a command or a skill."""

import pytest

from actions.project.argument_numbers import find_counted_arguments
from tests.e2e.facts.claude_cli import run_session
from tests.e2e.facts.test_unit_facts import read_project
from tests.examples import list_unit_cases

TEXT = "---\ndescription: A probe.\nargument-hint: <a> [b]\n---\n\nPROBE $1 $2.\n"
FILES = {
    ".claude/commands/own.md": TEXT,
    ".claude/skills/skill/SKILL.md": TEXT,
    "plug/.claude-plugin/plugin.json": {"name": "plug"},
    "plug/commands/own.md": TEXT,
}


@pytest.mark.parametrize("name", ["own", "skill", "plug:own"])
def test_arguments_count_from_zero(tmp_path, name):
    project, _, requests = run_session(
        FILES, tmp_path, lambda _: "ok", "--plugin-dir", "plug", prompt=f"/{name} one two"
    )
    messages = str(requests[-1]["messages"])
    assert "PROBE two $2." in messages
    assert "ARGUMENTS: one two" not in messages
    cases = [case for case in list_unit_cases(read_project(project)) if case.unit.name == name]
    assert [counted and counted.highest for counted in (find_counted_arguments(case.skill) for case in cases)] == [2]


def test_missing_argument_is_appended(tmp_path):
    _, _, requests = run_session(FILES, tmp_path, lambda _: "ok", prompt="/own one")
    assert "PROBE $1 $2." in str(requests[-1]["messages"])
    assert "ARGUMENTS: one" in str(requests[-1]["messages"])


@pytest.mark.parametrize(("number", "is_attached"), [(0, True), (1, False)])
def test_first_argument_is_attached_by_its_number_only(tmp_path, number, is_attached):
    files = {".claude/commands/own.md": TEXT.replace("PROBE $1 $2", f"PROBE @${number}"), "birds.md": "Two gulls.\n"}
    _, _, requests = run_session(files, tmp_path, lambda _: "ok", prompt="/own birds.md")
    assert ("Two gulls." in str(requests[-1]["messages"])) == is_attached
