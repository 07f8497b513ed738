"""Test how a fix is rehearsed, written and verified, and when it is drafted again, refused or undone."""

from hashlib import sha256

import pytest
from msgspec.structs import replace

from actions.fixes.invariants import prove
from actions.scoring.quality import count_tokens
from actions.skill import parse_skill
from actions.steps.apply_fix import act as apply_fix
from actions.steps.continue_with import continue_with
from actions.steps.outcome import NotWritten, Undo, Undone, Written
from actions.steps.propose_fixes import act as propose
from actions.steps.select_fixes import act as select
from schemas.records import ChangeMade
from schemas.vocabulary import Family, FixStatus, IssueStatus, Risk, Verification
from tests.fakes import (
    SKILL_HEADER,
    install_catalogue,
    install_word_catalogue,
    make_case,
    make_diagnosed_state,
    make_pattern,
    make_strategy,
    make_tools,
    replace_word,
)

BODY = "A tall FIXABLE.\n\nA grey RISKY.\n"


@pytest.fixture(autouse=True)
def catalogue(monkeypatch):
    install_word_catalogue(monkeypatch)


def select_all_fixes(case):
    """Return the state with all fixes selected, and the case with the contents of the fixes."""
    state = make_diagnosed_state(case)
    outcome = propose(state, case, make_tools())
    state = outcome.state
    state = select(state, case, make_tools()).state
    contents = {sha256(data).hexdigest(): data for data in outcome.effect.contents}
    return state, replace(case, contents=contents)


def map_statuses(state):
    return {f.id: f.status for f in state.proposed_fixes}


def list_made_changes(fix):
    return tuple(ChangeMade(c.file, c.action, 0o644, c.sha256_before, c.sha256_after) for c in fix.changes)


def build_written_skill(case, outcome):
    """Return the skill as it is after the fix was written."""
    new_contents = {sha256(data).hexdigest(): data for data in outcome.effect.contents}
    contents = {**case.contents, **new_contents}
    return case.skill.with_files({c.file: contents[c.sha256_after] for c in outcome.effect.fix.changes})


def verify_written_fix(case, outcome, skill=None):
    """Return the outcome of the verification of a written fix.

    skill: the skill as it is read from disk. By default it is what the fix wrote.
    """
    result = Written(outcome.effect, skill or build_written_skill(case, outcome), list_made_changes(outcome.effect.fix))
    return continue_with(result, outcome, case, make_tools())


def test_apply_keeps_a_fix_that_works_on_disk():
    state, case = select_all_fixes(make_case(BODY))
    outcome = apply_fix(state, case, make_tools())
    assert outcome.state == state, "nothing is recorded before the fix is written"
    outcome_after = verify_written_fix(case, outcome)
    assert outcome_after.effect is None
    assert map_statuses(outcome_after.state) == {"FIX-001": FixStatus.APPLIED, "FIX-002": FixStatus.SELECTED}
    assert outcome_after.state.pending_fixes == ("FIX-002",)
    (entry,) = outcome_after.state.applied_fixes
    assert (entry.verification_result, entry.success, entry.rollback_available) == (Verification.PASS, True, True)
    assert {i.pattern: i.status for i in outcome_after.state.issues} == {
        "AGT-001": IssueStatus.RESOLVED,
        "CTX-001": IssueStatus.OPEN,
    }
    current = outcome_after.state.rounds[-1]
    assert (current.fixes_kept, current.measured) == (("FIX-001",), False)
    assert outcome_after.state.target_skill.files["SKILL.md"] == outcome.effect.fix.changes[0].sha256_after


def test_applied_fix_records_its_effect():
    state, case = select_all_fixes(make_case(BODY))
    (entry,) = verify_written_fix(case, apply_fix(state, case, make_tools())).state.applied_fixes
    before, after = entry.effect.before, entry.effect.after
    assert (before.score, before.counts.high, after.score, after.counts.high) == (84, 2, 92, 1)
    assert before.tokens == count_tokens(case.skill)
    assert {i.id: i.pattern for i in state.issues}[entry.effect.resolved[0]] == "AGT-001"
    assert (len(entry.effect.resolved), entry.effect.found) == (1, ())


