"""Test that a skill is unseen only if no manifest lists its folder and it is not part of another skill."""

import json

import pytest

from actions.patterns import get_patterns
from actions.project.find_units import find_units
from actions.project.unseen_skills import find_unseen_skills
from actions.scoring.scan import scan
from schemas.vocabulary import UnitKind
from tests.actions.patterns.rows import find_rows
from tests.examples import list_project_cases, make_project

SKILL = "---\nname: count\ndescription: Counts birds.\n---\n\nCount.\n"
MANIFEST = {".claude-plugin/plugin.json": '{"name": "birds"}'}


def list_unseen(files):
    return [(skill.path, skill.expected) for skill in find_unseen_skills(make_project(MANIFEST | files))]


def test_skill_below_a_group_is_unseen():
    assert list_unseen({"skills/sea/count/SKILL.md": SKILL}) == [("skills/sea/count/SKILL.md", "skills/count/SKILL.md")]


@pytest.mark.parametrize(
    "files",
    [
        {"skills/count/SKILL.md": SKILL, "skills/count/more/SKILL.md": SKILL},
        {"skills/count/skill.md": "# Notes on skills\n"},
        {"skills/examples/count/SKILL.md": SKILL},
        {"skills/sea/deep/count/SKILL.md": SKILL},
        {"other/sea/count/SKILL.md": SKILL},
        {"skills/SKILL.md": SKILL, "skills/sea/count/SKILL.md": SKILL},
    ],
)
def test_other_files_are_left_alone(files):
    assert list_unseen(files) == []


@pytest.mark.parametrize(
    ("build", "is_built"),
    [
        ({"Makefile": "build:\n\t@cp skills/count.md server/embedded/SKILL.md\n"}, True),
        ({"justfile": "build:\n  cp ./skills/count.md dist/ && echo done\n"}, True),
        ({"package.json": '{"scripts": {"build": "cp -f skills/count.md dist/count.md", "test": "x"}}'}, True),
        ({"skills/Makefile": "build:\n\tcp count.md ../server/\n"}, True),
        ({"Makefile": "build:\n\tcp README.md skills/count.md\n"}, False),
        ({"Makefile": "build:\n\tcp skills/count-all.md dist/\n"}, False),
        ({"Makefile": "build:\n\tcp -R skills dist/\n"}, False),
        ({"Makefile": "build:\n\tcat skills/count.md dist/\n"}, False),
    ],
)
def test_source_of_a_copy_that_is_built_is_left_alone(build, is_built):
    assert list_unseen({"skills/count.md": SKILL} | build) == [("skills/count.md", "skills/count/SKILL.md")][is_built:]


def test_folder_that_a_makefile_copies_is_left_alone():
    files = {"skills/sea/count/SKILL.md": SKILL, "Makefile": "build:\n\tcp -R skills/sea/count dist/count\n"}
    assert list_unseen(files) == []


BESIDE = {
    "sea/.claude-plugin/plugin.json": '{"name": "sea"}',
    "sea/count/SKILL.md": SKILL,
    "sea/skills/sort/SKILL.md": SKILL,
}


def test_skill_beside_the_folder_of_skills_is_unseen():
    unseen = [(skill.path, skill.expected) for skill in find_unseen_skills(make_project(BESIDE))]
    assert unseen == [("sea/count/SKILL.md", "sea/skills/count/SKILL.md")]


@pytest.mark.parametrize(
    "files",
    [
        {"sea/skills/count/SKILL.md": SKILL},
        {"sea/skills/sort/SKILL.md": SKILL + "Read `../../count/SKILL.md`.\n"},
        {"sea/.claude-plugin/plugin.json": '{"name": "sea", "skills": ["./other"]}'},
        {"sea/count/SKILL.md": "# Count\n"},
        {"sea/SKILL.md": SKILL},
        {".claude-plugin/marketplace.json": '{"plugins": [{"name": "s", "source": "./sea", "skills": ["./count"]}]}'},
    ],
)
def test_skill_beside_may_be_meant_or_a_document(files):
    assert list(find_unseen_skills(make_project(BESIDE | files))) == []


