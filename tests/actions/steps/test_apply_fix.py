"""One fix whole: a rehearsal first, then written and proven; redrafted, refused or given up where it must be."""

from dataclasses import replace

import pytest

from actions.scoring.quality import count_tokens
from actions.steps.apply_fix import act
from actions.steps.outcome import Apply, Keep
from actions.steps.propose_fixes import act as propose
from actions.steps.select_fixes import act as select
from schemas.records import ChangeMade
from schemas.vocabulary import Family, FixStatus, IssueStatus, Risk, Verification
from tests.fakes import HEAD, a_case, a_pattern, a_strategy, birds, in_verify, install, softened, tools

BODY = "A tall CRANE.\n\nA grey HERON.\n"


@pytest.fixture(autouse=True)
def catalogue(monkeypatch):
    birds(monkeypatch)


def selected(case):
    """Give the state in which all fixes are selected, and the case that knows their contents."""
    state = in_verify(case)
    outcome = propose(state, case, tools())
    state = replace(state, **outcome.changes)
    state = replace(state, **select(state, case, tools()).changes)
    hashes = [c.sha256_after for f in state.proposed_fixes for c in f.changes]
    contents = {
        h: data for e in outcome.effects if isinstance(e, Keep) for h, data in zip(hashes, e.contents, strict=True)
    }
    return state, replace(case, contents=contents)


def the_apply(outcome):
    (apply,) = [e for e in outcome.effects if isinstance(e, Apply)]
    return apply


def statuses(changes):
    return {f.id: f.status for f in changes["proposed_fixes"]}


def made(fix):
    return tuple(ChangeMade(c.file, c.action, 0o644, c.sha256_before, c.sha256_after) for c in fix.changes)


def written(case, outcome):
    """Give the case after the disk took the fix."""
    kept = {c.sha256_after: data for e in outcome.effects if isinstance(e, Keep) for c, data in
            zip(the_apply(outcome).fix.changes, e.contents, strict=False)}  # fmt: skip
    contents = {**case.contents, **kept}
    return case.skill.with_files({c.file: contents[c.sha256_after] for c in the_apply(outcome).fix.changes})


def test_apply_keeps_a_fix_that_the_disk_proves():
    state, case = selected(a_case(BODY))
    outcome = act(state, case, tools())
    assert (outcome.trigger, outcome.changes) == ("verify", {})
    apply = the_apply(outcome)
    settled = apply.settle(written(case, outcome), made(apply.fix))
    assert settled.stays
    assert statuses(settled.changes) == {"FIX-001": FixStatus.APPLIED, "FIX-002": FixStatus.SELECTED}
    assert settled.changes["pending_fixes"] == ("FIX-002",)
    (entry,) = settled.changes["applied_fixes"]
    assert (entry.verification_result, entry.success, entry.rollback_available) == (Verification.PASS, True, True)
    assert {i.pattern: i.status for i in settled.changes["issues"]} == {
        "AGT-001": IssueStatus.RESOLVED,
        "CTX-001": IssueStatus.OPEN,
    }
    current = settled.changes["rounds"][-1]
    assert (current.fixes_kept, current.measured) == (("FIX-001",), False)
    assert settled.changes["target_skill"].files["SKILL.md"] == apply.fix.changes[0].sha256_after


def test_applied_fix_records_its_effect():
    case = a_case(BODY)
    state, case = selected(case)
    apply = the_apply(act(state, case, tools()))
    (entry,) = apply.settle(written(case, act(state, case, tools())), made(apply.fix)).changes["applied_fixes"]
    before, after = entry.effect.before, entry.effect.after
    assert (before.score, before.counts.high, after.score, after.counts.high) == (84, 2, 92, 1)
    assert before.tokens == count_tokens(case.skill)
    assert {i.id: i.pattern for i in state.issues}[entry.effect.resolved[0]] == "AGT-001"
    assert (len(entry.effect.resolved), entry.effect.found) == (1, ())


def test_apply_trusts_the_disk_not_the_rehearsal():
    state, case = selected(a_case(BODY))
    apply = the_apply(act(state, case, tools()))
    settled = apply.settle(case.skill, made(apply.fix))
    assert not settled.stays
    assert statuses(settled.changes)["FIX-001"] is FixStatus.ROLLED_BACK
    (entry,) = settled.changes["applied_fixes"]
    assert (entry.verification_result, entry.success) == (Verification.ROLLED_BACK, False)
    assert "AGT-001 is still found" in entry.reason
    assert "issues" not in settled.changes


def test_apply_never_writes_a_fix_that_fails_in_rehearsal():
    state, case = selected(a_case("A black RAVEN that knows its way home.\n"))
    outcome = act(state, case, tools())
    assert outcome.effects == ()
    assert statuses(outcome.changes) == {"FIX-001": FixStatus.ROLLED_BACK}
    (entry,) = outcome.changes["applied_fixes"]
    assert (entry.verification_result, entry.changes_made) == (Verification.FAIL, ())
    assert entry.reason.startswith("failed its check, nothing was written: ")
    assert outcome.changes["pending_fixes"] == ()


def test_apply_reports_a_refusal_of_the_workspace():
    state, case = selected(a_case(BODY))
    changes = the_apply(act(state, case, tools())).refused("it is a pipe")
    assert statuses(changes)["FIX-001"] is FixStatus.REFUSED
    assert changes["proposed_fixes"][0].reason == "it is a pipe"
    assert changes["pending_fixes"] == ("FIX-002",)


