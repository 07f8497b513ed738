"""Test which skills below a folder count as samples, which are diagnosed only if an argument names them."""

import pytest

from actions.project.find_units import is_sample
from orchestrator.project.projects import Projects
from tests.fakes import write_skill


@pytest.mark.parametrize(
    "folder",
    [
        "a/tests/fixtures/count",
        "templates/skill-skeleton",
        "plugins/x/.archive/count",
        ".cursor-plugin/skills/count",
        "birds-test-fixtures/.claude/skills/count",
        "fixtures-2026/skills/count",
        "skills/count/test_data/skills/sort",
        "template",
        "birds/_template",
        "skill-template",
    ],
)
def test_skill_among_samples_is_a_sample(folder):
    assert is_sample(folder)


@pytest.mark.parametrize(
    "folder",
    [
        ".claude/skills/count",
        "plugins/x/skills/templates",
        "count",
        "",
        ".claude/skills/create-test-data",
        "skills/fixtures-and-hooks",
        "plugins/test-fixtures/skills/count",
        "create-test-data",
        "latest-data/skills/count",
        ".claude/skills/template",
        "email-templates",
    ],
)
def test_skill_that_claude_code_may_load_is_not_a_sample(folder):
    assert not is_sample(folder)


def test_samples_are_left_out_unless_all_skills_are_samples(tmp_path):
    sample = write_skill(tmp_path / "tests/fixtures/count", "Count.\n")
    assert Projects().find_skills_below(tmp_path) == [sample]
    skill = write_skill(tmp_path / "skills/count", "Count.\n")
    assert Projects().find_skills_below(tmp_path) == [skill]
    assert Projects().find_skills_below(tmp_path / "tests/fixtures") == [sample]
