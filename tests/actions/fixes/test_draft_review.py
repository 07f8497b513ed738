"""Test that a draft is kept only if a review confirms it, after at most one redraft."""

import pytest

from actions.reporting.report import render_report
from schemas.vocabulary import FixStatus, Risk
from tests.actions.fixes.drafts import FIRST_EDIT, get_first_fix, run_judged
from tests.judges import approve_fix, make_draft, make_review

pytestmark = pytest.mark.usefixtures("catalogue")


@pytest.mark.parametrize(
    ("objections", "reason"),
    [
        (
            make_review(["Keep the hour."], ISS_001=True, holds=False),
            "the fix changes or removes an instruction that must be kept",
        ),
        (make_review(ISS_001=True, merge=False), "a maintainer would not merge the fix"),
        (make_review(ISS_001=True, sound=False), "the fix introduces a new fault"),
        (make_review(["It says nofix twice."], ISS_001=True), "It says nofix twice."),
    ],
    ids=["an instruction is gone", "no merge", "unsound", "an objection to a confirmed fix"],
)
def test_draft_is_refused_after_two_objections(objections, reason):
    state, case, judge = run_judged(
        {"draft for": make_draft(FIRST_EDIT), "second": make_draft(FIRST_EDIT), "review": objections}
    )
    assert get_first_fix(state).status is FixStatus.REFUSED
    assert reason in get_first_fix(state).reason
    assert reason in judge.prompt("second draft for ISS-001")
    assert "NOFIX" in case.skill.main.text


def test_unreviewed_draft_is_refused_and_not_asked_again():
    state, _, judge = run_judged({"draft for": make_draft(FIRST_EDIT), "review": "the server hung up"})
    assert "it was not reviewed" in get_first_fix(state).reason
    assert not [q for q in judge.questions if q.name == "second draft for ISS-001"]


def test_fix_confirmed_at_the_second_draft_is_applied():
    better = make_draft(("SKILL.md", "Watch the NOFIX.", "Watch the nofix for 5 minutes."))
    objection = make_review(["No nofix is calm."], ISS_001=True, sound=False)
    answers = {"draft for": make_draft(FIRST_EDIT), "second": better,
            "review": lambda question: objection if "calm nofix" in question.prompt else approve_fix(question)}  # fmt: skip
    state, case, _ = run_judged(answers)
    assert "Watch the nofix for 5 minutes." in case.skill.main.text
    text = render_report(state)
    assert "Verified: parser: the pattern no longer reports the fault" in text
    assert (
        "reviewed in a second reading by a scripted judge: the fault is gone, every instruction still applies" in text
    )
    assert "It was loud." in text


def test_draft_is_reviewed_once_per_text_without_its_rationale():
    _, _, judge = run_judged({"draft for ISS-001": make_draft(FIRST_EDIT)})
    names = [q.name for q in judge.questions if q.name.startswith("review")]
    assert names == ["review for ISS-001"]
    assert "Calms the bird." not in judge.prompt("review for ISS-001")


def test_draft_that_changes_behaviour_has_high_risk():
    answers = {"draft for ISS-001": make_draft(FIRST_EDIT), "review": make_review(ISS_001=True, changes=True)}
    state, _, _ = run_judged(answers, apply="none")
    assert (get_first_fix(state).risk, get_first_fix(state).status) == (Risk.HIGH, FixStatus.PROPOSED)


LONG = "".join(f"Pond {n} has reeds, {n + 3} stones and a small island in its middle.\n\n" for n in range(1100))


def make_draft_of_many_lines(*ponds):
    """Return a draft that fixes the fault and rewords some lines (about ponds) of a long file."""
    edits = [("notes.md", f"Pond {n} has reeds,", f"Pond {n} has no reeds,") for n in ponds]
    texts = [f"Pond {n} has reeds, {n + 3} stones and a small island in its middle." for n in ponds]
    return make_draft(FIRST_EDIT, *edits, rewords=["Watch the NOFIX.", *texts])


def test_review_shows_every_change_of_a_long_file():
    state, _, judge = run_judged({"draft for ISS-001": make_draft_of_many_lines(3, 1090)}, notes=LONG)
    prompt = judge.prompt("review for ISS-001")
    change = prompt.split("The change, as a diff:")[1]
    assert ("-Pond 3 has reeds" in change, "-Pond 1090 has reeds" in change) == (True, True)
    assert ("+Pond 3 has no reeds" in change, "+Pond 1090 has no reeds" in change) == (True, True)
    assert "Pond 500 has" not in change
    assert get_first_fix(state).status is FixStatus.APPLIED


def test_draft_too_long_to_review_is_refused():
    answer = make_draft(
        FIRST_EDIT, ("notes.md", "Start here.", "Begin here."), rewords=["Watch the NOFIX.", "Start here."]
    )
    state, _, judge = run_judged({"draft": answer, "second": answer}, notes=f"Start here. A{'Ü' * 130_000}\n")
    assert "the fix changes too much text for one review" in get_first_fix(state).reason
    assert not [question for question in judge.questions if question.name.startswith("review")]


def test_drafts_of_a_file_share_a_question_and_so_do_reviews():
    fixable = make_draft(("SKILL.md", "Never feed the FIXABLE after dark.", "Never feed the fixable after 18:00."))
    answers = {"draft for ISS-001": make_draft(FIRST_EDIT), "draft for ISS-002": fixable}
    state, _, judge = run_judged({**answers, "review": lambda question: make_review(ISS_001=True, ISS_002=False)})
    assert [q.name for q in judge.questions if "reading" not in q.name][:2] == [
        "draft for ISS-001, ISS-002", "review for ISS-001, ISS-002"
    ]  # fmt: skip
    assert [fix.status for fix in state.proposed_fixes] == [FixStatus.APPLIED, FixStatus.REFUSED]
    assert "ISS-002 is still there" in state.proposed_fixes[1].reason, "one objection leaves the other fix alone"
