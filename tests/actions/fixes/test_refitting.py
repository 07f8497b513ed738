"""Test that drafts for neighbouring texts all fit, and that a draft that no longer fits is drafted again."""

import pytest

from schemas.vocabulary import FixStatus
from tests.actions.fixes.drafts import run
from tests.judges import draft

pytestmark = pytest.mark.usefixtures("catalogue")


def test_draft_is_refitted_after_earlier_fixes():
    body = "A HERON rests far away from all.\n\none\n\ntwo\n\nthree\n\nA GOOSE swims here.\n"
    answer = draft(("SKILL.md", "A GOOSE swims", "A goose swims"), rewords=["A GOOSE swims here."])
    state, case, _ = run({"draft for": answer}, body)
    assert {f.strategy: f.status for f in state.proposed_fixes} == {
        "calm_heron": FixStatus.APPLIED, "custom": FixStatus.APPLIED
    }  # fmt: skip
    assert "A goose swims here." in case.skill.main.text
    assert "A heron rests" in case.skill.main.text


@pytest.mark.parametrize("gap", ["", "one\n\n"], ids=["neighbours", "a line between"])
def test_neighbouring_drafts_are_all_applied(gap):
    body = f"A GOOSE swims here.\n\n{gap}Never feed the CRANE after dark.\n"
    goose = draft(("SKILL.md", "A GOOSE swims here.", "A goose swims here."))
    crane = draft(("SKILL.md", "Never feed the CRANE after dark.", "Never feed the crane after 18:00."))
    state, case, _ = run({"draft for ISS-001": goose, "draft for ISS-002": crane}, body)
    assert [f.status for f in state.proposed_fixes] == [FixStatus.APPLIED] * 2, [f.reason for f in state.proposed_fixes]
    assert f"A goose swims here.\n\n{gap}Never feed the crane after 18:00." in case.skill.main.text


def test_two_blocks_with_common_context_fit_after_another_fix():
    body = "Watch the GOOSE.\n\nFour.\n\nFive.\n\nA wood.\n\nNever feed the CRANE after dark.\n"
    crane = [("A wood.\n", "A calm pond.\nA wood.\n"), ("feed the CRANE", "feed the crane")]
    answers = {
        "draft for ISS-001": draft(("SKILL.md", "Watch the GOOSE.", "Watch the goose.")),
        "draft for ISS-002": draft(
            *(("SKILL.md", *edit) for edit in crane), rewords=["Never feed the CRANE after dark."]
        ),
    }
    state, case, _ = run(answers, body)
    assert [f.reason for f in state.proposed_fixes] == [None, None]
    assert "A calm pond.\nA wood.\n\nNever feed the crane after dark." in case.skill.main.text


def test_draft_that_no_longer_fits_is_drafted_again():
    line, later = "The GOOSE and the CRANE wait.", "The goose and the CRANE wait."
    answers = {
        "draft for ISS-002": draft(("SKILL.md", "GOOSE", "goose"), rewords=[line]),
        "draft for ISS-001": lambda question: draft(
            ("SKILL.md", "CRANE", "crane"), rewords=[later if later in question.prompt else line]
        ),
    }
    state, case, judge = run(answers, f"{line}\n")
    first, old, new = state.proposed_fixes
    assert (first.status, new.status) == (FixStatus.APPLIED, FixStatus.APPLIED)
    assert (old.status, old.reason) == (FixStatus.REFUSED, f"an earlier fix changed this text; {new.id} replaces it")
    assert "The goose and the crane wait." in case.skill.main.text
    assert [q.drafts for q in judge.asked if q.name == "draft for ISS-001"] == [(("ISS-001",),)]
