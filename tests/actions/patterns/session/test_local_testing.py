"""Test which calls the check of local testing counts as a test run, a result and a failure."""

import pytest

from actions.patterns import get_session_patterns
from actions.session.answer import Verdict
from actions.session.example import Part, bash, edit, use, user
from actions.session.session import Session
from tests.examples import get_verdict, make_transcript


def test_local_testing_ignores_a_refused_run_after_a_passing_one():
    refusal = "The user doesn't want to proceed with this tool use. The tool use was rejected."
    parts = [
        edit("core.py", "x = 1"),
        bash("make test", "14 passed in 2.0s"),
        bash("make e2e-test", refusal, error=True),
    ]
    assert get_verdict("local_testing", user("Fix it."), *parts) is Verdict.SATISFIED


def test_local_testing_ignores_failures_before_the_first_edit():
    failing_output = "FAILED tests/test_clock.py::test_leap_day\n1 failed, 30 passed in 3s"
    parts = [bash("pytest", failing_output), edit("core.py", "x = 1"), bash("pytest", failing_output)]
    assert get_verdict("local_testing", user("Fix it."), *parts) is Verdict.SATISFIED


def test_local_testing_finds_a_new_failure_beside_an_old_one():
    old = "FAILED tests/test_clock.py::test_leap_day\n1 failed, 30 passed in 3s"
    new = "FAILED tests/test_clock.py::test_leap_day\nFAILED tests/test_core.py::test_sum\n2 failed, 29 passed in 3s"
    parts = [bash("pytest", old), edit("core.py", "x = 1"), bash("pytest", new)]
    assert get_verdict("local_testing", user("Fix it."), *parts) is Verdict.VIOLATED


def test_local_testing_failure_after_a_stash_is_unknown():
    failing_output = "--- FAIL: TestQuota (0.01s)\nFAIL\nFAIL\texample.org/quota\t0.2s"
    parts = [
        edit("quota.go", "x"),
        bash("git stash"),
        bash("go test ./...", "Exit code 1\n" + failing_output, error=True),
        bash("git stash pop"),
        bash("go test ./...", "Exit code 1\n" + failing_output, error=True),
    ]
    assert get_verdict("local_testing", user("Fix it."), *parts) is Verdict.UNKNOWN


def test_local_testing_ignores_a_failure_that_a_later_run_repairs():
    parts = [
        edit("a.ts", "x"),
        bash("npx vitest run", "Exit code 1\n Tests  2 failed | 8 passed (10)", error=True),
        edit("a.ts", "y"),
        bash("npx vitest run", " Tests  10 passed (10)"),
    ]
    assert get_verdict("local_testing", user("Fix it."), *parts) is Verdict.SATISFIED


def test_local_testing_reads_a_background_run_from_later_output():
    start_message = "Command running in background with ID: b41f"
    parts = [
        edit("a.py", "x"),
        bash("pytest", start_message),
        use("TaskOutput", "3 failed, 2 passed in 9s", task_id="b41f"),
    ]
    assert get_verdict("local_testing", user("Fix it."), *parts) is Verdict.VIOLATED


def test_local_testing_background_run_without_output_is_unknown():
    parts = [edit("a.py", "x"), bash("pytest", "Command running in background with ID: b41f")]
    assert get_verdict("local_testing", user("Fix it."), *parts) is Verdict.UNKNOWN


def test_local_testing_reads_a_background_run_from_a_notification():
    start_message = "Command running in background with ID: b41f"
    end_message = (
        "<task-notification>\n<task-id>b41f</task-id>\n<summary>completed (exit code 0)</summary>\n</task-notification>"
    )
    assert (
        get_verdict(
            "local_testing", user("Fix it."), edit("a.py", "x"), bash("pytest", start_message), user(end_message)
        )
        is Verdict.SATISFIED
    )


@pytest.mark.parametrize("report", ["All 9 tests pass.", "2 failed, 9 passed"])
def test_local_testing_report_of_a_sub_agent_is_unknown(report):
    call = use("Agent", report, prompt="Run the tests and report", description="Tests")
    assert get_verdict("local_testing", user("Fix it."), edit("a.py", "x"), call) is Verdict.UNKNOWN


PASSED = "**pytest passed: 12 tests passed in 0.31s**, no failures or errors."
EDIT = edit("src/a.py", "x")


def run_by_agent(report: str, **fields: str) -> Part:
    """Return a call of a sub-agent that was asked to run tests, by default `pytest`."""
    return use("Agent", report, **{"description": "Run the tests", "prompt": "Run `pytest` and report."} | fields)


def test_local_testing_counts_a_report_that_quotes_the_runner():
    parts = (user("Fix it."), EDIT, run_by_agent("12 passed, 1 failed in 2s"), run_by_agent(PASSED))
    session = Session(make_transcript(*parts))
    answer = get_session_patterns()["local_testing"].check(session)
    assert (answer.verdict, answer.quotes[0].quote) == (Verdict.SATISFIED, PASSED)


