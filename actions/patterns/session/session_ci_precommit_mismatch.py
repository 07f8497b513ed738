"""What passes here fails in the CI.

What it sees: a run of tests or linters that passed, and after it a failure that the CI shows or that the user reports.
Why it is bad: each such round costs a push and a wait, and it will come again.
Instead: run what the CI runs (same versions, same options), or let the hooks run it.
May be wrong: the CI failed for a reason of its own.
"""

import re

from actions.session.checker import Answer, Quote, Session, clean, found
from actions.session.example import agent, bash, edit, user
from actions.session.words import lines_with

_REPORT = re.compile(
    r"\b(?:CI|GH Actions?|GitHub Actions?|pipeline|build server|workflow run)\b[^\n]{0,60}\b(?:fail\w*|error\w*|red|broken|breaks?)\b"
    r"|\b(?:fail\w*|error\w*|broken)\b[^\n]{0,40}\b(?:on|in|from) (?:the )?(?:CI|GH Actions?|GitHub Actions?|pipeline)\b", re.I
)  # fmt: skip
_PLACES = ("CI", "Action", "ipeline", "build server")
_CHECKS = re.compile(r"\b(?:lint|ruff|eslint|tsc|mypy|golangci|clippy|prettier|pre-commit|biome)\b")

BAD = ((user("Fix it."), bash("make lint", "0 issues"), user("I get this error in GitHub Actions: S1008")),)
GOOD = (
    (user("I get this error in CI: x"), edit("a.go", "x"), bash("make lint", "0 issues"), agent("Clean.")),
    (user("Fix it."), edit("a.go", "x"), bash("make lint", "0 issues"), agent("Clean.")),
)


def look(session: Session) -> Answer:
    """Find failures that only the CI saw."""
    failures = [Quote(look.record, look.line) for look in session.git.looks if look.passed is False]
    told = [Quote(p.record, line) for p in session.transcript.prompts if (line := _reported(p.text[:2000]))]
    if not failures and not told:
        return clean("the CI was not seen to fail")
    passed = [run.record for run in session.runs if run.outcome.passed]
    passed += [c.record for c in session.commands if c.result and not c.result.error and _CHECKS.search(c.text)]
    first = min(passed, default=None)
    late = [quote for quote in (*failures, *told) if first is not None and quote.record > first]
    if late:
        return found("what passed here failed in the CI", late[0])
    return clean("nothing had passed here before the CI failed")


def _reported(text: str) -> str:
    return next((line for line in lines_with(text, _PLACES) if _REPORT.search(line)), "")
