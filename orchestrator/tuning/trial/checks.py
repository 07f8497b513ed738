"""Whether a run succeeded: each check of its task asked of what the run did and left behind.

A check says True, False or None: nobody can tell. Text of a run is hostile, and so are the patterns of a task: both
meet within a limit of time.
"""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from orchestrator.engine.time_limit import limit_time
from orchestrator.errors import Refused, one_line
from orchestrator.fs import nofollow
from orchestrator.model.agent import Session
from orchestrator.run.workspace.paths import inside, real
from orchestrator.tuning.trial.consent import format_names
from orchestrator.tuning.trial.patterns import pattern
from orchestrator.tuning.trial.sandbox import Sandbox
from orchestrator.tuning.trial.tasks import Check, Task

_COMMAND, _PATTERN = 120, 1.0
"""Seconds that a command may take, and a pattern or schema on one text (of CPU)."""

_TEXT = 2_000_000


@dataclass(frozen=True)
class Result:
    """What a check says, and why; `passed` is None where nobody can tell."""

    label: str
    passed: bool | None
    why: str = ""


class NoText(Exception):  # noqa: N818 - it is named for what happened
    """What should be looked at is not there."""


async def asked(
    task: Task, session: Session, sandbox: Sandbox, skill: str, rewritten: Sequence[str] = ()
) -> list[Result]:
    """Return what the checks say that need no model. `skill` is the name under which the skill was there.

    rewritten: files of the skill that the run changed; no command is started beside them.
    """
    there = used(task, session, skill)
    run = partial(_run, task, sandbox, rewritten)
    return [
        await run(check) if check.kind == "command" else _asked(check, session, sandbox, there)
        for check in task.checks
        if check.kind != "rubric"
    ]


def used(task: Task, session: Session, skill: str) -> bool:
    """Return whether the skill was used in a session, because of its text or because the task calls it."""
    return task.calls(skill) or any(
        call.tool == "Skill" and str(_json(call.given).get("skill", "")).rpartition(":")[2] == skill
        for call in session.calls
    )


async def _run(task: Task, sandbox: Sandbox, rewritten: Sequence[str], check: Check) -> Result:
    if rewritten:
        why = f"{format_names(rewritten)} was changed in the run, so the command was not started"
        return Result(check.label, None, one_line(why)[:300])
    try:
        done = await sandbox.run(check.about, _COMMAND, network=task.network)
    except (OSError, ValueError) as error:  # too long for the system, say
        return Result(check.label, None, one_line(f"it cannot be started: {error}")[:300])
    passed = not done.broke and done.code == check.more.get("exit", 0)
    why = f"it ran out of {done.broke}" if done.broke else f"exit code {done.code}: {done.said[-200:]}"
    return Result(check.label, passed, "" if passed else one_line(why))


def _asked(check: Check, session: Session, sandbox: Sandbox, there: bool) -> Result:
    try:
        with limit_time(_PATTERN):
            passed, why = _said(check, session, sandbox, there)
    except TimeoutError:
        passed, why = None, f"not answered within {_PATTERN:g} s"
    except NoText as gone:
        passed, why = bool(check.more.get("absent")), str(gone)
    except Exception as error:  # noqa: BLE001 - a reference of a schema may lead to anything
        passed, why = None, f"it cannot be asked: {error!r}"
    return Result(check.label, passed, "" if passed else one_line(why)[:300])


def _said(check: Check, session: Session, sandbox: Sandbox, there: bool) -> tuple[bool | None, str]:
    match check.kind:
        case "file":
            exists = _is_there(sandbox, check.about)
            return exists is check.more.get("exists", True), "it is there" if exists else "it is not there"
        case "text":
            return _stands(check.about in text_of(check.within, session, sandbox), check)
        case "regex":
            return _matched(check, text_of(check.within, session, sandbox))
        case "schema":
            return _meets(check.about, text_of(check.within, session, sandbox))
        case "tool":
            return _called(check, session)
        case "tool_order":
            return _in_order(check.about, [call.tool for call in session.calls])
    return there is check.about, "it was used" if not check.about else "it was not used"


def text_of(place: str, session: Session, sandbox: Sandbox) -> str:
    """Return the text that a check looks at."""
    if place == "answer":
        return session.answer
    if place == "trace":
        return "\n".join((*(f"{call.tool} {call.given}" for call in session.calls), *session.texts, session.answer))
    try:
        return nofollow.read(str(inside(real(sandbox.project), place)), _TEXT).decode("utf-8", "replace")
    except (OSError, Refused) as error:
        raise NoText(f"{place}: {getattr(error, 'strerror', None) or 'leads out of the project'}") from None


def _is_there(sandbox: Sandbox, file: str) -> bool:
    try:
        return os.path.lexists(inside(real(sandbox.project), file))
    except Refused:
        return False


def _matched(check: Check, text: str) -> tuple[bool, str]:
    wanted = pattern(check.about, check.more.get("flags", ""))
    if "count" in check.more:
        count = sum(1 for _ in wanted.finditer(text))
        return count == check.more["count"], f"it stands there {count} times"
    return _stands(wanted.search(text) is not None, check)


def _stands(there: bool, check: Check) -> tuple[bool, str]:
    return there is not check.more.get("absent", False), "it stands there" if there else "it does not stand there"


def _meets(schema: Mapping[str, Any], text: str) -> tuple[bool, str]:
    from jsonschema import Draft202012Validator
    from referencing import Registry
    from referencing.exceptions import Unresolvable

    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        return False, f"no JSON: {error}"
    try:
        problem = next(Draft202012Validator(schema, registry=Registry()).iter_errors(value), None)
    except Unresolvable as error:
        return False, f"the schema leads elsewhere: {error}"
    return problem is None, f"{problem.json_path}: {problem.message}" if problem else ""


def _called(check: Check, session: Session) -> tuple[bool, str]:
    wanted = check.more.get("input")
    calls = [call for call in session.calls if call.tool == check.about]
    if wanted:
        calls = [call for call in calls if pattern(wanted).search(call.given)]
    least = check.more.get("min", 1 if check.more.get("called", True) else 0)
    most = check.more.get("max", None if check.more.get("called", True) else 0)
    return len(calls) >= least and (most is None or len(calls) <= most), f"it was called {len(calls)} times"


def _in_order(names: Sequence[str], calls: Sequence[str]) -> tuple[bool, str]:
    first, then = names
    if first not in calls or then not in calls:
        return False, f"{first if first not in calls else then} was not called"
    return calls.index(first) < len(calls) - 1 - calls[::-1].index(then), f"{then} was called before {first} only"


def _json(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
