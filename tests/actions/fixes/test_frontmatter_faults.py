"""Test which findings are left to the author because no draft may change the frontmatter that they concern."""

import pytest

from actions.fixes.frontmatter_faults import find_author_only_findings
from schemas.vocabulary import FixStatus
from tests.actions.fixes.drafts import get_first_fix, run_judged
from tests.fakes import make_case
from tests.judges import add_finding, make_draft, make_reading

pytestmark = pytest.mark.usefixtures("catalogue")


def list_findings_by_quote(*quotes):
    state, case, _ = run_judged(
        {"reading": make_reading(added=[add_finding(quote) for quote in quotes])},
        "Keep the pond clean.\n",
        apply="none",
    )
    return {issue.evidence[0]: issue.id for issue in state.issues}, find_author_only_findings(state.issues, case.skill)


def test_only_the_description_of_the_frontmatter_is_left_to_drafts():
    name, description = make_case("").skill.main.doc.lines[1:3]
    ids, by_hand = list_findings_by_quote(name, description, "Keep the pond clean.")
    assert by_hand == {ids[name]}


def test_custom_finding_at_the_description_is_drafted():
    edit = ("SKILL.md", "Counts birds on a shore.", "Counts birds on a shore when asked for a census.")
    line = make_case("").skill.main.doc.lines[2]
    answers = {
        "reading": make_reading(added=[add_finding(line)]),
        "draft for ISS-001": make_draft(edit, rewords=[line]),
    }
    state, _, judge = run_judged(answers, "Keep the pond clean.\n")
    assert "Of the frontmatter only the description changes" in judge.prompt("draft for ISS-001")
    assert get_first_fix(state).status is FixStatus.APPLIED, get_first_fix(state).reason
