"""Code was changed, and no test run shows that it works.

What it sees: a last test run that failed, by its exit code or by its own count; or edits of code after which nothing
ran that could be a test. Runs in sub-agents and in commit hooks count; a run that the user refused does not; failures that
were there before the first edit are not the work's.
Why it is bad: the next who learns that it does not work is the user.
Instead: run the tests that cover the change, fix what fails, run them again.
May be wrong: the tests ran outside of the session.
"""

from actions.session.checker import Answer, Quote, Session, satisfied, unknown, violated
from actions.session.example import agent, bash, edit, user
from actions.session.runs import Run, may_test

_ASIDE = (("git", "stash"), ("git", "worktree"))
BAD = (
    (user("Fix the parser."), edit("src/parser.py", "return tree"), bash("git diff --stat", "1 file"), agent("Fixed.")),
    (
        user("Fix the parser."),
        bash("pytest -q", "12 passed in 0.31s"),
        edit("src/parser.py", "return tree"),
        bash("uv run pytest -q | tail -5", "FAILED tests/test_parser.py::test_depth\n1 failed, 11 passed in 0.40s"),
    ),
)
GOOD = ((user("Fix it."), edit("a.py", "x = 1"), bash("python -m pytest", "3 passed in 0.1s\nerror: (expected)")),)


def check(session: Session) -> Answer:
    """Find untested code."""
    last = next((run for run in reversed(session.runs) if run.outcome.passed is not None), None)
    if last is not None:
        return _judged(last, session)
    first = session.code_edit
    if first is None:
        return satisfied("no code was changed")
    if session.runs:
        last_run = _short(session.runs[-1].command.text)
        return unknown(f"tests were run ({last_run}), but the record does not show what came out")
    if hidden := _hidden(session, first.record):
        return unknown(f"no test run is known, but this may have been one: {_short(hidden)}")
    return violated("code was changed and no tests were run", Quote(first.record, first.path, first.agent))


def _hidden(session: Session, since: int) -> str:
    """Return what may have run tests after a record: a command, a tool of others, a sub-agent whose part is not here."""
    for command in session.commands:
        if (command.agent or command.record > since) and may_test(command):
            return command.text
    known = {agent.agent for agent in session.transcript.agents}
    for call, result in session.transcript.steps:
        late = not (result and result.refused) and (call.agent or call.record > since)
        part = call.name in ("Task", "Agent") and not any(result and id in result.text for id in known)
        if late and (part or call.name.startswith("mcp__")):
            return call.name
    return ""


def _judged(last: Run, session: Session) -> Answer:
    quote, name = Quote(last.end, last.outcome.line, last.command.agent), _short(last.command.text)
    if last.outcome.passed:
        return satisfied(f"the last test run passed ({name})", quote)
    first = session.code_edit.record if session.code_edit else -1
    early = [run for run in session.runs if run.command.record < first and run.outcome.passed is False]
    if any(_same(last, run) for run in early):
        return satisfied(f"the last test run failed as one before the first edit did ({name})", quote)
    before = (command for command in session.commands if command.record <= last.command.record)
    if any(part[:2] in _ASIDE for command in before for part in command.parts):
        return unknown(f"the last test run failed ({name}), but on which code: work was put aside to compare")
    return violated(f"the last test run failed ({name})", quote)


def _same(last: Run, before: Run) -> bool:
    if last.failing and before.failing:
        return last.failing <= before.failing
    return last.outcome.failures == before.outcome.failures > 0


def _short(command: str) -> str:
    line = command.strip().split("\n")[0]
    return line if len(line) <= 60 else f"{line[:57]}…"
