"""Test which files named SKILL.md are fragments of another skill."""

from actions.project.find_units import find_units
from actions.project.overlays import find_overlays
from orchestrator.project.targets import find_targets
from tests.examples import make_project

SKILL = "---\nname: count\ndescription: Counts.\n---\n\nCount.\n"
FRAGMENT = "<!-- append -->\n\nCount twice.\n"


def test_bare_fragment_of_a_skill_of_the_same_name_is_not_a_unit():
    project = make_project({"skills/count/SKILL.md": SKILL, "flavors/loud/count/SKILL.md": FRAGMENT})
    assert find_overlays(project) == {"flavors/loud/count"}
    assert [unit.path for unit in find_units(project)] == ["skills/count/SKILL.md"]


def test_bare_skill_that_claude_code_loads_is_a_unit():
    project = make_project({"plugins/a/skills/count/SKILL.md": SKILL, ".claude/skills/count/SKILL.md": FRAGMENT})
    assert find_overlays(project) == frozenset()


def test_bare_skill_of_its_own_name_is_a_unit():
    project = make_project({"skills/count/SKILL.md": SKILL, "flavors/loud/sort/SKILL.md": FRAGMENT})
    assert find_overlays(project) == frozenset()


def test_diagnose_leaves_fragments_out(tmp_path):
    for path, text in {"skills/count": SKILL, "flavors/count": FRAGMENT}.items():
        (tmp_path / path).mkdir(parents=True)
        (tmp_path / path / "SKILL.md").write_text(text)
    assert find_targets([str(tmp_path)]).skills == [str(tmp_path / "skills/count")]
