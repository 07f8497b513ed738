"""Read the CI status from the columns, symbols and JSON that gh and glab print, never from words in a title or name."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from actions.json_text import load_json
from actions.regex import regex
from actions.session.shell import Command

_FAILED_STATES = frozenset("fail failure failed failing error timed_out startup_failure x".split())
_PENDING_STATES = frozenset(
    "pending queued in_progress waiting requested expected running created cancel cancelled *".split()
)
_PASSED_STATES = frozenset("pass success successful skipping skipped neutral ✓ -".split())
_RESULT_KEYS = ("bucket", "conclusion", "state", "status")
"""The keys of a CI check's result in gh's JSON, the most specific first."""
_STATE_NAMES = "pass|fail|pending|skipping|cancel"
_CHECK_ROW = regex(
    rf"[^\t]+\t({_STATE_NAMES})(?:\t.*)?|[^\t]*\S\s+({_STATE_NAMES})(?:\s+\d\S*)?(?:\s+https?://\S+)?\s*"
)
_COUNTS_ROW = regex(r"(?:\d+ cancelled, )?(\d+) failing, (\d+) successful, \d+ skipped, and (\d+) pending checks?\s*")
_SYMBOL_ROW = regex(r"\s*([X✓*-])\s+\S.*")
_RUN_ROW = regex(r"completed\s+(\w+)\b.*|(in_progress|queued|waiting|pending|requested)\b.*")
_WATCHED_RUN = regex(r".* completed with '(\w+)'\s*")
_GITLAB_ROW = regex(r"\((\w+)\) .*")


class _CheckState(NamedTuple):
    """The state of a check, in lower case, and the line that shows it."""

    name: str
    line: str


class CiStatus(NamedTuple):
    """The CI status that a command printed in `record`.

    `line` is the line that shows the status. `passed` is None if the result is not known yet.
    """

    record: int
    passed: bool | None
    line: str
    agent: str = ""


def read_ci_status(command: Command) -> CiStatus | None:
    """Return the CI status that a command printed, or None if the command does not query it."""
    query = next((name for part in command.parts if (name := _get_query(part))), "")
    if not query or command.result is None:
        return None
    states = _parse_json(command.output, query) or list(_parse_output(command.output, query))
    for passed, names in ((False, _FAILED_STATES), (None, _PENDING_STATES), (True, _PASSED_STATES)):
        line = next((state.line for state in states if state.name in names), None)
        if line is not None:
            return CiStatus(command.result.record, passed, line, command.agent)
    return CiStatus(command.result.record, None, "", command.agent)


def _get_query(part: tuple[str, ...]) -> str:
    """Return the CI query that a simple command runs ("json" if it prints JSON), or "" if it runs none."""
    if part[0] == "gh" and (part[1:3] in (("pr", "checks"), ("run", "list"), ("run", "view"), ("run", "watch"))):
        return " ".join(part[1:3])
    if part[:3] == ("glab", "ci", "status"):
        return "ci status"
    return "json" if part[0] == "gh" and "statusCheckRollup" in " ".join(part) else ""


def _parse_output(text: str, query: str) -> Iterable[_CheckState]:
    """Return the states of all checks, the state of the newest run in a list, or the final state of one run."""
    lines = text.splitlines()
    match query:
        case "pr checks":
            return [*_match_rows(_CHECK_ROW, lines), *_match_rows(_SYMBOL_ROW, lines), *_read_counts(lines)]
        case "run list":
            return [*_match_rows(_RUN_ROW, lines), *_match_rows(_SYMBOL_ROW, lines)][:1]
        case "run view" | "run watch":
            return list(_match_rows(_WATCHED_RUN, lines))[-1:] or list(_match_rows(_SYMBOL_ROW, lines))[:1]
    return _match_rows(_GITLAB_ROW, lines)


def _match_rows(pattern: re.Pattern[str], lines: Iterable[str]) -> Iterator[_CheckState]:
    """Yield the state in each matching line: the first group of the pattern that is not empty."""
    for row in filter(None, map(pattern.fullmatch, lines)):
        yield _CheckState(next(filter(None, row.groups()), "").lower(), row[0].strip())


def _read_counts(lines: Iterable[str]) -> Iterator[_CheckState]:
    """Yield the states with a count above zero in summary lines."""
    for row in filter(None, map(_COUNTS_ROW.fullmatch, lines)):
        for name, count in zip(("fail", "pass", "pending"), row.groups(), strict=True):
            if int(count[:9]):
                yield _CheckState(name, row[0].strip())


def _parse_json(text: str, query: str) -> list[_CheckState]:
    """Return the states in JSON output, or [] if the output is not JSON. In a list of runs, only the newest is read."""
    try:
        value = load_json(text)
    except (ValueError, RecursionError):
        return []
    return list(_find_states(value[:1] if query == "run list" and isinstance(value, list) else value))


def _find_states(value: Any, depth: int = 6) -> Iterator[_CheckState]:
    """Yield the states of all checks in a JSON value, down to `depth` nested levels."""
    if isinstance(value, Mapping) and (state := _get_state(value)):
        yield _CheckState(state.lower(), state)
    elif isinstance(value, list | Mapping) and depth:
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from _find_states(item, depth - 1)


def _get_state(value: Mapping[str, Any]) -> str:
    """Return the state of a check, or "" if a JSON object is not a check with a known state."""
    states = [state for key in _RESULT_KEYS if isinstance(state := value.get(key), str) and state]
    return states[0] if states and states[0].lower() in _FAILED_STATES | _PENDING_STATES | _PASSED_STATES else ""
