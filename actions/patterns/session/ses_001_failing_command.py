"""A command, skill or tool in the text fails.

It is:
- a command in the text that failed in a session, as its exit code, its first line or `"success": false` in its JSON shows (proven)
- a skill that a sub-agent was asked to load and that its report calls missing (proven)
It is not:
- a test, a linter or a build, whose failure is a result, unless it never worked
- a failure for which the text says what to do
- a command that the user asked for
- a command that is no longer in the text, or that works since the text changed
Low when:
- the command did not fail with the newest version of Claude Code that ran it
Why it is bad: In every run the step does nothing, or the agent spends turns on a workaround, and the author does not learn of it.
Instead: Correct the command, or write the way that worked in the same sessions. Do not hide its errors.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.history.line_history import LineHistory, is_handled, read_history
from actions.history.wording import count_sessions, describe_failures, quote_text
from actions.patterns.pattern import LOADED_KINDS, Finding, Occurrence, Pattern, Severity
from actions.session.example import Recorded, agent, bash, load, user

PATTERN = Pattern("SES-001", ("blocks", "every_run"), asks_model=False, kinds=LOADED_KINDS, from_sessions=True)
_TEXT = "## Step 1: Announce\n\n```bash\nberth signal started 2>/dev/null || true\n```\n\n## Step 2: Moor\n\nMoor the boat.\n"
_FAILS = bash("berth signal started 2>/dev/null || true", '{"success": false, "error_type": "no-id"}')
_WORKS = bash("berth signal started 2>/dev/null || true", '{"success": true}')
BAD = (
    Recorded(_TEXT, ((user("Moor."), load(), _FAILS, agent("Moored.")), (user("Moor."), load(), _FAILS))),
    Recorded(
        _TEXT, ((user("Moor."), load(), bash("berth signal started", "Exit code 2\nno such command", error=True)),)
    ),
)
GOOD = (
    Recorded(_TEXT, ((user("Moor."), load(), _WORKS), (user("Moor."), load(), _WORKS))),
    Recorded(_TEXT, ((user("Run berth signal started"), load(), _FAILS),)),
    Recorded(
        _TEXT, ((user("Moor."), load(_TEXT.replace("signal", "sign")), bash("berth sign started", "", error=True)),)
    ),
)


def check(case: Case) -> Iterator[Finding]:
    """Yield the commands in the text that failed in sessions."""
    for history in read_history(case):
        if history.fact.kind in ("command", "skill", "tool") and history.line and _is_fault(history):
            hidden = " and the text hides it" if _hides_failure(history) else ""
            message = f"{quote_text(history.text)} {describe_failures(history)}{hidden}."
            occurrences = tuple(
                Occurrence(match.use.session, quote) for match in history.failures for quote in match.quotes
            )
            yield Finding(
                case.skill.main_path, history.line, message, severity=_choose_severity(history), occurrences=occurrences
            )


def _is_fault(history: LineHistory) -> bool:
    if history.fact.is_forbidden or not history.failures or history.is_fixed(history.failures, history.executed_uses):
        return False
    if history.is_check:
        return len(history.failed_uses) == len(history.executed_uses) and count_sessions(history.failed_uses) > 1
    return not all(map(is_handled, history.failures))


def _hides_failure(history: LineHistory) -> bool:
    return any(end in history.text for end in ("2>/dev/null", "|| true")) and not all(
        match.failure.is_marked for match in history.failures if match.failure
    )


def _choose_severity(history: LineHistory) -> Severity:
    """Return the severity of a failing command.

    It is low if the command did not fail with the newest Claude Code, and high if it failed in several sessions and
    was not always repaired. Otherwise it is medium.
    """
    newest = history.executed_uses[-1].use.version
    if newest and newest not in {matched.use.version for matched in history.failed_uses}:
        return Severity.LOW
    is_unrepaired = any(match.repaired is None for match in history.failures)
    return Severity.HIGH if count_sessions(history.failed_uses) > 1 and is_unrepaired else Severity.MEDIUM
