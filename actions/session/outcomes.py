"""Read the outcome of a test run from the summary lines of test runners, never from single words such as "error"."""

from typing import NamedTuple

from actions.regex import regex

_ANSI = regex(r"\x1b\[[0-9;]*m")
_NUMBER_FIRST = regex(
    r"(?<!\d)(?=\d++[% ])"  # elsewhere no alternative is tried
    r"(?:(\d+) (?:(?:tests?|specs?|suites?|examples?) )?(fail(?:ed|ing|ures?)?|errored|errors?(?= in [\d.])|broken)"
    r"(?=\s*(?:$|[,;|().!:]|in [\d.]|out of|tests?\b))"
    r"|(\d+)%?(?: \w+)?(?: tests?)? (?:passed|passing|succeeded)\b|(\d+) pass$"
    r"|(\d+) (?:examples?|tests?|specs?|assertions?)(?=, [^\n]{0,40}failures?))"
)
_WORD_FIRST = regex(
    r"(?:[Ff]ail(?:ures|ed|s)?|[Ee]rrors)[:=] *(\d+)|(?:[Pp]ass(?:ed|es)?|Tests run): *(\d+)"
    r"|^[#ℹ] (?:fail (\d+)|pass (\d+))"
)
_COUNT_SIGNS = regex(r"[:=#ℹ]")
_PASSED_LINE = regex(r"^(?:ok  ?\t?\S|OK(?:$| \(|, \d)|PASS$|BUILD SUCCESS|test result: ok|--- PASS)")
_FAILED_LINE = regex(
    r"^(?:FAIL\b|--- FAIL|FAILED\b|FAILURES!|BUILD FAIL|panic: |E   \w|npm ERR!)|test result: FAILED"
    r"|COMPILATION ERROR|\[build failed\]|: could not compile|ERR_PNPM_RECURSIVE_RUN|ELIFECYCLE"
)
_SUMMARY_HINTS = "ass|ail|AIL|ASS|rror|OK|ests|UCCE|ucce|broken|xample|ELIFE|panic: |ould not|result".split("|")
_PYTEST_ERROR = "E  "
"""Each summary line contains one of `_SUMMARY_HINTS` or begins with `_PYTEST_ERROR`. Other lines are skipped."""
_NO_TESTS = "[no tests to run]"
"""The end of the line that `go test` prints for a package without tests to run."""
_NAMED_TEST = regex(r"(?:FAILED|FAIL|--- FAIL:|ERROR|●|✗|✕|×)\s+`?((?:[\w./\[\]-]|::)*[\w\]])")
_TEST_NAME = regex(r"[Tt]est|[Ss]pec|::|\.\w")
_MAX_LAST_LINES, _MAX_FAILURE_LINES, _LINES_BEFORE, _MAX_LINE_LENGTH = 60, 400, 8, 300


class Outcome(NamedTuple):
    """The outcome of a test run. `passed` is None if no line shows it; `line` is the line that shows it."""

    passed: bool | None = None
    line: str = ""
    failures: int = 0


def read_outcome(text: str) -> Outcome:
    """Return the outcome of a test run.

    The last line that counts tests decides, unless a later line reports a failure. If no line counts tests, the run
    failed if any line reports a failure, and passed if any line reports success.
    """
    lines = (_ANSI.sub("", text) if "\x1b" in text else text).splitlines()
    max_lines = _MAX_FAILURE_LINES if "\nFAIL" in text or "--- FAIL" in text else _MAX_LAST_LINES
    return _read_summary(lines[-max_lines:])


def _read_summary(lines: list[str]) -> Outcome:
    """Return the outcome that an output shows. The lines are searched from the end."""
    failed_line = passed_line = ""
    for number in range(len(lines) - 1, -1, -1):
        line = lines[number]
        if line.startswith("ok  "):
            passed_line = passed_line or ("" if line.endswith(_NO_TESTS) else line)
            continue
        if not _may_be_summary(line):
            continue
        failures, passes = _read_counts(line)
        if failures:
            return Outcome(False, line, failures)
        if passes:
            return _find_failure_near(lines[max(0, number - _LINES_BEFORE) : number]) or Outcome(
                not failed_line, failed_line or line
            )
        plain = line.strip("| ")
        if _FAILED_LINE.search(plain):
            failed_line = line
        elif _PASSED_LINE.search(plain):
            passed_line = passed_line or line
    return Outcome(False, failed_line) if failed_line else Outcome(True if passed_line else None, passed_line)


def _may_be_summary(line: str) -> bool:
    return len(line) <= _MAX_LINE_LENGTH and (
        any(map(line.__contains__, _SUMMARY_HINTS)) or line.startswith(_PYTEST_ERROR)
    )


def _read_counts(line: str) -> tuple[int, int]:
    """Return the numbers of failures and of passes in a line."""
    failures = passes = 0
    for failed, _, *passed in _NUMBER_FIRST.findall(line):
        failures += int(failed[:9] or 0)
        passes += sum(int(number[:9] or 0) for number in passed)
    for failed, succeeded, tap_failed, tap_succeeded in _WORD_FIRST.findall(line) if _COUNT_SIGNS.search(line) else ():
        failures += int(failed[:9] or 0) + int(tap_failed[:9] or 0)
        passes += int(succeeded[:9] or 0) + int(tap_succeeded[:9] or 0)
    return failures, passes


def _find_failure_near(lines: list[str]) -> Outcome | None:
    counted = ((line, _read_counts(line)[0]) for line in lines if _may_be_summary(line))
    return next((Outcome(False, line, failures) for line, failures in counted if failures), None)


def find_failing_tests(text: str) -> frozenset[str]:
    """Return the names of failing tests in an output, without their files."""
    names = (match[1].rpartition("::")[2] for match in _NAMED_TEST.finditer(_ANSI.sub("", text)))
    return frozenset(name for name in names if len(name) > 4 and _TEST_NAME.search(name))
