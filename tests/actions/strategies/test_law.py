"""The law of every strategy: it mends its BEFORE into its AFTER, and the proof of a fix holds."""

import pytest

from actions.example import example_case, example_files
from actions.findings import scan
from actions.issues import issues_of
from actions.patterns import all_patterns
from actions.proof.prove import Promise, prove
from actions.strategies import all_strategies

CASES = [
    pytest.param(module, before, after, id=f"{name}-{n}")
    for name, module in all_strategies().items()
    for n, (before, after) in enumerate(zip(module.BEFORE, module.AFTER, strict=True), 1)
]


def mend_all(module, case):
    """Apply the strategy to the issues it mends, one after the other; give each step's case."""
    steps = [case]
    for _ in range(10):
        found = scan(steps[-1])
        mine = [i for i in issues_of(found) if i.pattern in module.STRATEGY.mends]
        drafts = ((issue, module.propose(issue, steps[-1])) for issue in mine)
        issue, draft = next(((i, d) for i, d in drafts if d is not None), (None, None))
        if draft is None:
            break
        after = steps[-1].with_skill(steps[-1].skill.replaced(draft.writes))
        promise = Promise.of(draft, {issue.fingerprint})
        proof = prove(steps[-1], after, found, promise)
        assert proof.passed, proof.reasons
        steps.append(after)
    return steps


@pytest.mark.parametrize(("module", "before", "after"), CASES)
def test_strategy_turns_before_into_after_and_the_proof_holds(module, before, after):
    case = example_case(before)
    mended = mend_all(module, case)[-1]
    assert {f.path: f.text for f in mended.skill.files} == dict(example_files(after))


@pytest.mark.parametrize(("module", "before", "after"), CASES)
def test_its_patterns_see_before_and_are_silent_on_after(module, before, after):
    mends = set(module.STRATEGY.mends)
    assert mends & {f.pattern.id for f in scan(example_case(before)).open}
    assert not mends & {f.pattern.id for f in scan(example_case(after)).open}


@pytest.mark.parametrize(("module", "before", "after"), CASES)
def test_no_other_pattern_sees_more_after(module, before, after):
    def counts(example):
        found = [f.pattern.id for f in scan(example_case(example)).findings]
        return {id: found.count(id) for id in all_patterns()}

    was, now = counts(before), counts(after)
    assert {id for id in now if now[id] > was[id]} == set()


@pytest.mark.parametrize("name", all_strategies())
def test_strategy_has_a_page_and_examples(name):
    module = all_strategies()[name]
    assert (module.__doc__ or "").strip()
    assert len(module.BEFORE) == len(module.AFTER) >= 2