def test_apply_verifies_the_files_on_disk_not_the_rehearsal():
    state, case = select_all_fixes(make_case(BODY))
    outcome_after = verify_written_fix(case, apply_fix(state, case, make_tools()), skill=case.skill)
    assert outcome_after.effect == Undo("FIX-001")
    assert map_statuses(outcome_after.state)["FIX-001"] is FixStatus.ROLLED_BACK
    (entry,) = outcome_after.state.applied_fixes
    assert (entry.verification_result, entry.success) == (Verification.ROLLED_BACK, False)
    assert "AGT-001 is still found" in entry.reason
    assert outcome_after.state.issues == state.issues
    outcome_after_undo = continue_with(Undone("FIX-001", ("SKILL.md",)), outcome_after, case, make_tools())
    assert outcome_after_undo.effect is None
    assert outcome_after_undo.state.notes == ("FIX-001: not undone, because of edits in SKILL.md",)


def test_apply_never_writes_a_fix_that_fails_in_rehearsal():
    state, case = select_all_fixes(make_case("A black LOSSY that knows its way home.\n"))
    outcome = apply_fix(state, case, make_tools())
    assert outcome.effect is None
    assert map_statuses(outcome.state) == {"FIX-001": FixStatus.ROLLED_BACK}
    (entry,) = outcome.state.applied_fixes
    assert (entry.verification_result, entry.changes_made) == (Verification.FAIL, ())
    assert entry.reason.startswith("failed its check, nothing was written: ")
    assert outcome.state.pending_fixes == ()


def test_apply_reports_a_refusal_of_the_workspace():
    state, case = select_all_fixes(make_case(BODY))
    outcome = apply_fix(state, case, make_tools())
    outcome_after = continue_with(NotWritten(outcome.effect, "it is a pipe"), outcome, case, make_tools())
    assert outcome_after.effect is None
    assert map_statuses(outcome_after.state)["FIX-001"] is FixStatus.REFUSED
    assert outcome_after.state.proposed_fixes[0].reason == "it is a pipe"
    assert outcome_after.state.pending_fixes == ("FIX-002",)


def test_apply_does_not_touch_an_edited_file():
    state, case = select_all_fixes(make_case(BODY))
    edited_case = case.with_skill(
        case.skill.with_files({"SKILL.md": (SKILL_HEADER + BODY + "My own words.\n").encode()})
    )
    outcome = apply_fix(state, edited_case, make_tools())
    assert outcome.effect is None
    assert map_statuses(outcome.state)["FIX-001"] is FixStatus.REFUSED
    assert outcome.state.proposed_fixes[0].reason.startswith("a file that the fix changes was edited meanwhile: ")


def test_apply_drafts_the_next_fix_from_the_new_text():
    state, case = select_all_fixes(make_case(BODY))
    first = apply_fix(state, case, make_tools())
    skill = build_written_skill(case, first)
    second = apply_fix(verify_written_fix(case, first).state, case.with_skill(skill), make_tools())
    fix = second.effect.fix
    assert (fix.id, fix.strategy, fix.status) == ("FIX-002", "correct_risky", FixStatus.SELECTED)
    assert fix.changes[0].sha256_before == skill.main.sha256
    after = build_written_skill(case.with_skill(skill), second)
    assert after.main.text == SKILL_HEADER + "A tall fixable.\n\nA grey risky.\n", "both fixes are applied"
    assert verify_written_fix(case.with_skill(skill), second).effect is None


def test_apply_keeps_two_fixes_of_one_line():
    state, case = select_all_fixes(make_case("A FIXABLE and a RISKY.\n"))
    assert [f.changes[0].diff.splitlines()[-1] for f in state.proposed_fixes] == [
        "+A fixable and a RISKY.",
        "+A FIXABLE and a risky.",
    ]
    state, case = apply_first_fix(state, case)
    second = apply_fix(state, case, make_tools())
    assert second.effect.fix.changes[0].diff.splitlines()[-1] == "+A fixable and a risky."
    after = build_written_skill(case, second)
    assert verify_written_fix(case, second).effect is None
    assert after.main.text == SKILL_HEADER + "A fixable and a risky.\n"


def test_apply_refuses_a_fix_whose_issue_is_already_fixed(monkeypatch):
    def both(line, case):
        return line.replace("FIXABLE", "fixable").replace("RISKY", "risky")

    install_catalogue(
        monkeypatch,
        [make_pattern("AGT-001", "FIXABLE", "both"), make_pattern("CTX-001", "RISKY", "calm")],
        [make_strategy("both", both), make_strategy("calm", replace_word("RISKY", "risky"))],
    )
    state, case = select_all_fixes(make_case("A FIXABLE and a RISKY.\n"))
    first = apply_fix(state, case, make_tools())
    state = verify_written_fix(case, first).state
    if state.pending_fixes:
        second = apply_fix(state, case.with_skill(build_written_skill(case, first)), make_tools())
        assert second.state.proposed_fixes[1].reason == "another fix has already resolved its findings"


