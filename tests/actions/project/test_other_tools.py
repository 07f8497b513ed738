"""Test which folders belong to other tools than Claude Code."""

import pytest

from actions.patterns.context.ctx_005_loaded_at_once import check
from actions.project.other_tools import is_for_other_tool
from actions.project.units import Unit, UnitKind
from tests.examples import list_unit_cases, make_project


@pytest.mark.parametrize(
    "path",
    [
        ".cursor/skills/count/SKILL.md",
        "integrations/windsurf/count/SKILL.md",
        "a/adapters/gemini-cli/x.md",
        "adapters/pi/x.md",
        "birds-codex/skills/count/SKILL.md",
    ],
)
def test_folder_of_another_tool_is_recognized(path):
    assert is_for_other_tool(Unit(UnitKind.SKILL, path, "count"))


@pytest.mark.parametrize(
    "path", ["skills/cursor/SKILL.md", "plugins/codex/skills/count/SKILL.md", "integrations/claude-code/count/SKILL.md"]
)
def test_name_of_a_tool_alone_is_not_its_folder(path):
    assert not is_for_other_tool(Unit(UnitKind.SKILL, path, "count"))


def test_plugin_with_the_name_of_a_tool_is_one_of_claude_code():
    assert not is_for_other_tool(Unit(UnitKind.SKILL, "ask-codex/skills/ask/SKILL.md", "ask", "ask-codex"))


def test_compaction_of_claude_code_cuts_no_copy_for_another_tool():
    text = (
        "---\nname: count\ndescription: Counts birds.\n---\n\n" + "Count the birds of one meadow at dawn.\n\n" * 1_500
    )
    cases = list_unit_cases(
        make_project(dict.fromkeys(("skills/count/SKILL.md", ".cursor/skills/count/SKILL.md"), text))
    )
    assert [case.unit.path for case in cases if [*check(case)]] == ["skills/count/SKILL.md"]
