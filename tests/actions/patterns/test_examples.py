"""Every pattern sees its own BAD examples, is silent on its GOOD ones, and says on its page what it is."""

import pytest

from actions.example import example_case
from actions.patterns import all_patterns
from actions.strategies import all_strategies, named

PATTERNS = {id: p for id, p in all_patterns().items() if "skill" in p.PATTERN.reads}
PARTS = ("What it sees:", "Why it is bad:", "Instead:", "May be wrong:")


def examples(kind):
    return [pytest.param(p, e, id=f"{id}-{n}") for id, p in PATTERNS.items() for n, e in enumerate(getattr(p, kind), 1)]


@pytest.mark.parametrize(("pattern", "example"), examples("BAD"))
def test_bad_example_is_seen_where_it_stands(pattern, example):
    case = example_case(example)
    evidence = list(pattern.look(case))
    assert evidence
    for item in evidence:
        assert 1 <= item.line <= max(1, len(case.skill.by_path[item.file].doc.lines))
        assert item.message


@pytest.mark.parametrize(("pattern", "example"), examples("GOOD"))
def test_good_example_is_left_alone(pattern, example):
    assert list(pattern.look(example_case(example))) == []


@pytest.mark.parametrize("id", PATTERNS)
def test_page_has_its_four_parts_and_examples_of_several_shapes(id):
    pattern = PATTERNS[id]
    assert all(f"\n{part}" in (pattern.__doc__ or "") for part in PARTS)
    assert len(pattern.BAD) >= 2
    assert len(pattern.GOOD) >= 2


@pytest.mark.parametrize("id", PATTERNS)
def test_named_strategies_exist_and_mend_it(id):
    for name in PATTERNS[id].PATTERN.strategies:
        strategy = named(name)
        assert name == "custom" or (strategy is not None and id in strategy.STRATEGY.mends)


def test_every_mended_pattern_names_its_strategy():
    for name, strategy in all_strategies().items():
        names = {name, *strategy.STRATEGY.aliases}
        for id in strategy.STRATEGY.mends:
            assert names & set(all_patterns()[id].PATTERN.strategies), f"{id} does not name {name}"
