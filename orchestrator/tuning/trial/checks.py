"""Decide whether a run succeeded. The checks of its task are evaluated on its session and its files.

A check passes (True), fails (False) or is undecided (None). The text of a run and the regular expressions of a task
are untrusted, so matching has a time limit.
"""

import json
import os
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import msgspec

from orchestrator.errors import Refused, one_line
from orchestrator.fs import nofollow
from orchestrator.fs.paths import resolve_inside, resolve_links
from orchestrator.model.agent import Session
from orchestrator.time_limit import limit_time
from orchestrator.tuning.trial.consent import format_names
from orchestrator.tuning.trial.expressions import compile_regex
from orchestrator.tuning.trial.sandbox import Sandbox
from orchestrator.tuning.trial.staging import read_calls, read_state
from orchestrator.tuning.trial.tasks import STUB_PREFIX, Check, Task

_COMMAND_SECONDS, _PATTERN_SECONDS = 120, 1.0
"""Time limits in seconds: for a command (wall time), and for matching a regular expression or schema (CPU time)."""
_MAX_TEXT = 2_000_000


class CheckResult(msgspec.Struct, frozen=True):
    """The result of a check.

    passed: None if the check is undecided. why: the reason if the check did not pass, otherwise "".
    """

    label: str
    passed: bool | None
    why: str = ""


class _Evaluation(NamedTuple):
    """The result of evaluating a check. passed: None if it is undecided. observed: what was found, for the report."""

    passed: bool | None
    observed: str


class MissingTextError(Exception):
    """Raised if the text that a check reads is missing."""


async def run_checks(
    task: Task, session: Session, sandbox: Sandbox, skill: str, rewritten: Sequence[str] = ()
) -> list[CheckResult]:
    """Evaluate the checks of a task that need no model, and return their results.

    skill: the name of the skill's folder in the run. rewritten: the files of the skill that the run changed. If there
    are any, no command is started.
    """
    is_used = is_skill_used(task, session, skill)
    run = partial(_run_command, task, sandbox, rewritten)
    return [
        await run(check) if check.kind == "command" else _run_check(check, session, sandbox, is_used)
        for check in task.checks
        if check.kind != "rubric"
    ]


def decide_success(passed: Sequence[bool | None]) -> bool | None:
    """Return whether a run succeeded, from the results of its checks.

    Returns False if a check failed, else None if a check is undecided.
    """
    if False in passed:
        return False
    return None if None in passed else True


def is_skill_used(task: Task, session: Session, skill: str) -> bool:
    """Return whether the model or the task's prompt called the skill in a session."""
    return task.calls(skill) or any(
        call.tool == "Skill" and str(_parse_object(call.given).get("skill", "")).rpartition(":")[2] == skill
        for call in session.calls
    )


async def _run_command(task: Task, sandbox: Sandbox, rewritten: Sequence[str], check: Check) -> CheckResult:
    if rewritten:
        why = f"{format_names(rewritten)} was changed in the run, so the command was not started"
        return CheckResult(check.label, None, one_line(why)[:300])
    try:
        result = await sandbox.run(check.argument, _COMMAND_SECONDS, network=task.network)
    except (OSError, ValueError) as error:  # for example, too long for the system
        return CheckResult(check.label, None, one_line(f"the command cannot be started: {error}")[:300])
    passed = not result.exceeded and result.code == check.options.get("exit", 0)
    why = f"exit code {result.code}: {result.output[-200:]}"
    if result.exceeded:
        why = f"the command exceeded its limit of {result.exceeded}"
    return CheckResult(check.label, passed, "" if passed else one_line(why))


def _run_check(check: Check, session: Session, sandbox: Sandbox, is_used: bool) -> CheckResult:
    try:
        with limit_time(_PATTERN_SECONDS):
            passed, why = _evaluate(check, session, sandbox, is_used)
    except TimeoutError:
        passed, why = None, f"not evaluated within {_PATTERN_SECONDS:g} s"
    except MissingTextError as missing:
        passed, why = bool(check.options.get("absent")), str(missing)
    except Exception as error:  # noqa: BLE001 - evaluating an untrusted schema may raise any error
        passed, why = None, f"the check cannot be evaluated: {error!r}"
    return CheckResult(check.label, passed, "" if passed else one_line(why)[:300])


