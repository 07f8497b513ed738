"""Test that drafts for neighbouring texts all fit, and that a draft that no longer fits is drafted again."""

import pytest

from schemas.vocabulary import FixStatus
from tests.actions.fixes.drafts import run_judged
from tests.judges import make_draft

pytestmark = pytest.mark.usefixtures("catalogue")


def test_draft_is_refitted_after_earlier_fixes():
    body = "A RISKY rests far away from all.\n\none\n\ntwo\n\nthree\n\nA NOFIX swims here.\n"
    answer = make_draft(("SKILL.md", "A NOFIX swims", "A nofix swims"), rewords=["A NOFIX swims here."])
    state, case, _ = run_judged({"draft for": answer}, body)
    assert {f.strategy: f.status for f in state.proposed_fixes} == {
        "correct_risky": FixStatus.APPLIED, "custom": FixStatus.APPLIED
    }  # fmt: skip
    assert "A nofix swims here." in case.skill.main.text
    assert "A risky rests" in case.skill.main.text


@pytest.mark.parametrize("gap", ["", "one\n\n"], ids=["neighbours", "a line between"])
def test_neighbouring_drafts_are_all_applied(gap):
    body = f"A NOFIX swims here.\n\n{gap}Never feed the FIXABLE after dark.\n"
    nofix = make_draft(("SKILL.md", "A NOFIX swims here.", "A nofix swims here."))
    fixable = make_draft(("SKILL.md", "Never feed the FIXABLE after dark.", "Never feed the fixable after 18:00."))
    state, case, _ = run_judged({"draft for ISS-001": nofix, "draft for ISS-002": fixable}, body)
    assert [f.status for f in state.proposed_fixes] == [FixStatus.APPLIED] * 2, [f.reason for f in state.proposed_fixes]
    assert f"A nofix swims here.\n\n{gap}Never feed the fixable after 18:00." in case.skill.main.text


def test_two_blocks_with_common_context_fit_after_another_fix():
    body = "Watch the NOFIX.\n\nFour.\n\nFive.\n\nA wood.\n\nNever feed the FIXABLE after dark.\n"
    fixable = [("A wood.\n", "A calm pond.\nA wood.\n"), ("feed the FIXABLE", "feed the fixable")]
    answers = {
        "draft for ISS-001": make_draft(("SKILL.md", "Watch the NOFIX.", "Watch the nofix.")),
        "draft for ISS-002": make_draft(
            *(("SKILL.md", *edit) for edit in fixable), rewords=["Never feed the FIXABLE after dark."]
        ),
    }
    state, case, _ = run_judged(answers, body)
    assert [f.reason for f in state.proposed_fixes] == [None, None]
    assert "A calm pond.\nA wood.\n\nNever feed the fixable after dark." in case.skill.main.text


def test_draft_that_no_longer_fits_is_drafted_again():
    line, line_after_fix = "The NOFIX and the FIXABLE wait.", "The nofix and the FIXABLE wait."
    answers = {
        "draft for ISS-002": make_draft(("SKILL.md", "NOFIX", "nofix"), rewords=[line]),
        "draft for ISS-001": lambda question: make_draft(
            ("SKILL.md", "FIXABLE", "fixable"), rewords=[line_after_fix if line_after_fix in question.prompt else line]
        ),
    }
    state, case, judge = run_judged(answers, f"{line}\n")
    first, old, new = state.proposed_fixes
    assert (first.status, new.status) == (FixStatus.APPLIED, FixStatus.APPLIED)
    assert (old.status, old.reason) == (FixStatus.REFUSED, f"an earlier fix changed this text; {new.id} replaces it")
    assert "The nofix and the fixable wait." in case.skill.main.text
    assert [q.drafts for q in judge.questions if q.name == "draft for ISS-001"] == [(("ISS-001",),)]
