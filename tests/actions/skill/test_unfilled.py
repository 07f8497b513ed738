"""Test which descriptions are placeholders, and that they are one finding of a project."""

import pytest

from actions.skill.unfilled import is_unfilled
from schemas.vocabulary import Severity, UnitKind
from tests.actions.patterns.rows import find_rows

SKILL = '---\nname: %s\ndescription: "%s"\n---\n\nCount.\n'
PLACEHOLDER = "One sentence - what this skill does and when to invoke it"


@pytest.mark.parametrize(
    "text",
    [
        PLACEHOLDER,
        "[ONE_LINE_DESCRIPTION of what this skill enables]",
        "<description>",
        "TODO",
        "[TODO: Complete and informative explanation of what the skill does.]",
        "Brief description of what this skill does and when to use it.",
        "What this skill does. Use when: specific triggers.",
    ],
)
def test_placeholder_of_a_template_is_unfilled(text):
    assert is_unfilled(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[Deprecated: use count-birds]",
        "[Internal]",
        "[Birds] Counts gulls.",
        "Counts <birds>.",
        '<h1 class="birds">',
        "TODO lists: adds and sorts them",
        "Counts birds. Read the page for what this skill does and when to use it, or ask those who count them.",
        f"[{'x' * 300}]",
    ],
)
def test_other_description_is_filled(text):
    assert not is_unfilled(text)


def test_placeholder_is_reported_by_one_pattern():
    files = {f".claude/skills/{name}/SKILL.md": SKILL % (name, PLACEHOLDER) for name in "ab"}
    assert [row[1] for row in find_rows("SPEC-003", files, UnitKind.SKILL)] == [Severity.MEDIUM] * 2
    assert find_rows("PRJ-030", files, UnitKind.SKILL) == []
    sample = {".claude/skills/skill-template/SKILL.md": SKILL % ("skill-template", PLACEHOLDER)}
    assert find_rows("SPEC-003", sample, UnitKind.SKILL) == []
    agents = {f".claude/agents/{name}.md": SKILL % (name, PLACEHOLDER) for name in "ab"}
    assert len(find_rows("PRJ-030", agents, UnitKind.AGENT)) == 1
