"""Test that every strategy turns its BEFORE into its AFTER and keeps the invariants."""

from collections import Counter

import pytest

from actions.fixes.invariants.prove import Promise, prove
from actions.fixes.strategies import DRAFTED, all_strategies, find_strategy
from actions.patterns import all_patterns
from actions.scoring.issues import make_issues
from actions.scoring.scan import scan
from actions.skill.example import example_files
from actions.skill.frontmatter_keys import SAYING
from schemas.vocabulary import Risk
from tests.actions.fixes.strategies.issues import read_issue
from tests.examples import example_case

CASES = [
    pytest.param(module, before, after, id=f"{name}-{n}")
    for name, module in all_strategies().items()
    for n, (before, after) in enumerate(zip(module.BEFORE, module.AFTER, strict=True), 1)
]


def found_in(module, case):
    return [issue for issue in make_issues(scan(case)) if issue.pattern in module.STRATEGY.fixes]


def fix_all(module, case):
    """Apply the strategy to its issues, one after the other, until none is left to fix."""
    for _ in range(10):
        drafts = ((issue, module.propose(issue, case)) for issue in found_in(module, case))
        issue, draft = next(((i, d) for i, d in drafts if d is not None), (None, None))
        if draft is None:
            return case
        after = case.with_skill(case.skill.with_files(draft.writes))
        promise = Promise({issue.fingerprint}, tuple(draft.drops), draft.token_limit, tuple(draft.rewrites))
        proof = prove(case, after, scan(case), promise)
        assert proof.is_passed, proof.reasons
        case = after
    raise AssertionError("the fixes do not end")


@pytest.mark.parametrize(("module", "before", "after"), CASES)
def test_strategy_turns_before_into_after_and_the_proof_holds(module, before, after):
    fixed = fix_all(module, example_case(before))
    assert {f.path: f.text for f in fixed.skill.files} == dict(example_files(after))


@pytest.mark.parametrize(("module", "before", "after"), CASES)
def test_strategy_patterns_find_before_and_not_after(module, before, after):
    fixed_patterns = set(module.STRATEGY.fixes)
    assert fixed_patterns & {f.pattern.id for f in scan(example_case(before)).open}
    assert not fixed_patterns & {f.pattern.id for f in scan(example_case(after)).open}


@pytest.mark.parametrize(("module", "before", "after"), CASES)
def test_strategy_adds_no_finding_of_another_pattern(module, before, after):
    was, now = (Counter(f.pattern.id for f in scan(example_case(e)).findings) for e in (before, after))
    assert not now - was


@pytest.mark.parametrize(("module", "before", "after"), CASES)
def test_strategy_does_not_change_fixed_text(module, before, after):
    case = example_case(after)
    for pattern in module.STRATEGY.fixes:
        for file in case.skill.files:
            for line in range(1, len(file.doc.lines) + 1):
                assert module.propose(read_issue(pattern, file.path, line), case) is None


@pytest.mark.parametrize(("module", "before", "after"), CASES)
def test_strategy_that_switches_something_on_or_off_has_a_high_risk(module, before, after):
    case = example_case(before)
    was, now = (example_case(each).skill.frontmatter.values for each in (before, after))
    switched = {key for key in was.keys() | now.keys() if was.get(key) != now.get(key)} - SAYING
    drafts = filter(None, (module.propose(issue, case) for issue in found_in(module, case)))
    risks = {draft.risk or module.STRATEGY.risk for draft in drafts}
    assert not switched or Risk.HIGH in risks


@pytest.mark.parametrize("name", all_strategies())
def test_strategy_has_a_page_and_is_named_by_its_patterns(name):
    module = all_strategies()[name]
    assert (module.__doc__ or "").strip()
    assert len(module.BEFORE) == len(module.AFTER) >= 2
    for id in module.STRATEGY.fixes:
        assert name in all_patterns()[id].PATTERN.strategies


def test_drafted_strategies_have_no_module():
    assert not DRAFTED.keys() & all_strategies().keys()
    assert [find_strategy(name) for name in DRAFTED] == [None] * len(DRAFTED)
    assert all(title.endswith(".") for title in DRAFTED.values())
