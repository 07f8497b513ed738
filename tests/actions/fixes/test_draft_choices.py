"""Test drafts that are not plain edits: for a fault elsewhere, for a choice of the author, or for a missing file."""

import pytest

from actions.reporting.client_pages import make_outcome_page
from schemas.options import Options
from schemas.vocabulary import FixStatus
from tests.actions.fixes.drafts import FIRST_EDIT, get_first_fix, run_judged
from tests.actions.review.test_lookups import make_case_of_unit
from tests.fakes import SKILL_HEADER
from tests.judges import ScriptedJudge, make_draft, make_review, run_in_memory

BODY = "Watch the NOFIX. It is loud.\n\nKeep the pond clean.\n"
EDIT_WITH_LINK = ("SKILL.md", "Watch the NOFIX.", "Watch the nofix as [the notes](notes.md) say.")


pytestmark = pytest.mark.usefixtures("catalogue")


def run_with_draft(answer, **more):
    state, case, judge = run_judged({"draft for": answer, "second": answer, **more}, BODY)
    return get_first_fix(state), case, judge


def test_draft_that_belongs_elsewhere_names_the_place():
    fix, _, _ = run_with_draft({**make_draft(), "elsewhere": "tools/make_list.py writes\nthis file"})
    assert (fix.status, fix.reason) == (
        FixStatus.REFUSED, "the fix belongs elsewhere: tools/make_list.py writes this file"
    )  # fmt: skip


def test_draft_leaves_a_choice_to_the_author():
    choice = {"question": "How often is it watched?", "readings": ["once a day", "at each tide"]}
    fix, _, judge = run_with_draft({**make_draft(), "choice": choice})
    assert fix.reason == "the author of the skill must choose: How often is it watched? (once a day | at each tide)"
    assert [q.name for q in judge.questions if q.name.startswith("second")] == [], "a choice is not drafted again"


def test_draft_may_create_a_missing_file():
    fix, case, _ = run_with_draft(
        make_draft(EDIT_WITH_LINK, ("notes.md", "", "Watch it for 5 minutes.\n"), rewords=["Watch the NOFIX."])
    )
    assert [(change.file, change.action) for change in fix.changes] == [("SKILL.md", "modify"), ("notes.md", "create")]
    assert fix.status is FixStatus.APPLIED, fix.reason
    assert case.skill.by_path["notes.md"].text == "Watch it for 5 minutes.\n"


@pytest.mark.parametrize("path", ["../notes.md", "/tmp/notes.md", "run.py", "a/../notes.md", "SKILL.md", "tests/a.md"])
def test_draft_creates_only_text_of_the_skill(path):
    fix, _, _ = run_with_draft(make_draft(FIRST_EDIT, (path, "", "Watch it.\n")))
    assert fix.status is FixStatus.REFUSED
    assert "is not a text file of the skill" in fix.reason or "times; copy a text" in fix.reason


def test_created_file_is_checked_like_an_edit():
    fix, _, _ = run_with_draft(
        make_draft(EDIT_WITH_LINK, ("notes.md", "", "See https://example.org\n"), rewords=["Watch the NOFIX."])
    )
    assert "add a URL" in fix.reason


def test_file_with_the_same_fault_is_offered_if_the_project_has_it():
    own_path = ".claude/skills/plover/SKILL.md"
    case = make_case_of_unit(own_path, {own_path: SKILL_HEADER + BODY, "CLAUDE.md": "Watch the NOFIX.\n"})
    answer = {**make_draft(FIRST_EDIT), "siblings": ["CLAUDE.md", "../../etc/passwd", own_path, "gone.md"]}
    state, _ = run_in_memory(case, ScriptedJudge({"draft for": answer}), options=Options(apply="all", judge="sdk"))
    assert get_first_fix(state).siblings == ("CLAUDE.md",)
    text = make_outcome_page(state, "/p/report.md").text
    (line,) = [report_line for report_line in text.splitlines() if report_line.startswith("- `CLAUDE.md`: ")]
    assert get_first_fix(state).issue_ids and line.removeprefix("- `CLAUDE.md`: ").strip()
    assert "say “fix it there, too”" in text


def test_undecided_reviewer_names_the_missing_information():
    unsure = {**make_review(ISS_001=True), "cannot_tell": "docs/spec.md, which is not here"}
    fix, _, judge = run_with_draft(make_draft(FIRST_EDIT), review=unsure)
    assert fix.status is FixStatus.REFUSED
    assert "the reviewer cannot decide without docs/spec.md, which is not here" in fix.reason
    assert "the reviewer cannot decide without docs/spec.md" in judge.prompt("second draft")


def test_review_begins_with_the_unit_as_the_draft_does():
    _, _, judge = run_with_draft(make_draft(FIRST_EDIT))
    (draft_question,) = [q for q in judge.questions if q.name.startswith("draft for ISS-001")]
    (review_question,) = [q for q in judge.questions if q.name.startswith("review for ISS-001")]
    assert (
        draft_question.prompt[: draft_question.shared_chars]
        == review_question.prompt[: review_question.shared_chars]
        != ""
    )
