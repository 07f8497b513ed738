"""Test that the proof rejects mutants of real fixes: a removed, moved or negated rule, a reworded fault."""

from pathlib import Path

import pytest

from actions.case import Case
from actions.fixes.strategies import get_strategies
from actions.skill import parse_skill
from benchmarks.attack import TIDES
from benchmarks.proof import check_skill
from orchestrator.project.skill_reader import read_skill
from tests.examples import make_example_case

EXAMPLES = Path(__file__).resolve().parents[4] / "examples"
FOLDERS = [main.parent for main in sorted(EXAMPLES.glob("*/SKILL.md"))]
TYPE = "```ts\ninterface Finding {\n  file: string;\n  line: number;\n  rule: string;\n}\n```\n"
FILES_WITH_TWO_TYPES = {
    "specs/shapes.md": f"# Shapes\n\n{TYPE}",
    "phases/01-look.md": f"# Look\n\n{TYPE}\nThen stop.\n",
}
SKILLS = {
    **{folder.name: lambda folder=folder: Case(read_skill(folder)) for folder in FOLDERS},
    "tides": lambda: Case(parse_skill("skill", {path: data for path, (_, data) in TIDES.items()})),
    "a type twice": lambda: make_example_case(FILES_WITH_TWO_TYPES),
    **{name: lambda module=module: make_example_case(module.BEFORE[0]) for name, module in get_strategies().items()},
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SKILLS)
def test_every_mutant_of_a_fix_fails_its_proof(name):
    counts, passed_mutants = check_skill(SKILLS[name]())
    assert counts["mutants"] > 0
    assert passed_mutants == []
