"""Test that skills which Claude Code does not load may have a format of their own."""

from actions.patterns import get_patterns
from tests.examples import list_project_cases

TEXT = "# Source: by hand\n\n---\nname: count\n---\n\nCount.\n"


def list_reported(files):
    module = get_patterns()["SPEC-001"]
    return [case.unit.path for case in list_project_cases(module, files) if [*module.check(case)]]


def test_skills_with_a_format_of_their_own_are_not_reported():
    paths = [f"pkg/channels/{name}/SKILL.md" for name in ("a", "b", "c")]
    assert list_reported(dict.fromkeys(paths, TEXT)) == []
    assert list_reported(dict.fromkeys(paths[:2], TEXT)) == paths[:2]


def test_loaded_skills_without_frontmatter_are_reported():
    paths = [f".claude/skills/{name}/SKILL.md" for name in ("a", "b", "c")]
    assert list_reported(dict.fromkeys(paths, TEXT)) == paths