@pytest.mark.parametrize(
    "parts",
    [
        (EDIT, run_by_agent(PASSED), EDIT),
        (EDIT, run_by_agent("12 tests passed.")),
        (EDIT, run_by_agent("0 passed in 0.1s")),
        (EDIT, run_by_agent("12 passed in 0.3s, then the server failed")),
        (EDIT, run_by_agent("12 passed in 0.3s\n1 failed in 0.2s")),
        (EDIT, run_by_agent(PASSED, description="Implement the cache")),
        (EDIT, run_by_agent(PASSED), use("Agent", "Done.", description="Implement the cache", prompt="Go.")),
        (EDIT, run_by_agent(PASSED), run_by_agent("The tests fail.", prompt="Run the other tests.")),
        (EDIT, run_by_agent(PASSED), run_by_agent("Async agent launched successfully.", prompt="Run all tests.")),
        (EDIT, run_by_agent(PASSED), bash("sed -i s/1/2/ src/a.py")),
        (EDIT, run_by_agent(PASSED), bash("pytest", "Command running in background with ID: b41f")),
    ],
)
def test_local_testing_report_that_proves_nothing_is_unknown(parts):
    assert get_verdict("local_testing", user("Fix it."), *parts) is Verdict.UNKNOWN


@pytest.mark.parametrize(
    "command",
    [bash("./ci.sh", "done"), bash("go build ./...", ""), use("mcp__runner__run", "ok"),
     bash("git commit -m x", "lint ok\n[fix 1a2b3c4] x")],
)  # fmt: skip
def test_local_testing_possible_test_run_is_unknown(command):
    assert get_verdict("local_testing", user("Fix it."), edit("a.py", "x"), command) is Verdict.UNKNOWN


@pytest.mark.parametrize(
    ("command", "error", "expected"),
    [("pytest; echo done", False, Verdict.UNKNOWN), ("pytest || true", False, Verdict.UNKNOWN),
     ("pytest | cat; false", True, Verdict.UNKNOWN), ("pytest && echo done", False, Verdict.SATISFIED),
     ("pytest", True, Verdict.VIOLATED), ("cd api && pytest", True, Verdict.VIOLATED),
     ("make lint && pytest", True, Verdict.UNKNOWN), ("make check", True, Verdict.UNKNOWN)],
)  # fmt: skip
def test_local_testing_uses_an_exit_code_only_if_it_is_the_tests(command, error, expected):
    parts = (user("Fix it."), edit("a.py", "x"), bash(command, "quiet", error=error))
    assert get_verdict("local_testing", *parts) is expected


@pytest.mark.parametrize("command", ["pytest", "make lint && make test", "./ci.sh"])
def test_local_testing_run_without_a_result_is_unknown(command):
    parts = (user("Fix it."), edit("a.py", "x"), bash(command, None))
    assert get_verdict("local_testing", *parts) is Verdict.UNKNOWN


def test_local_testing_ignores_failures_that_other_programs_count():
    parts = (edit("a.py", "x"), bash("python links.py", "12 passed, 3 failed"))
    assert get_verdict("local_testing", user("Fix it."), *parts) is Verdict.UNKNOWN


def test_local_testing_ignores_error_words_in_a_passing_run():
    noisy = "[Reader] error: could not parse line 3 (expected)\n[Store] 2 failed lookups were retried\n" * 9
    noisy += "\n 212 pass\n 0 fail\nRan 212 tests across 9 files."
    parts = [edit("a.ts", "x"), bash("bun test", noisy)]
    assert get_verdict("local_testing", user("Fix it."), *parts) is Verdict.SATISFIED


def test_local_testing_ignores_a_test_command_in_a_commit_message():
    message = "git commit -m \"$(cat <<'EOF'\nFix the sum\n\npytest: all pass\nEOF\n)\""
    parts = [edit("a.py", "x"), bash(message, "[fix 1a2b3c4] Fix the sum")]
    assert get_verdict("local_testing", user("Fix it."), *parts) is Verdict.VIOLATED


def test_local_testing_counts_the_tests_of_a_commit_hook():
    parts = [edit("a.ts", "x"), bash("git commit -m 'Fix'", " 31 pass\n 0 fail\n[fix 1a2b3c4] Fix")]
    assert get_verdict("local_testing", user("Fix it."), *parts) is Verdict.SATISFIED


def test_local_testing_code_edited_after_the_tests_is_unknown():
    tested_session = (user("Fix it."), edit("a.py", "x"), bash("pytest", "3 passed in 0.1s"))
    assert get_verdict("local_testing", *tested_session, edit("README.md", "Use it.")) is Verdict.SATISFIED
    assert get_verdict("local_testing", *tested_session, edit("a.py", "y")) is Verdict.UNKNOWN


def test_local_testing_run_without_tests_proves_nothing():
    output_without_tests = "ok  \texample.com/a\t0.1s [no tests to run]"
    parts = (user("Fix it."), edit("a.go", "x"))
    assert get_verdict("local_testing", *parts, bash("go test -run X ./...", output_without_tests)) is Verdict.UNKNOWN
    output_with_tests = f"ok  \texample.com/b\t0.1s\n{output_without_tests}"
    assert get_verdict("local_testing", *parts, bash("go test -run X ./...", output_with_tests)) is Verdict.SATISFIED
