"""Test that every strategy turns its example BEFORE into its example AFTER and keeps the invariants."""

from collections import Counter

import pytest

from actions.fixes.records import build_fix
from actions.fixes.rehearsal import check_by_parsers
from actions.fixes.strategies import DRAFTED, find_strategy, get_strategies
from actions.patterns import get_patterns
from actions.scoring.issues import make_issues
from actions.scoring.scan import scan
from actions.skill.frontmatter_keys import DESCRIPTIVE_KEYS
from schemas.vocabulary import Risk, UnitKind
from tests.actions.fixes.strategies.issues import make_read_issue
from tests.examples import list_unit_cases, make_example_case, make_project

CASES = [
    pytest.param(module, before, after, id=f"{name}-{n}")
    for name, module in get_strategies().items()
    for n, (before, after) in enumerate(zip(module.BEFORE, module.AFTER, strict=True), 1)
]


def is_of_project(module):
    """Return whether the examples of a strategy are projects instead of skills."""
    return all(name.startswith("PRJ-") for name in module.STRATEGY.fixes)


def list_cases(module, example):
    """Return the case of a skill, or of each unit of a project."""
    return list_unit_cases(make_project(example)) if is_of_project(module) else [make_example_case(example)]


def list_issues_of_strategy(module, case):
    return [issue for issue in make_issues(scan(case)) if issue.pattern in module.STRATEGY.fixes]


def list_findings(module, example):
    return [finding for case in list_cases(module, example) for finding in scan(case).findings]


def read_files(case):
    """Return the text and mode of each file of a project or a skill."""
    if case.skill.kind is UnitKind.SKILL:
        return {file.path: (file.text, False) for file in case.skill.files}
    project = case.project
    return {path: (project.read_bytes(path).decode(), file.is_executable) for path, file in project.files.items()}


def fix_all(module, cases):
    """Fix the issues of the strategy one by one until none is left, and return the resulting case."""
    for _ in range(10):
        drafts = (
            (case, issue, module.propose(issue, case))
            for case in cases
            for issue in list_issues_of_strategy(module, case)
        )
        case, issue, draft = next((row for row in drafts if row[2] is not None), (cases[0], None, None))
        if draft is None:
            return case
        fix = build_fix("FIX-001", module.STRATEGY.name, draft, [issue], case, 1, Risk.LOW)
        after = case.with_files(draft.writes, draft.executable)
        proof = check_by_parsers(case, after, scan(case), fix, [issue])
        assert proof.is_passed, proof.reasons
        cases = list_unit_cases(after.project) if is_of_project(module) else [after]
    raise AssertionError("issues remain after ten fixes")


@pytest.mark.parametrize(("module", "before", "after"), CASES)
def test_strategy_turns_before_into_after_and_the_proof_holds(module, before, after):
    fixed_case, expected_case = fix_all(module, list_cases(module, before)), list_cases(module, after)[0]
    assert read_files(fixed_case) == read_files(expected_case)


@pytest.mark.parametrize(("module", "before", "after"), CASES)
def test_strategy_patterns_find_before_and_not_after(module, before, after):
    fixed_patterns = set(module.STRATEGY.fixes)
    assert fixed_patterns & {f.pattern.id for f in list_findings(module, before)}
    assert not fixed_patterns & {f.pattern.id for f in list_findings(module, after)}


@pytest.mark.parametrize(("module", "before", "after"), CASES)
def test_strategy_adds_no_finding_of_another_pattern(module, before, after):
    before_counts, after_counts = (Counter(f.pattern.id for f in list_findings(module, e)) for e in (before, after))
    assert not after_counts - before_counts


@pytest.mark.parametrize(("module", "before", "after"), CASES)
def test_strategy_does_not_change_fixed_text(module, before, after):
    for case in list_cases(module, after):
        for pattern in module.STRATEGY.fixes:
            for file in case.skill.files:
                for line in range(1, len(file.doc.lines) + 1):
                    assert module.propose(make_read_issue(pattern, file.path, line), case) is None


@pytest.mark.parametrize(
    ("module", "before", "after"),
    [parameters for parameters in CASES if not is_of_project(parameters.values[0])],
)
def test_strategy_that_changes_a_behavioural_key_has_high_risk(module, before, after):
    case = make_example_case(before)
    before_values, after_values = (make_example_case(example).skill.frontmatter.values for example in (before, after))
    changed_keys = {
        key for key in before_values.keys() | after_values.keys() if before_values.get(key) != after_values.get(key)
    } - DESCRIPTIVE_KEYS
    drafts = filter(None, (module.propose(issue, case) for issue in list_issues_of_strategy(module, case)))
    risks = {draft.risk or module.STRATEGY.risk for draft in drafts}
    assert not changed_keys or Risk.HIGH in risks


@pytest.mark.parametrize(("module", "before", "after"), CASES)
def test_draft_has_no_more_risk_than_its_strategy_says(module, before, after):
    case = make_example_case(before)
    drafts = filter(None, (module.propose(issue, case) for issue in list_issues_of_strategy(module, case)))
    levels = [*Risk]
    for draft in drafts:
        max_risk = module.STRATEGY.max_risk or module.STRATEGY.risk
        assert levels.index(draft.risk or module.STRATEGY.risk) <= levels.index(max_risk)


@pytest.mark.parametrize("name", get_strategies())
def test_strategy_has_a_page_and_is_named_by_its_patterns(name):
    module = get_strategies()[name]
    assert (module.STRATEGY.name, bool((module.__doc__ or "").strip())) == (name, True)
    assert len(module.BEFORE) == len(module.AFTER) >= 2
    for id in module.STRATEGY.fixes:
        assert name in get_patterns()[id].PATTERN.strategies


def test_drafted_strategies_have_no_module():
    assert not DRAFTED.keys() & get_strategies().keys()
    assert [find_strategy(name) for name in DRAFTED] == [None] * len(DRAFTED)
    assert all(title.endswith(".") for title in DRAFTED.values())
