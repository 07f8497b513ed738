"""Test the status of a run: findings that count come first, a refuted one has its reason."""

from dataclasses import replace

from orchestrator.servers.mcp.run_status import make_status
from schemas.issues import ReadBy, Verdict
from schemas.vocabulary import IssueSource, IssueStatus, Ruling
from tests.schemas.samples import an_issue, rich_state


def test_status_lists_refuted_findings_last_with_reason(tmp_path):
    why = "The next step ends it. " * 20
    refuted = an_issue(
        1, source=IssueSource.PARSER, status=IssueStatus.REJECTED, verdict=Verdict(Ruling.REFUTED, why, "a reader")
    )
    read = an_issue(
        2,
        source=IssueSource.PARSER,
        status=IssueStatus.OPEN,
        verdict=None,
        read_by=ReadBy("a reader", "x"),
        impact="It never ends.",
    )
    first, last = make_status(replace(rich_state(), issues=(refuted, read)), tmp_path).findings
    assert (first.id, first.harm, first.reason) == (read.id, "It never ends.", "")
    assert (last.id, last.status) == (refuted.id, "rejected")
    assert last.reason.startswith("The next step ends it.") and last.reason.endswith(("step…", "next…", "it.…", "The…"))
