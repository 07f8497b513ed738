"""Code was changed, and no test run shows that it works.

It is:
- a last test run that failed, according to its exit code or to its own count
- edits of code after which no command ran that could be a test
It is not:
- code that was edited after tests that passed: only a model can tell whether the edit needs another run
- results of `go test` that come from its cache, after an edit
- code in a part of the project in which no tests ran, although some passed in another part
- code that was tested in a sub-agent or a commit hook; a run that the user refused does not count
- a report of a sub-agent that was only told to run tests, if it quotes the runner's count and names no failure
- a failure that existed before the first edit, or a command that may have failed before its tests started
- tests that ran outside the session
Why it is bad: The user is the first to find out that it does not work.
Instead: Run the tests that cover the change, fix what fails, run them again.
"""

from actions.patterns.session_pattern import SessionPattern
from actions.session.answer import Answer, answer_satisfied, answer_unknown, answer_violated
from actions.session.example import agent, bash, edit, user
from actions.session.reports import find_reported_run
from actions.session.run_place import may_cover
from actions.session.runs import Run, may_run_tests
from actions.session.session import Session
from actions.session.shell import Command
from actions.session.transcript import Quote
from actions.session.unseen import list_unseen_agents
from schemas.family import Family

PATTERN = SessionPattern("local_testing", Family.AGENT)
_COMPARING_COMMANDS = (("git", "stash"), ("git", "worktree"))
"""Commands after which a test run may have tested an earlier state of the code."""
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
    """Find code that no test run covers."""
    last = next((run for run in reversed(session.runs) if run.outcome.passed is not None), None)
    if last is not None:
        return _answer_by_run(last, session)
    first = session.code_edit
    if first is None:
        return answer_satisfied("the records show no code changes")
    if session.runs:
        last_run = _shorten(session.runs[-1].command.text)
        return answer_unknown(f"tests ran ({last_run}), but the record does not show the result")
    if reported := find_reported_run(session):
        return answer_satisfied("a sub-agent that ran the tests reports that they passed", reported)
    if possible := _find_possible_run(session, first.record):
        return answer_unknown(f"no test run was recognized, but this may have been one: {_shorten(possible)}")
    return answer_violated("code was changed and no tests ran", Quote(first.record, first.path, first.agent))


def _find_possible_run(session: Session, since: int) -> str:
    """Return a call after the record `since` that may have run tests, or "".

    It is a command, a call of an MCP tool, or a call that started a sub-agent without a transcript.
    """
    for command in session.commands:
        if (command.agent or command.record > since) and may_run_tests(command):
            return command.text
    unseen = {call.id for call, _ in list_unseen_agents(session.transcript)}
    for call, result in session.transcript.steps:
        is_late = not (result and result.is_refused) and (call.agent or call.record > since)
        if is_late and (call.id in unseen or call.name.startswith("mcp__")):
            return call.name
    return ""


def _answer_by_run(last: Run, session: Session) -> Answer:
    quote, name = Quote(last.end, last.outcome.line, last.command.agent), _shorten(last.command.text)
    if last.outcome.passed and _is_edited_after(session, last.command):
        return answer_unknown(f"the last test run passed ({name}), but code was edited after it")
    if last.outcome.passed and _repeats_cached_results(session, last):
        return answer_unknown(f"the last test run passed ({name}), but with results from before the last edits")
    if last.outcome.passed and (path := _find_untested_path(session)):
        return answer_unknown(
            f"the last test run passed ({name}), but no tests ran in the part of the project with {path}"
        )
    if last.outcome.passed:
        return answer_satisfied(f"the last test run passed ({name})", quote)
    first = session.code_edit.record if session.code_edit else -1
    failed_before = [run for run in session.runs if run.command.record < first and run.outcome.passed is False]
    if any(_is_same_failure(last, run) for run in failed_before):
        return answer_satisfied(f"the last test run failed like one before the first edit ({name})", quote)
    before = (command for command in session.commands if command.record <= last.command.record)
    if any(part[:2] in _COMPARING_COMMANDS for command in before for part in command.parts):
        return answer_unknown(
            f"the last test run failed ({name}), but perhaps not on this code: work was stashed to compare"
        )
    verb = "failed" if last.outcome.failures else "did not pass"
    return answer_violated(f"the last test run {verb} ({name})", quote)


def _is_edited_after(session: Session, command: Command) -> bool:
    """Return whether the agent that ran a command edited code afterwards."""
    return any(e.record > command.record and e.agent == command.agent for e in session.edits if e.is_code)


def _repeats_cached_results(session: Session, last: Run) -> bool:
    """Return whether `go test` only repeated results that are older than an edit of code."""
    results = [line.rstrip() for line in last.command.output.splitlines() if line.startswith("ok  ")]
    since = max((run.command.record for run in session.runs if run is not last), default=-1)
    is_edited = any(edit.is_code and edit.record > since for edit in session.edits)
    return is_edited and bool(results) and all(line.endswith("(cached)") for line in results)


def _find_untested_path(session: Session) -> str:
    """Return the path of edited production code in a part of the project where no tests passed, or ""."""
    root = session.transcript.cwd.rstrip("/")
    passed = [run.command for run in session.runs if run.outcome.passed]
    paths = dict.fromkeys(edit.path for edit in session.production_edits if root and edit.path.startswith(f"{root}/"))
    return next((path for path in paths if not any(may_cover(command, path, root) for command in passed)), "")


def _is_same_failure(last: Run, before: Run) -> bool:
    """Return whether the last run failed in no other tests than an earlier run.

    If the names of the failing tests are unknown, their numbers are compared.
    """
    if last.failing and before.failing:
        return last.failing <= before.failing
    return last.outcome.failures == before.outcome.failures > 0


def _shorten(command: str) -> str:
    line = command.strip().split("\n")[0]
    return line if len(line) <= 60 else f"{line[:57]}…"
