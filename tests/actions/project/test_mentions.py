"""Test which files outside a skill mention one of its files, and that many skills are searched in linear time."""

import pytest

from actions.project.find_units import find_units
from actions.project.mentions import is_named_elsewhere
from tests.examples import make_project
from tests.growth import grows_at_most, measure_seconds

SKILL = "---\nname: count\ndescription: Counts birds.\n---\n\nCount.\n"
PLUGIN = {".claude-plugin/plugin.json": '{"name": "birds"}', "skills/count/SKILL.md": SKILL}


def is_named(files, file, path="skills/count/SKILL.md"):
    project = make_project(files)
    (unit,) = (unit for unit in find_units(project) if unit.path == path)
    return is_named_elsewhere(project, unit, file)


@pytest.mark.parametrize(
    ("text", "file"),
    [
        ("Read references/nests.md.", "references/nests.md"),
        ("Read `count/references/nests.md`", "references/nests.md"),
        ("先读references/nests.md和蛋。", "references/nests.md"),
        ("Read references/nests.md-and then count.", "references/nests.md"),
        ("Read references/my nests.md.", "references/my nests.md"),
        ("Read references/鸟巢.md.", "references/鸟巢.md"),
        ("Read references/nests.mdx.", "references/nests.mdx"),
        ("Read references/a-v1.2.md.", "references/a-v1.2.md"),
    ],
)
def test_text_of_the_plugin_names_a_file(text, file):
    assert is_named({**PLUGIN, "docs/how.md": text}, file)


def test_own_text_and_other_plugins_do_not_mention_a_file():
    assert not is_named({**PLUGIN, "skills/count/references/eggs.md": "nests.md"}, "nests.md")
    other = {"a/.claude-plugin/plugin.json": '{"name": "a"}', "b/.claude-plugin/plugin.json": '{"name": "b"}'}
    files = {**other, "a/skills/count/SKILL.md": SKILL, "b/how.md": "Read references/nests.md."}
    assert not is_named(files, "references/nests.md", "a/skills/count/SKILL.md")
    files = {**PLUGIN, "docs/how.md": "See references/nests.md.", "docs/references/nests.md": "Nests."}
    assert not is_named(files, "references/nests.md")


def test_text_of_another_loose_skill_or_memory_names_a_file():
    loose = {"count/SKILL.md": SKILL, "sort/SKILL.md": SKILL}
    assert not is_named(loose, "references/nests.md", "count/SKILL.md")
    assert is_named({**loose, "sort/how.md": "references/nests.md"}, "references/nests.md", "count/SKILL.md")
    assert is_named({**loose, "AGENTS.md": "count/references/nests.md"}, "references/nests.md", "count/SKILL.md")


def test_many_skills_are_searched_in_linear_time():
    def measure(count):
        project = make_project({f"bird{n}/SKILL.md": SKILL for n in range(count)})
        units = find_units(project)
        return measure_seconds(lambda: [is_named_elsewhere(project, unit, "references/nests.md") for unit in units])

    assert grows_at_most(measure, 400, 1600, factor=7)
