"""Test which memory files of a project are units."""

from actions.project.find_units import find_units
from tests.examples import make_project

SKILL = "---\nname: count\ndescription: Counts birds.\n---\n\nCount.\n"


def test_memory_file_among_the_material_of_a_skill_is_no_unit():
    paths = ("AGENTS.md", "assets/CLAUDE.md", "skills/count/assets/root/AGENTS.md", "templates/app/CLAUDE.md")
    project = make_project({"skills/count/SKILL.md": SKILL, **dict.fromkeys(paths, "Count.\n")})
    assert [unit.path for unit in find_units(project)] == ["AGENTS.md", "assets/CLAUDE.md", "skills/count/SKILL.md"]
