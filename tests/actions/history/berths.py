"""Provide a text with two commands, and sessions that ran them."""

from actions.evidence.collect import check_sessions
from actions.history.line_history import read_history
from actions.session.example import Recorded, bash
from schemas.vocabulary import Family
from tests.examples import make_recorded_case

LIST_LINE, MOOR_LINE = 9, 15
"""The line numbers of the two commands, which follow five lines of frontmatter."""
TEXT = "## Step 1: List\n\n```bash\nberth list --json\n```\n\n## Step 2: Moor\n\n```bash\nberth moor 7\n```\n"
LIST_CALL = bash("berth list --json", "[]")
FAILED_CALL = bash("berth moor 3", '{"success": false, "error": "full"}')
SUCCESSFUL_CALL = bash("berth moor 4", '{"success": true}')


def make_case(*sessions, text=TEXT):
    return make_recorded_case(Recorded(text, sessions))


def count_uses(case):
    return [
        (fact.line, len(fact.reached_uses), len(fact.executed_uses), len(fact.failed_uses))
        for fact in read_history(case)
    ]


def list_patterns(case):
    return {finding.pattern.id for finding in check_sessions(case, frozenset(Family), "a model").findings}
