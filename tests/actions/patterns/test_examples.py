"""Test every pattern: it has a page and examples, and its check finds each BAD example and no GOOD one."""

import re
from itertools import pairwise

import pytest

from actions.fixes.strategies import find_strategy, get_strategies
from actions.patterns import get_patterns, get_session_patterns
from actions.patterns.page import PROVEN as MARK
from actions.patterns.page import get_page
from actions.patterns.pattern import get_check
from actions.skill.example import list_examples
from benchmarks.reading import find_imports
from schemas.strategies import DRAFTED
from tests.examples import list_example_cases

PATTERNS = get_patterns()
PAGES = {id: module.__doc__ or "" for id, module in (*PATTERNS.items(), *get_session_patterns().items())}
PROVEN = {id: pattern for id, pattern in PATTERNS.items() if get_check(pattern)}
PARTS = ("It is:", "It is not:", "Why it is bad:", "Instead:")
CLAUSES = ("It is:", "It is not:", "Low when:")
ALSO = re.compile(r"(?P<file>[^:]+):(?P<line>\d+)(?:-\d+)?: \S")


def list_example_parameters(kind):
    return [
        pytest.param(p, e, id=f"{id}-{n}")
        for id, p in PROVEN.items()
        for n, e in enumerate(list_examples(getattr(p, kind)), 1)
    ]


@pytest.mark.parametrize(("pattern", "example"), list_example_parameters("BAD"))
def test_bad_example_is_found_at_its_lines(pattern, example):
    findings = [(case, finding) for case in list_example_cases(pattern, example) for finding in pattern.check(case)]
    assert findings
    for case, finding in findings:
        file = case.skill.by_path.get(finding.file) or case.project.read_text_file(finding.file)
        assert file
        assert 1 <= finding.line <= max(1, len(file.doc.lines))
        assert finding.message.endswith((".", "?", "。"))
        for location in finding.also:
            match = ALSO.match(location)
            assert match and match["file"] in case.skill.by_path, location
            assert 1 <= int(match["line"]) <= len(case.skill.by_path[match["file"]].doc.lines), location


@pytest.mark.parametrize(("pattern", "example"), list_example_parameters("GOOD"))
def test_good_example_has_no_finding(pattern, example):
    assert [f for case in list_example_cases(pattern, example) for f in pattern.check(case)] == []


@pytest.mark.parametrize("id", PAGES)
def test_page_has_a_title_and_its_parts_in_order(id):
    title, *lines = PAGES[id].strip().splitlines()
    assert title.endswith(".")
    assert lines[0] == ""
    line_numbers = [next((n for n, line in enumerate(lines) if line.startswith(part)), -1) for part in PARTS]
    assert -1 not in line_numbers
    assert line_numbers == sorted(line_numbers)


@pytest.mark.parametrize("id", PAGES)
def test_page_clauses_are_one_line_each(id):
    lines = PAGES[id].splitlines()
    start, end = lines.index("It is:"), next(n for n, line in enumerate(lines) if line.startswith("Why it is bad:"))
    assert all(line in CLAUSES or line.startswith("- ") for line in lines[start:end])
    assert all(line.startswith("- ") for before, line in pairwise(lines) if before in CLAUSES)


@pytest.mark.parametrize("id", PATTERNS)
def test_page_marks_proven_clauses_if_and_only_if_checked(id):
    page = get_page(PATTERNS[id])
    faults, other_clauses = page["It is"].splitlines(), page["It is not"] + page["Low when"]
    proven_clauses = [clause for clause in faults if clause.endswith(MARK)]
    assert bool(proven_clauses) == (id in PROVEN)
    assert PATTERNS[id].PATTERN.asks_model or proven_clauses == faults
    assert MARK not in other_clauses


@pytest.mark.parametrize("id", PATTERNS)
def test_pattern_has_examples_of_both_kinds(id):
    minimum = 2 if id in PROVEN else 1
    assert len(list_examples(PATTERNS[id].BAD)) >= minimum
    assert len(list_examples(PATTERNS[id].GOOD)) >= minimum


def test_pattern_imports_from_at_most_three_modules():
    assert {id: modules for id, pattern in PATTERNS.items() if len(modules := find_imports(pattern)) > 3} == {}
    assert find_imports(PATTERNS["SPEC-005"]) == {
        "actions.project.missing_targets",
        "actions.skill",
    }


def test_file_names_give_the_ids_of_patterns():
    assert [
        (id, pattern)
        for patterns in (PATTERNS, get_session_patterns())
        for id, pattern in patterns.items()
        if pattern.PATTERN.id != id
    ] == []


def test_session_patterns_have_session_ids():
    assert [id for id, pattern in PATTERNS.items() if pattern.PATTERN.from_sessions] == [
        id for id in PATTERNS if id[:4] == "SES-"
    ]


@pytest.mark.parametrize("id", PATTERNS)
def test_pattern_without_model_has_a_check(id):
    assert PATTERNS[id].PATTERN.asks_model or id in PROVEN


@pytest.mark.parametrize("id", PATTERNS)
def test_pattern_strategies_exist(id):
    for name in PATTERNS[id].PATTERN.strategies:
        strategy = find_strategy(name)
        assert strategy is not None or name in DRAFTED, name
        assert strategy is None or name in DRAFTED or id in strategy.STRATEGY.fixes, name


def test_fixed_pattern_names_its_strategy():
    for name, strategy in get_strategies().items():
        for id in strategy.STRATEGY.fixes:
            assert name in PATTERNS[id].PATTERN.strategies, f"{id} does not name {name}"