def _evaluate(check: Check, session: Session, sandbox: Sandbox, is_used: bool) -> _Evaluation:
    match check.kind:
        case "file":
            exists = _exists(sandbox, check.argument)
            observed = "the file exists" if exists else "the file does not exist"
            return _Evaluation(exists is check.options.get("exists", True), observed)
        case "text":
            return _check_presence(check.argument in read_text(check.within, session, sandbox), check)
        case "regex":
            return _match_regex(check, read_text(check.within, session, sandbox))
        case "schema":
            return _check_schema(check.argument, read_text(check.within, session, sandbox))
        case "tool":
            return _check_calls(check, session)
        case "tool_order":
            return _check_order(check.argument, [call.tool for call in session.calls])
    return _Evaluation(is_used is check.argument, "the skill was used" if is_used else "the skill was not used")


def read_text(source: str, session: Session, sandbox: Sandbox) -> str:
    """Return the text that a check reads. source: `answer`, `trace`, `calls`, `stub:NAME`, or a file of the project.

    Raises MissingTextError if the file cannot be read.
    """
    if source == "answer":
        return session.answer
    if source == "trace":
        return "\n".join((*(f"{call.tool} {call.given}" for call in session.calls), *session.texts, session.answer))
    if source == "calls":
        return "\n".join(read_calls(sandbox.base))
    if source.startswith(STUB_PREFIX):
        return read_state(sandbox.base, source.removeprefix(STUB_PREFIX))
    try:
        return nofollow.read(str(resolve_inside(resolve_links(sandbox.project), source)), _MAX_TEXT).decode(
            "utf-8", "replace"
        )
    except (OSError, Refused) as error:
        raise MissingTextError(f"{source}: {getattr(error, 'strerror', None) or 'outside the project'}") from None


def _exists(sandbox: Sandbox, file: str) -> bool:
    try:
        return os.path.lexists(resolve_inside(resolve_links(sandbox.project), file))
    except Refused:
        return False


def _match_regex(check: Check, text: str) -> _Evaluation:
    regex = compile_regex(check.argument, check.options.get("flags", ""))
    if "count" in check.options:
        count = sum(1 for _ in regex.finditer(text))
        return _Evaluation(count == check.options["count"], f"found {count} times")
    return _check_presence(regex.search(text) is not None, check)


def _check_presence(is_found: bool, check: Check) -> _Evaluation:
    must_be_absent = check.options.get("absent", False)
    return _Evaluation(is_found is not must_be_absent, "found" if is_found else "not found")


def _check_schema(schema: Mapping[str, Any], text: str) -> _Evaluation:
    from jsonschema import Draft202012Validator
    from referencing import Registry
    from referencing.exceptions import Unresolvable

    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        return _Evaluation(False, f"invalid JSON: {error}")
    try:
        problem = next(Draft202012Validator(schema, registry=Registry()).iter_errors(value), None)
    except Unresolvable as error:
        return _Evaluation(False, f"the schema has an unresolvable reference: {error}")
    return _Evaluation(problem is None, f"{problem.json_path}: {problem.message}" if problem else "")


def _check_calls(check: Check, session: Session) -> _Evaluation:
    regex = check.options.get("input")
    calls = [call for call in session.calls if call.tool == check.argument]
    if regex:
        calls = [call for call in calls if compile_regex(regex).search(call.given)]
    must_be_called = check.options.get("called", True)
    minimum = check.options.get("min", 1 if must_be_called else 0)
    maximum = check.options.get("max", None if must_be_called else 0)
    is_in_range = len(calls) >= minimum and (maximum is None or len(calls) <= maximum)
    return _Evaluation(is_in_range, f"called {len(calls)} times")


def _check_order(names: Sequence[str], calls: Sequence[str]) -> _Evaluation:
    """Check that the last call of the second tool comes after the first call of the first tool."""
    first, second = names
    if first not in calls or second not in calls:
        return _Evaluation(False, f"{first if first not in calls else second} was not called")
    last_of_second = len(calls) - 1 - calls[::-1].index(second)
    return _Evaluation(calls.index(first) < last_of_second, f"{second} was only called before {first}")


def _parse_object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