def test_apply_does_not_touch_an_edited_file():
    state, case = selected(a_case(BODY))
    edited = case.with_skill(case.skill.with_files({"SKILL.md": (HEAD + BODY + "My own words.\n").encode()}))
    outcome = act(state, edited, tools())
    assert outcome.effects == ()
    assert statuses(outcome.changes)["FIX-001"] is FixStatus.REFUSED
    assert outcome.changes["proposed_fixes"][0].reason == "a file that it changes was edited meanwhile"


def test_apply_drafts_the_next_fix_from_the_new_text():
    state, case = selected(a_case(BODY))
    first = act(state, case, tools())
    skill = written(case, first)
    state = replace(state, **the_apply(first).settle(skill, made(the_apply(first).fix)).changes)
    second = act(state, case.with_skill(skill), tools())
    fix = the_apply(second).fix
    assert (fix.id, fix.strategy, fix.status) == ("FIX-002", "calm_heron", FixStatus.SELECTED)
    assert fix.changes[0].sha256_before == skill.main.sha256
    after = written(case.with_skill(skill), second)
    assert after.main.text == HEAD + "A tall crane.\n\nA grey heron.\n", "both fixes stand"
    assert the_apply(second).settle(after, made(fix)).stays


def test_apply_keeps_two_fixes_of_one_line():
    state, case = selected(a_case("A CRANE and a HERON.\n"))
    assert [f.changes[0].diff.splitlines()[-1] for f in state.proposed_fixes] == [
        "+A crane and a HERON.",
        "+A CRANE and a heron.",
    ]
    state, case = after_the_first(state, case)
    second = act(state, case, tools())
    assert the_apply(second).fix.changes[0].diff.splitlines()[-1] == "+A crane and a heron."
    after = written(case, second)
    assert the_apply(second).settle(after, made(the_apply(second).fix)).stays
    assert after.main.text == HEAD + "A crane and a heron.\n"


def test_apply_refuses_a_fix_whose_issue_is_already_fixed(monkeypatch):
    def both(line, case):
        return line.replace("CRANE", "crane").replace("HERON", "heron")

    install(
        monkeypatch,
        [a_pattern("AGT-001", "CRANE", "both"), a_pattern("CTX-001", "HERON", "calm")],
        [a_strategy("both", both), a_strategy("calm", softened("HERON", "heron"))],
    )
    state, case = selected(a_case("A CRANE and a HERON.\n"))
    first = act(state, case, tools())
    skill = written(case, first)
    state = replace(state, **the_apply(first).settle(skill, made(the_apply(first).fix)).changes)
    if state.pending_fixes:
        second = act(state, case.with_skill(skill), tools())
        assert second.changes["proposed_fixes"][1].reason == "what it fixes is gone already"


def test_apply_leaves_findings_out_of_focus_out():
    state, case = selected(a_case(BODY + "\nA GOOSE.\n"))
    state = replace(state, issues=tuple(i for i in state.issues if i.pattern == "AGT-001"))
    outcome = act(state, case, tools())
    settled = the_apply(outcome).settle(written(case, outcome), made(the_apply(outcome).fix))
    assert [i.pattern for i in settled.changes["issues"]] == ["AGT-001"]


def test_apply_keeps_an_unexpected_edit_of_another_file():
    state, case = selected(a_case(BODY, references__more="Old words.\n"))
    edited = case.with_skill(case.skill.with_files({"references/more.md": b"My own words.\n"}))
    outcome = act(state, edited, tools())
    settled = the_apply(outcome).settle(written(edited, outcome), made(the_apply(outcome).fix))
    files = settled.changes["target_skill"].files
    assert files["references/more.md"] == case.skill.by_path["references/more.md"].sha256
    assert files["SKILL.md"] == the_apply(outcome).fix.changes[0].sha256_after


def after_the_first(state, case):
    first = act(state, case, tools())
    skill = written(case, first)
    state = replace(state, **the_apply(first).settle(skill, made(the_apply(first).fix)).changes)
    return state, case.with_skill(skill)


def two_birds(monkeypatch, strategies):
    install(
        monkeypatch,
        [
            a_pattern("AGT-001", "CRANE", "calm_crane"),
            a_pattern("CTX-001", "HERON", *(s.STRATEGY.name for s in strategies), family=Family.CONTEXT),
        ],
        [a_strategy("calm_crane", softened("CRANE", "crane")), *strategies],
    )


def later(word, new):
    return lambda line, case: line.replace(word, new) if "crane" in case.skill.main.text else None


def test_apply_drafts_anew_with_the_selected_strategy(monkeypatch):
    strategies = [a_strategy("hush", later("HERON", "bird")), a_strategy("calm", softened("HERON", "heron"))]
    two_birds(monkeypatch, strategies)
    state, case = after_the_first(*selected(a_case(BODY)))
    fix = the_apply(act(state, case, tools())).fix
    assert (fix.id, fix.strategy) == ("FIX-002", "calm")


def test_apply_refuses_a_new_draft_of_higher_risk(monkeypatch):
    calm = a_strategy("calm", softened("HERON", "heron"))
    two_birds(monkeypatch, [calm])
    state, case = after_the_first(*selected(a_case(BODY)))
    calm.STRATEGY = replace(calm.STRATEGY, risk=Risk.HIGH)
    outcome = act(state, case, tools())
    assert outcome.effects == ()
    assert statuses(outcome.changes)["FIX-002"] is FixStatus.REFUSED
    assert "of high risk" in outcome.changes["proposed_fixes"][1].reason