def test_skill_beside_needs_other_skills_and_a_plugin_of_its_own():
    assert list(find_unseen_skills(make_project({k: v for k, v in BESIDE.items() if "sort" not in k}))) == []
    assert list_unseen({"count/SKILL.md": SKILL, "skills/sort/SKILL.md": SKILL}) == []


def test_skills_below_a_manifest_in_claude_are_those_of_the_project():
    manifest = {".claude/.claude-plugin/plugin.json": '{"name": "birds"}'}
    files = {".claude/skills/sea/count/SKILL.md": SKILL, ".claude/skills/sort.md": SKILL}
    assert list(find_unseen_skills(make_project(manifest | files))) == []


def test_skills_of_a_group_are_one_finding():
    files = {f"skills/sea/{name}/SKILL.md": SKILL for name in ("count", "sort", "ring")}
    ((_, _, message),) = find_rows("PRJ-013", MANIFEST | files, UnitKind.MANIFEST)
    assert "`skills/sea/count/SKILL.md` and 2 more in `skills/sea`: it looks for `skills/count/SKILL.md`" in message


def test_each_misspelled_name_is_a_finding_with_its_fix():
    files = {f"skills/{name}/skill.md": SKILL for name in ("count", "sort")}
    assert len(find_rows("PRJ-013", MANIFEST | files, UnitKind.MANIFEST)) == 2


def test_finding_is_at_the_skill_that_is_not_loaded():
    files = {"skills/count/skill.md": SKILL, "skills/sort.md": SKILL, "skills/sea/ring/SKILL.md": SKILL}
    files |= {".claude-plugin/commands/weigh.md": SKILL}
    pattern = get_patterns()["PRJ-013"]
    cases = list_project_cases(pattern, MANIFEST | files)
    found = {finding.file for case in cases for finding in scan(case, [pattern]).open}
    assert found == {
        "skills/count/skill.md",
        "skills/sort.md",
        "skills/sea/ring/SKILL.md",
        ".claude-plugin/plugin.json",
    }


def test_entries_of_one_source_name_their_own_skills():
    entries = [{"name": name, "source": "./", "skills": [f"./skills/sea/{name}"]} for name in ("a", "b")]
    market = {".claude-plugin/marketplace.json": json.dumps({"name": "m", "plugins": entries})}
    skills = {f"skills/sea/{name}/SKILL.md": SKILL for name in ("a", "b", "c")}
    assert [path for path, _ in list_unseen(market | skills)] == ["skills/sea/c/SKILL.md"]


def test_group_of_which_the_manifest_names_nothing_is_left_out():
    manifest = {".claude-plugin/plugin.json": '{"name": "birds", "skills": ["./skills/sea/a"]}'}
    skills = {f"skills/{name}/SKILL.md": SKILL for name in ("sea/a", "sea/b", "drafts/c")}
    assert [path for path, _ in list_unseen(manifest | skills)] == ["skills/sea/b/SKILL.md"]


def test_skill_md_beside_the_folders_of_skills_is_an_index():
    skill = "---\nname: count\ndescription: Counts.\n---\n\nCount.\n"
    files = {"skills/SKILL.md": "# All skills\n", "skills/count/SKILL.md": skill}
    assert [unit.path for unit in find_units(make_project(files))] == ["skills/count/SKILL.md"]
    assert [unit.path for unit in find_units(make_project({"skills/SKILL.md": skill}))] == ["skills/SKILL.md"]


@pytest.mark.parametrize(
    ("agents", "count"), [(("nest", "ring"), 0), (("nest",), 1), ((), 1)], ids=["both", "one", "none"]
)
def test_skills_with_the_names_of_agents_are_not_reported(agents, count):
    files = {f"skills/sea/{name}/SKILL.md": SKILL for name in ("nest", "ring")}
    files |= {f"agents/{name}.md": f"---\nname: {name}\ndescription: Counts.\n---\n\nCount.\n" for name in agents}
    assert len(find_rows("PRJ-013", MANIFEST | files, UnitKind.MANIFEST)) == count
