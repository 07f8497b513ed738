"""What a test run printed -> did it pass? Read from the lines in which runners sum up, not from words like "error"."""

import re

_ANSI = re.compile(r"\x1b\[[0-9;]*m")
_FAILED = re.compile(
    r"(?<![\w.])(?!0+ )(\d+) (?:tests? )?(?:failed|failing|failures?|errors? in|errored|broken)\b(?! to)"
    r"|\b(?:[Ff]ail(?:ures|ed|s)?|[Ee]rrors): *(?!0\b)(\d+)"
    r"|\bfailures=(?!0\b)(\d+)|\berrors=(?!0\b)(\d+)"
    r"|^[#ℹ] fail (?!0\b)(\d+)|^ *(?!0+ fail)(\d+) fail$"
)
_PASSED = re.compile(
    r"(?<![\w.])(?!0+ )(\d+)(?: \w+)?(?: tests?)? (?:passed|passing|succeeded)\b"
    r"|\b[Pp]ass(?:ed|es)?: *(?!0\b)(\d+)|^[#ℹ] pass (?!0\b)(\d+)|^ *(?!0+ pass)(\d+) pass$"
    r"|(?<![\w.])(?!0+ )(\d+) (?:examples?|tests?|specs?|assertions?)[^\n]{0,40}, 0 (?:failures|failed|errors)"
    r"|Tests run: (?!0\b)(\d+)"
)
_SUMMARY = re.compile(
    r"(?:pass|fail|succeed|error|broken|FAIL|PASS|Tests? run|examples?,)", re.I
)
_GOOD = re.compile(r"^(?:ok  ?\t?\S|OK\b(?! ?,? ?b)|PASS$|BUILD SUCCESS|test result: ok|--- PASS)|\bTest Suites: \d+ passed")
_BAD = re.compile(
    r"^(?:FAIL\b|--- FAIL|FAILED\b|FAILURES!|BUILD FAILED|BUILD FAILURE|panic: |ERRORS?$|E   \w)|test result: FAILED|"
    r"^\[?ERROR\]? .*(?:COMPILATION|BUILD FAILURE)|\[build failed\]|^error(?:\[E\d+\])?: could not compile|"
    r"ERR_PNPM_RECURSIVE_RUN|^npm ERR!|^make: \*\*\*|ELIFECYCLE"
)
_NAMED = re.compile(
    r"(?:FAILED|FAIL|--- FAIL:|ERROR|●|✗|✕|×|\*\*Test:\*\*|[Ff]ailing test:)\s+`?([\w./:\[\]-]*\w(?:::[\w\[\]-]+)*)"
)
_PROSE_BAD = re.compile(
    r"\b(?:tests?|pytest|jest|vitest|suite)\b[^.\n]{0,40}\b(?:failed|fails|failing)\b|\bFAILED\b|❌", re.I
)
_PROSE_GOOD = re.compile(r"\b(?:all|every)\b[^.\n]{0,40}\bpass(?:ed|es|ing)?\b|\bpassed\b|✅", re.I)
_NEGATED = re.compile(r"\b(?:no|0|zero|without)\s+(?:\w+\s+){0,2}(?:failures?|failed|errors?)", re.I)
_STARTS = ("ok", "OK", "panic", "E  ", "make")
_LINES = 400


def outcome_of(text: str, *, prose: bool = False) -> tuple[bool | None, str]:
    """Give whether tests passed, and the line that says so; (None, "") when no line does.

    The last lines that count failures or passes decide; named failures decide where none count or after them.
    `prose`: the text is a report in words, so words decide where no numbers stand.
    """
    if not text:
        return None, ""
    lines = [line for line in _ANSI.sub("", text).splitlines() if line.strip()][-_LINES:]
    summed = _Sum()
    for number, line in enumerate(lines):
        if _SUMMARY.search(line) or line.startswith(_STARTS):
            summed.add(number, line)
    if summed.passed is None and prose:
        return _worded(lines)
    return summed.passed, summed.line


class _Sum:
    """Follows summary lines; a pass further than NEAR lines after a count of failures is a later summary."""

    NEAR = 8

    def __init__(self) -> None:
        self.passed: bool | None = None
        self.line = ""
        self._at = 0

    def add(self, number: int, line: str) -> None:
        plain = line.strip("| ")
        if _FAILED.search(plain):
            self._set(number, False, line)
        elif _PASSED.search(plain):
            near = self.passed is False and number - self._at <= self.NEAR
            if not near:
                self._set(number, True, line)
        elif _BAD.search(plain):
            if self.passed is not False:
                self._set(number, False, line)
        elif self.passed is None and _GOOD.search(plain):
            self._set(number, True, line)

    def _set(self, number: int, passed: bool, line: str) -> None:
        self._at, self.passed, self.line = number, passed, line


def _worded(lines: list[str]) -> tuple[bool | None, str]:
    for line in lines:
        plain = _NEGATED.sub("", line)
        if _PROSE_BAD.search(plain):
            return False, line
        if _PROSE_GOOD.search(plain):
            return True, line
    return None, ""


def failing_tests(text: str) -> frozenset[str]:
    """Give the last part of the names of failing tests that an output or a report names."""
    names = (found[1].rpartition("::")[2] for found in _NAMED.finditer(_ANSI.sub("", text)))
    return frozenset(name for name in names if len(name) > 3)
