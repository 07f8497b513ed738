"""Test that plugins in a marketplace below `.claude/skills` are a copy that the project does not own."""

from actions.project.find_units import find_units
from actions.project.upkeep import find_sign_of_copy
from schemas.vocabulary import UnitKind
from tests.examples import make_project

SKILL = "---\nname: count\ndescription: Counts birds.\n---\n\nCount.\n"


def list_installed(folder):
    files = {
        f"{folder}/.claude-plugin/marketplace.json": '{"name": "m", "plugins": [{"name": "p", "source": "./plugins/p"}]}',
        f"{folder}/plugins/p/.claude-plugin/plugin.json": '{"name": "p"}',
        f"{folder}/plugins/p/skills/count/SKILL.md": SKILL,
        f"{folder}/plugins/p/agents/counter.md": SKILL,
        f"{folder}/SKILL.md": SKILL,
        ".claude/skills/own/SKILL.md": SKILL,
    }
    project = make_project(files)
    units = [unit for unit in find_units(project) if unit.kind in (UnitKind.SKILL, UnitKind.AGENT)]
    read = [(unit, project.read_text_file(unit.path)) for unit in units]
    return {unit.path for unit, file in read if file and find_sign_of_copy(project, unit, file)}


def test_units_of_a_marketplace_below_skills_are_a_copy():
    folder = ".claude/skills/ext/shore"
    expected = {"SKILL.md", "plugins/p/skills/count/SKILL.md", "plugins/p/agents/counter.md"}
    assert list_installed(folder) == {f"{folder}/{path}" for path in expected}


def test_loaded_skill_and_other_marketplaces_are_the_projects_own():
    assert ".claude/skills/shore/SKILL.md" not in list_installed(".claude/skills/shore")
    assert list_installed("shore") == set()
