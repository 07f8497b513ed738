"""Test which names of skills follow a convention of their project."""

from actions.project.find_units import find_units
from actions.project.naming import follows_convention, is_second_name
from actions.project.units import UnitKind
from tests.examples import make_project


def list_conventional(files):
    project = make_project(files)
    texts = {
        unit: project.read_bytes(unit.path).decode() for unit in find_units(project) if unit.kind is UnitKind.SKILL
    }
    names = {unit: text.split("name: ")[1].split("\n")[0] for unit, text in texts.items()}
    return [name for unit, name in names.items() if follows_convention(project, unit, name)]


def make_skills(folder, names):
    return {f"{folder}/{at}/SKILL.md": f"---\nname: {name}\ndescription: Counts.\n---\n" for at, name in names.items()}


def test_most_skills_of_a_folder_make_a_convention():
    skills = make_skills("src/skills", {"a": "sc:a-x", "b": "sc:b-x", "c": "sc:c-x", "d": "other"})
    assert list_conventional(skills) == ["sc:a-x", "sc:b-x", "sc:c-x"]
    assert list_conventional(make_skills("src/skills", {"a": "sc:a-x", "b": "sc:b-x"})) == []


def test_plugin_and_folder_are_a_convention_outside_of_skills():
    files = {".claude-plugin/plugin.json": '{"name": "birds"}'} | make_skills("pkg/tools", {"count": "birds:count"})
    assert list_conventional(files) == ["birds:count"]


def test_capitals_and_suffixes_are_a_convention_of_at_least_three_skills():
    capitals = make_skills("src/skills", {name: name for name in ("A_one", "A_two", "A_three")})
    assert list_conventional(capitals) == ["A_one", "A_three", "A_two"]
    assert list_conventional(make_skills("src/skills", {"A_one": "A_one", "two": "two"})) == []
    refiners = make_skills("src/refiners", {name: f"{name}-refiner" for name in "abc"})
    assert list_conventional(refiners) == ["a-refiner", "b-refiner", "c-refiner"]


def test_skills_without_names_are_a_convention_only_if_none_has_one():
    skills = make_skills("src/skills", dict.fromkeys("abc", ""))
    assert list_conventional(skills) == ["", "", ""]
    assert list_conventional(skills | make_skills("src/skills", {"d": "d"})) == []


def test_hyphen_for_a_colon_is_a_convention_of_at_least_three_skills():
    names = {f"birds-{name}": f"birds:{name}" for name in ("ring", "sort", "weigh")}
    others = {name: name for name in ("chart", "draw", "map", "plan")}
    assert list_conventional(make_skills("src/skills", names | others))[:3] == [
        "birds:ring",
        "birds:sort",
        "birds:weigh",
    ]


def test_second_name_is_one_that_an_overview_gives_beside_the_folder():
    def is_second(readme):
        files = make_skills("src/skills", {"count": "tally"}) | {"README.md": readme}
        project = make_project(files)
        (skill,) = (unit for unit in find_units(project) if unit.kind is UnitKind.SKILL)
        return is_second_name(project, skill, "count", "tally")

    assert is_second("- count (tally): counts\n")
    assert not is_second("- count: counts\n- tally-sheet\n")
    assert not is_second("- tally\n\n- count\n")


def test_file_names_are_a_convention_of_most_skills():
    assert len(list_conventional(make_skills("src/skills", {name: f"{name.upper()}.md" for name in "abc"}))) == 3
    assert list_conventional(make_skills("src/skills", {"a": "A.md", "b": "b", "c": "c"})) == []


def test_folder_of_a_skill_from_a_registry_is_its_entry_there():
    skill = make_skills("src/skills", {"count-it": "count"})
    assert list_conventional(skill) == []
    assert list_conventional(skill | {"src/skills/count-it/_meta.json": '{"slug": "count-it"}'}) == ["count"]
