"""Test that skill patterns that also apply to commands and agents find the faults there."""

import pytest

from actions.patterns import get_patterns
from actions.patterns.pattern import get_check
from actions.skill.example import build_example_files
from actions.skill.paths import MAIN
from schemas.vocabulary import UnitKind
from tests.actions.patterns.test_examples import list_examples
from tests.examples import list_project_cases

SHARED = {
    id: module
    for id, module in get_patterns().items()
    if {UnitKind.SKILL, UnitKind.COMMAND, UnitKind.AGENT} <= {*module.PATTERN.kinds}
    and not (id.startswith("PRJ") or module.PATTERN.from_sessions)
}
PLACES = {UnitKind.COMMAND: "commands/count.md", UnitKind.AGENT: "agents/counter.md"}


def list_bad_texts(module):
    """Return the faulty examples of a pattern that consist of one file."""
    examples = [build_example_files(e) for e in list_examples(module.BAD) if isinstance(e, str) or MAIN in e]
    return [files[MAIN] for files in examples if files.keys() == {MAIN}]


@pytest.mark.parametrize("kind", PLACES)
@pytest.mark.parametrize("id", sorted(SHARED))
def test_bad_text_is_found_in_other_units(id, kind):
    check = get_check(SHARED[id])
    texts = list_bad_texts(SHARED[id])
    for text in texts:
        files = {".claude-plugin/plugin.json": '{"name": "birds"}', PLACES[kind]: text}
        cases = list_project_cases(SHARED[id], files)
        assert any(finding.file == PLACES[kind] for case in cases for finding in check(case))
    assert texts or id == "DOC-CON-002"