def test_apply_ignores_findings_outside_the_focus():
    state, case = select_all_fixes(make_case(BODY + "\nA NOFIX.\n"))
    state = replace(state, issues=tuple(i for i in state.issues if i.pattern == "AGT-001"))
    assert [i.pattern for i in verify_written_fix(case, apply_fix(state, case, make_tools())).state.issues] == [
        "AGT-001"
    ]


def test_apply_keeps_an_unexpected_edit_of_another_file():
    state, case = select_all_fixes(make_case(BODY, references__more="Old words.\n"))
    edited_case = case.with_skill(case.skill.with_files({"references/more.md": b"My own words.\n"}))
    outcome = apply_fix(state, edited_case, make_tools())
    files = verify_written_fix(edited_case, outcome).state.target_skill.files
    assert files["references/more.md"] == case.skill.by_path["references/more.md"].sha256
    assert files["SKILL.md"] == outcome.effect.fix.changes[0].sha256_after


def apply_first_fix(state, case):
    """Return the state and the case after the first selected fix was applied and verified."""
    first = apply_fix(state, case, make_tools())
    return verify_written_fix(case, first).state, case.with_skill(build_written_skill(case, first))


def install_two_patterns(monkeypatch, strategies):
    """Install a pattern for FIXABLE with one strategy, and a pattern for RISKY with the given strategies."""
    install_catalogue(
        monkeypatch,
        [
            make_pattern("AGT-001", "FIXABLE", "correct_fixable"),
            make_pattern("CTX-001", "RISKY", *(s.STRATEGY.name for s in strategies), family=Family.CONTEXT),
        ],
        [make_strategy("correct_fixable", replace_word("FIXABLE", "fixable")), *strategies],
    )


def replace_word_after_first_fix(word, new):
    """Return a function that replaces a word in a line, but only after FIXABLE was replaced by `fixable`."""
    return lambda line, case: line.replace(word, new) if "fixable" in case.skill.main.text else None


def test_apply_drafts_again_with_the_selected_strategy(monkeypatch):
    strategies = [
        make_strategy("hush", replace_word_after_first_fix("RISKY", "bird")),
        make_strategy("calm", replace_word("RISKY", "risky")),
    ]
    install_two_patterns(monkeypatch, strategies)
    state, case = apply_first_fix(*select_all_fixes(make_case(BODY)))
    fix = apply_fix(state, case, make_tools()).effect.fix
    assert (fix.id, fix.strategy) == ("FIX-002", "calm")


def test_apply_refuses_a_new_draft_of_higher_risk(monkeypatch):
    calm = make_strategy("calm", replace_word("RISKY", "risky"))
    install_two_patterns(monkeypatch, [calm])
    state, case = apply_first_fix(*select_all_fixes(make_case(BODY)))
    calm.STRATEGY = replace(calm.STRATEGY, risk=Risk.HIGH)
    outcome = apply_fix(state, case, make_tools())
    assert outcome.effect is None
    assert map_statuses(outcome.state)["FIX-002"] is FixStatus.REFUSED
    assert "has high risk" in outcome.state.proposed_fixes[1].reason


# Many similar fixes are merged into one.


def write_faulty_lines(count, lossy_lines=()):
    """Return a text of many lines that contain FIXABLE. The lines with a number in `lossy_lines` contain EVIL FIXABLE."""
    return "".join(
        f"The {'EVIL FIXABLE' if n in lossy_lines else 'FIXABLE'} number {n} goes by.\n\n" for n in range(count)
    )


def install_strategy_failing_for_lossy_lines(monkeypatch):
    """Install a strategy for FIXABLE. Its fix for a line with EVIL FIXABLE loses a rule, so that its check rejects it."""

    def rewrite(line, case):
        return "Nothing." if "EVIL" in line else line.replace("FIXABLE", "fixable")

    calm = make_strategy("calm", rewrite)
    propose_draft = calm.propose

    def propose_without_rewrites(issue, case):
        draft = propose_draft(issue, case)
        return replace(draft, rewrites=()) if b"Nothing." in draft.writes["SKILL.md"] else draft

    calm.propose = propose_without_rewrites
    install_catalogue(monkeypatch, [make_pattern("AGT-001", "FIXABLE", "calm")], [calm])


