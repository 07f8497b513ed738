"""Test that a draft announces all that it removes for good, and removes nothing else."""

import pytest
from msgspec.structs import replace

from actions.steps.propose_fixes import act as propose
from schemas.options import Options
from schemas.vocabulary import FixStatus, Risk
from tests.actions.fixes.drafts import BODY, FIRST_EDIT, get_first_fix, run_judged
from tests.fakes import install_catalogue, make_case, make_model_pattern, make_strategy, make_tools, replace_word
from tests.judges import ScriptedJudge, add_finding, make_draft, make_reading, make_review, run_in_memory

pytestmark = pytest.mark.usefixtures("catalogue")


def test_draft_that_removes_a_rule_has_high_risk():
    edits = (FIRST_EDIT, ("SKILL.md", "\n\nKeep the pond clean.", ""))
    answer = make_draft(*edits, removes=["Keep the pond clean."], rewords=["Watch the NOFIX."])
    state, _, _ = run_judged({"draft for ISS-001": answer}, apply="none")
    assert (get_first_fix(state).risk, get_first_fix(state).status) == (Risk.HIGH, FixStatus.PROPOSED)
    assert get_first_fix(state).rationale == "It was loud. The fix permanently removes: “Keep the pond clean.”"
    assert get_first_fix(state).takes_out == ("Keep the pond clean.",)
    state, _, _ = run_judged({"draft for ISS-001": answer}, f"{BODY}\n- Keep the pond clean.\n", apply="none")
    assert (get_first_fix(state).risk, get_first_fix(state).rationale) == (Risk.MEDIUM, "It was loud.")
    state, _, _ = run_judged({"draft for ISS-001": answer}, apply="none", pond="- Keep the pond clean.\n")
    assert get_first_fix(state).risk is Risk.HIGH, "a statement in an unreferenced file applies nowhere else"


def test_copy_stays_if_an_earlier_fix_removed_the_original():
    copies = {"pond": "A FIXABLE is grey.\n\nKeep the pond clean.\n"}
    original_draft = make_draft(
        FIRST_EDIT,
        ("SKILL.md", "\n\nKeep the pond clean.", ""),
        removes=["Keep the pond clean."],
        rewords=["Watch the NOFIX."],
    )
    copy_draft = make_draft(("pond.md", "A FIXABLE is grey.\n\nKeep the pond clean.", "A fixable is grey."),
                  removes=["Keep the pond clean."], rewords=["A FIXABLE is grey."])  # fmt: skip
    body = BODY.replace("FIXABLE", "fixable").replace("It is loud", "It is loud (pond.md)")
    state, case, _ = run_judged({"draft for ISS-001": original_draft, "draft for ISS-002": copy_draft}, body, **copies)
    assert [(f.risk, f.status) for f in state.proposed_fixes] == [
        (Risk.HIGH, FixStatus.APPLIED), (Risk.MEDIUM, FixStatus.ROLLED_BACK)
    ]  # fmt: skip
    assert "the fix loses this sentence: Keep the pond clean." in state.proposed_fixes[1].reason
    assert sum("Keep the pond clean." in file.text for file in case.skill.files) == 1


KEEP, FEED = "Keep the pond clean.", "Feed it at noon."
DISTANT_SECTIONS = "\n## Night\n\nSleep.\n\nWake.\n\nWash.\n\n## Cranes\n\n"


@pytest.mark.parametrize("same_file", [True, False])
@pytest.mark.parametrize("is_original_removed", [True, False])
def test_only_announced_statements_are_removed_for_good(is_original_removed, same_file):
    """One removed sentence is repeated at the top, unless an earlier fix removes it there; the other is not repeated."""
    below = f"A FIXABLE is grey. {KEEP} {FEED}\n"
    top = BODY.replace("FIXABLE", "fixable").replace("It is loud", "It is loud (pond.md)")
    body, other_files = (top + DISTANT_SECTIONS + below, {}) if same_file else (top, {"pond": below})
    crane_draft = make_draft(("SKILL.md" if same_file else "pond.md", below.strip(), "A fixable is grey."), removes=[KEEP, FEED],
                  rewords=["A FIXABLE is grey."])  # fmt: skip
    original_draft = make_draft(
        FIRST_EDIT, ("SKILL.md", f"\n\n{KEEP}\n", "\n"), removes=[KEEP], rewords=["Watch the NOFIX."]
    )
    answers = {
        "draft for ISS-001": original_draft if is_original_removed else make_draft(FIRST_EDIT),
        "draft for ISS-002": crane_draft,
    }
    state, case, _ = run_judged(answers, body, **other_files)
    fix = state.proposed_fixes[1]
    assert (fix.risk, fix.takes_out) == (Risk.HIGH, (FEED,))
    assert fix.rationale.endswith(f"The fix permanently removes: “{FEED}”")
    texts = "".join(file.text for file in case.skill.files)
    if not is_original_removed:
        assert (fix.status, KEEP in texts, FEED in texts) == (FixStatus.APPLIED, True, False)
    elif same_file:
        reason = f"an earlier fix changed this text, and its new draft removes more: {KEEP}"
        assert (fix.status, fix.reason, FEED in texts) == (FixStatus.REFUSED, reason, True)
    else:
        assert (fix.status, fix.reason) == (FixStatus.ROLLED_BACK, f"pond.md: the fix loses this sentence: {KEEP}")


def test_waiting_draft_updates_removals_and_keeps_its_risk():
    pond = {"pond": f"A FIXABLE is grey. {KEEP}\n"}
    removing_draft = make_draft(
        ("pond.md", f"A FIXABLE is grey. {KEEP}", "A fixable is grey."), removes=[KEEP], rewords=["A FIXABLE is grey."]
    )
    judge = ScriptedJudge({"reading": make_reading(), "draft for": removing_draft})
    body = f"{KEEP}\n"
    state, _ = run_in_memory(make_case(body, **pond), judge, options=Options(apply="none", judge="sdk"))
    risks = {}
    for text in (body, "Rest.\n", body):
        case = make_case(text, **pond)
        outcome = propose(replace(state, iteration_count=state.iteration_count + 1), case, make_tools())
        state = outcome.state
        (fix,) = state.proposed_fixes
        risks[fix.rationale] = fix.risk
    assert risks == {"It was loud.": Risk.HIGH, f"It was loud. The fix permanently removes: “{KEEP}”": Risk.HIGH}
    assert fix.takes_out == ()


def test_fix_whose_risk_rises_in_review_is_not_applied(monkeypatch):
    calm = make_strategy("correct_risky", replace_word("RISKY", "risky"), fixes=("CTX-002",))
    install_catalogue(monkeypatch, [make_model_pattern("CTX-002", "RISKY", "correct_risky")], [calm])
    reading = make_reading(added=[add_finding("A RISKY rests", pattern="CTX-002")])
    state, case, _ = run_judged(
        {"reading": reading, "review": make_review(ISS_001=True, changes=True)}, "A RISKY rests.\n"
    )
    assert (get_first_fix(state).status, get_first_fix(state).reason) == (
        FixStatus.ROLLED_BACK, "the reviewer says that the fix changes what the skill does, so its risk is high"
    )  # fmt: skip
    assert "A RISKY rests." in case.skill.main.text
