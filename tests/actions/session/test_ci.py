"""Test the CI status: the columns, marks and JSON of gh count; words in titles and names do not."""

import json

import pytest

from actions.patterns import get_session_patterns
from actions.session.answer import Verdict
from actions.session.example import bash, user
from actions.session.session import Session
from tests.examples import make_transcript

PUSH = bash("git push", "  1a2b3c4..5d6e7f8  fix -> fix")
ROLLUP = {
    "state": "OPEN",
    "statusCheckRollup": [{"name": "Fix failing test", "status": "COMPLETED", "conclusion": "SUCCESS"}],
}


@pytest.mark.parametrize(
    ("command", "output", "passed"),
    [
        ("gh run list", "completed success Fix failing test CI main push 17 1m", True),
        ("gh run list", "completed\tsuccess\tFix failing test\tCI\tmain\tpush\t17\t1m\n"
                        "completed\tfailure\tAdd it\tCI\tmain\tpush\t16\t1m", True),
        ("gh run list", "completed\tfailure\tAll checks pass\tCI\tfix\tpush\t16\t1m", False),
        ("gh run list", "in_progress\t\tFix failing test\tCI\tfix\tpush\t16\t1m", None),
        ("gh run list --json conclusion,status", '[{"conclusion": "success", "status": "completed"}, {"conclusion": "failure"}]', True),
        ("gh pr checks", "fail-fast-test pass", True),
        ("gh pr checks 7", "build fail pass 1m2s", True),
        ("gh pr checks 7", "fail-fast-test\tpass\t0\thttps://host.example/1\tIt may fail", True),
        ("gh pr checks 7", "build\tpass\t1m\thttps://host.example/1\nlint\tfail\t2s\thttps://host.example/2", False),
        ("gh pr checks 7", "build\tpass\t1m\thttps://host.example/1\nlint\tpending\t0\thttps://host.example/2", None),
        ("gh pr checks 7", "All checks were successful\n0 cancelled, 0 failing, 3 successful, 0 skipped, and 0 pending checks", True),
        ("gh pr checks 7", "Some checks were not successful\n0 cancelled, 1 failing, 3 successful, 0 skipped, and 0 pending checks", False),
        ("gh pr checks 7", "X  lint       2s\n✓  build  1m", False),
        ("gh pr checks 7 --json name,bucket", '[{"name": "fail", "bucket": "pass"}]', True),
        ("gh pr checks 7 --json name,bucket", '[{"name": "pass", "bucket": "fail"}]', False),
        ("gh pr view 7 --json state,statusCheckRollup", json.dumps(ROLLUP), True),
        ("gh pr view 7 --json statusCheckRollup", json.dumps(ROLLUP).replace("SUCCESS", "FAILURE"), False),
        ("gh pr view 7 --json statusCheckRollup", json.dumps(ROLLUP).replace('"SUCCESS"', '""').replace("COMPLETED", "QUEUED"), None),
        ("gh run view 17", "✓ fix failing CI · 17\nTriggered via push\n\nJOBS\n✓ test in 1m\n\nANNOTATIONS\nX Process failed", True),
        ("gh run view 17", "X main CI · 17\n\nJOBS\n✓ lint in 1m\nX test in 1m", False),
        ("gh run watch 17", "* main CI · 17\nRun CI (17) completed with 'success'", True),
        ("glab ci status", "(failed) • 00m 12s\ttest\tunit", False),
        ("gh pr checks 7", "no checks reported on the 'fix' branch", None),
    ],
)  # fmt: skip
def test_ci_status_is_read_from_columns(command, output, passed):
    answer = get_session_patterns()["ci_status"].check(
        Session(make_transcript(user("Push it."), PUSH, bash(command, output)))
    )
    assert answer.verdict is {True: Verdict.SATISFIED, False: Verdict.VIOLATED, None: Verdict.UNKNOWN}[passed], answer


def test_ci_status_of_the_last_command_counts():
    failing_call, passing_call = (bash("gh pr checks", f"build\t{state}\t1m") for state in ("fail", "pass"))
    for calls, verdict in (
        ((failing_call, passing_call), Verdict.SATISFIED),
        ((passing_call, failing_call), Verdict.VIOLATED),
    ):
        assert (
            get_session_patterns()["ci_status"].check(Session(make_transcript(user("Push."), PUSH, *calls))).verdict
            is verdict
        )