def test_merged_fix_omits_only_its_failing_parts(monkeypatch):
    install_strategy_failing_for_lossy_lines(monkeypatch)
    state, case = select_all_fixes(make_case(write_faulty_lines(30, lossy_lines=(7, 20))))
    assert map_statuses(state) == {"FIX-001": FixStatus.SELECTED}
    outcome = apply_fix(state, case, make_tools())
    outcome_after = verify_written_fix(case, outcome)
    assert map_statuses(outcome_after.state) == {
        "FIX-001": FixStatus.APPLIED,
        "FIX-002": FixStatus.ROLLED_BACK,
        "FIX-003": FixStatus.ROLLED_BACK,
    }
    assert [len(fix.issue_ids) for fix in outcome_after.state.proposed_fixes] == [28, 1, 1]
    assert outcome_after.state.proposed_fixes[0].description.startswith("28 similar changes in 1 file")
    assert build_written_skill(case, outcome).main.text.count("FIXABLE") == 2
    assert [(applied_fix.fix_id, applied_fix.success) for applied_fix in outcome_after.state.applied_fixes] == [
        ("FIX-002", False), ("FIX-003", False), ("FIX-001", True),
    ]  # fmt: skip
    assert outcome_after.state.applied_fixes[0].reason.startswith("failed its check, nothing was written: ")
    assert outcome_after.state.pending_fixes == ()
    assert sum(i.status is IssueStatus.OPEN for i in outcome_after.state.issues) == 2


def test_merged_fix_leaves_untried_parts_to_the_next_round(monkeypatch):
    install_strategy_failing_for_lossy_lines(monkeypatch)
    state, case = select_all_fixes(make_case(write_faulty_lines(60, lossy_lines=range(10, 60))))
    outcome_after = verify_written_fix(case, apply_fix(state, case, make_tools())).state
    failed_fixes = [fix for fix in outcome_after.proposed_fixes if fix.status is FixStatus.ROLLED_BACK]
    assert len(outcome_after.proposed_fixes[0].issue_ids) == 10
    assert len(outcome_after.rounds[-1].untried) == 50 - len(failed_fixes) > 0
    next_state = propose(outcome_after, case, make_tools()).state
    assert len(next_state.proposed_fixes) > len(outcome_after.proposed_fixes), "the untried parts are proposed again"


def test_merged_fix_is_rejected_if_no_part_passes(monkeypatch):
    install_strategy_failing_for_lossy_lines(monkeypatch)
    state, case = select_all_fixes(make_case(write_faulty_lines(22, lossy_lines=range(22))))
    outcome = apply_fix(state, case, make_tools())
    assert outcome.effect is None
    assert map_statuses(outcome.state) == {"FIX-001": FixStatus.ROLLED_BACK}


def test_merged_fix_is_drafted_again_after_another_fix(monkeypatch):
    install_strategy_failing_for_lossy_lines(monkeypatch)
    state, case = select_all_fixes(make_case(write_faulty_lines(30) + "A RISKY.\n"))
    edited_text = case.skill.main.text.replace("RISKY", "risky").encode()
    files = {"SKILL.md": sha256(edited_text).hexdigest()}
    state = replace(state, target_skill=replace(state.target_skill, files=files))
    case = case.with_skill(case.skill.with_files({"SKILL.md": edited_text}))
    outcome = apply_fix(state, case, make_tools())
    assert (len(outcome.effect.fix.issue_ids), outcome.effect.fix.status) == (30, FixStatus.SELECTED)
    assert (
        build_written_skill(case, outcome).main.text
        == SKILL_HEADER + write_faulty_lines(30).replace("FIXABLE", "fixable") + "A risky.\n"
    )


def test_skill_written_as_rehearsed_is_not_scanned_again(monkeypatch):
    state, case = select_all_fixes(make_case(BODY))
    outcome = apply_fix(state, case, make_tools())
    after = outcome.effect.rehearsal.after.skill

    def scan_again(*_, **_named):
        raise AssertionError("scanned again")

    monkeypatch.setattr(prove, "scan", scan_again)
    reread_skill = parse_skill(after.folder, {file.path: file.raw for file in after.files})
    assert verify_written_fix(case, outcome, skill=reread_skill).effect is None
    with pytest.raises(AssertionError, match="scanned again"):
        verify_written_fix(case, outcome, skill=after.with_files({"references/new.md": b"x\n"}))
