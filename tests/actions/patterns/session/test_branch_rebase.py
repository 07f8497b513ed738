"""Test when a branch that git reported as behind counts as updated."""

import pytest
from msgspec.structs import replace

from actions.patterns.session.branch_rebase import check
from actions.session.answer import Verdict
from actions.session.example import bash, user
from actions.session.session import Session
from tests.examples import make_transcript

BEHIND = "Your branch is behind 'origin/main' by 2 commits, and can be fast-forwarded.\nUpdating 1a2b3c4..5d6e7f8"


@pytest.mark.parametrize(
    ("command", "verdict"),
    [("git checkout main && git pull", Verdict.SATISFIED), ("git checkout main", Verdict.VIOLATED)],
)
def test_pull_in_the_command_that_reports_behind_counts(command, verdict):
    """Other calls are recorded between the command and its result, as is usual for parallel calls."""
    transcript = make_transcript(user("Go."), bash(command, BEHIND))
    late_results = {id: replace(result, record=result.record + 5) for id, result in transcript.results.items()}
    assert check(Session(replace(transcript, results=late_results))).verdict is verdict
