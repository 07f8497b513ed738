"""Test drafts that shorten a skill without losing a rule."""

import pytest

from actions.reporting.report import render_report
from schemas.options import Options
from schemas.vocabulary import FixStatus, IssueStatus
from tests.fakes import make_case
from tests.judges import ScriptedJudge, add_finding, make_draft, make_reading, make_review, run_in_memory

WORDY_PASSAGE = (
    "It goes without saying that dates are very important, and that many people write them in many ways. For this"
    " reason please always make sure that each date is written as YYYY-MM-DD."
)
BODY = f"## Dates\n\n{WORDY_PASSAGE} If the day is missing, use the last day of the month.\n"
SHORT_PASSAGE = "Write each date as YYYY-MM-DD."
SENTENCES = [part if part.endswith(".") else f"{part}." for part in WORDY_PASSAGE.split(". ")]


def run(answer, **answers):
    reading = make_reading(added=[add_finding(WORDY_PASSAGE, pattern="TKN-008", severity="low")])
    judge = ScriptedJudge({"reading": reading, "draft": answer, "second draft": answer, **answers})
    options = Options(apply="all", judge="sdk")
    state, case = run_in_memory(make_case(BODY), judge, options=options, focus_areas=("token_consumption",))
    (fix,) = state.proposed_fixes
    return fix, state, case, judge


def test_shorter_passage_that_keeps_its_rules_is_accepted():
    fix, state, case, judge = run(make_draft(("SKILL.md", WORDY_PASSAGE, SHORT_PASSAGE), rewords=SENTENCES))
    assert (fix.status, fix.reason) == (FixStatus.APPLIED, None)
    assert f"{SHORT_PASSAGE} If the day is missing, use the last day of the month." in case.skill.main.text
    assert {i.pattern: i.status for i in state.issues}["TKN-008"] is IssueStatus.RESOLVED
    assert "The skill gets shorter by it" in judge.prompt("draft")
    old, new = (
        int(number) for number in fix.estimated_impact.split("Instructions: from ")[1].split(" tokens")[0].split(" to ")
    )
    assert new < old
    assert "from 7 to 6 statements; 5 are kept, 2 are reworded or removed." in fix.estimated_impact
    assert "are kept" in render_report(state)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (make_draft(("SKILL.md", WORDY_PASSAGE, f"{WORDY_PASSAGE[:-1]}, always and in each case."), rewords=SENTENCES), "did not get shorter"),
        (make_draft(("SKILL.md", WORDY_PASSAGE, SHORT_PASSAGE), rewords=SENTENCES[:1]), "the fix loses this sentence: For this reason"),
        (make_draft(("SKILL.md", BODY.split("\n\n")[1].strip(), SHORT_PASSAGE), rewords=SENTENCES), "the fix loses this sentence: If the day is missing"),
    ],
    ids=["longer", "not named", "a rule lost"],
)  # fmt: skip
def test_draft_that_is_not_shorter_or_loses_a_rule_is_refused(answer, reason):
    fix, _, case, _ = run(answer)
    assert fix.status is FixStatus.REFUSED
    assert reason in fix.reason
    assert WORDY_PASSAGE in case.skill.main.text


def test_draft_is_refused_if_the_review_misses_a_rule():
    answer = make_draft(("SKILL.md", WORDY_PASSAGE, "Write dates."), rewords=SENTENCES)
    fix, _, case, _ = run(answer, review=make_review(holds=False, ISS_001=True))
    assert fix.status is FixStatus.REFUSED
    assert "the fix changes or removes an instruction that must be kept" in fix.reason
    assert WORDY_PASSAGE in case.skill.main.text
