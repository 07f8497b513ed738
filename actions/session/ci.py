"""Read the CI status from the columns, symbols and JSON that gh and glab print, never from words in a title or name."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from actions.regex import regex
from actions.session.shell import Command

_BAD = frozenset("fail failure failed failing error timed_out startup_failure x".split())
_WAITS = frozenset("pending queued in_progress waiting requested expected running created cancel cancelled *".split())
_GOOD = frozenset("pass success successful skipping skipped neutral ✓ -".split())
_KEYS = ("bucket", "conclusion", "state", "status")
"""The keys of a CI check's result in gh's JSON, the most specific first."""
_STATE = "pass|fail|pending|skipping|cancel"
_CHECK = regex(rf"[^\t]+\t({_STATE})(?:\t.*)?|[^\t]*\S\s+({_STATE})(?:\s+\d\S*)?(?:\s+https?://\S+)?\s*")
_COUNTS = regex(r"(?:\d+ cancelled, )?(\d+) failing, (\d+) successful, \d+ skipped, and (\d+) pending checks?\s*")
_MARKED = regex(r"\s*([X✓*-])\s+\S.*")
_RUN = regex(r"completed\s+(\w+)\b.*|(in_progress|queued|waiting|pending|requested)\b.*")
_WATCHED = regex(r".* completed with '(\w+)'\s*")
_GITLAB = regex(r"\((\w+)\) .*")
State = tuple[str, str]
"""A state in lower case, and the line that shows it."""


class CiStatus(NamedTuple):
    """The CI status that one command printed. `passed` is None if it does not show the result."""

    record: int
    passed: bool | None
    line: str
    agent: str = ""


def read_ci_status(command: Command) -> CiStatus | None:
    """Return the CI status that a command printed; None if the command does not query it."""
    asked = next((name for part in command.parts if (name := _find_command(part))), "")
    if not asked or command.result is None:
        return None
    found = _parse_json(command.output, asked) or list(_parse_output(command.output, asked))
    for passed, states in ((False, _BAD), (None, _WAITS), (True, _GOOD)):
        line = next((line for state, line in found if state in states), None)
        if line is not None:
            return CiStatus(command.result.record, passed, line, command.agent)
    return CiStatus(command.result.record, None, "", command.agent)


def _find_command(part: tuple[str, ...]) -> str:
    """Return the command that queries the CI status, "json" if it prints JSON, "" for any other command."""
    if part[0] == "gh" and (part[1:3] in (("pr", "checks"), ("run", "list"), ("run", "view"), ("run", "watch"))):
        return " ".join(part[1:3])
    if part[:3] == ("glab", "ci", "status"):
        return "ci status"
    return "json" if part[0] == "gh" and "statusCheckRollup" in " ".join(part) else ""


def _parse_output(text: str, asked: str) -> Iterable[State]:
    """Return the states of all checks, the state of the newest run in a list, or the final state of one run."""
    lines = text.splitlines()
    match asked:
        case "pr checks":
            return [*_rows(_CHECK, lines), *_rows(_MARKED, lines), *_counts(lines)]
        case "run list":
            return [*_rows(_RUN, lines), *_rows(_MARKED, lines)][:1]
        case "run view" | "run watch":
            return list(_rows(_WATCHED, lines))[-1:] or list(_rows(_MARKED, lines))[:1]
    return _rows(_GITLAB, lines)


def _rows(pattern: re.Pattern[str], lines: Iterable[str]) -> Iterator[State]:
    for row in filter(None, map(pattern.fullmatch, lines)):
        yield next(filter(None, row.groups()), "").lower(), row[0].strip()


def _counts(lines: Iterable[str]) -> Iterator[State]:
    for row in filter(None, map(_COUNTS.fullmatch, lines)):
        for state, count in zip(("fail", "pass", "pending"), row.groups(), strict=True):
            if int(count[:9]):
                yield state, row[0].strip()


def _parse_json(text: str, asked: str) -> list[State]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return []
    return list(_states(value[:1] if asked == "run list" and isinstance(value, list) else value))


def _states(value: Any, depth: int = 6) -> Iterator[State]:
    if isinstance(value, Mapping) and (state := _get_state(value)):
        yield state.lower(), state
    elif isinstance(value, list | Mapping) and depth:
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from _states(item, depth - 1)


def _get_state(value: Mapping[str, Any]) -> str:
    states = [state for key in _KEYS if isinstance(state := value.get(key), str) and state]
    return states[0] if states and states[0].lower() in _BAD | _WAITS | _GOOD else ""
