"""Recognize tool calls that failed, even if Claude Code does not mark them as errors."""

from typing import Any, NamedTuple

from actions.json_text import load_json
from actions.regex import regex
from actions.session.transcript import Result, Step

_MAX_WORDS = 300
_SUCCESS_KEYS = ("success", "ok", "valid")
_REASON_KEYS = ("error", "error_type", "reason", "message")
_ERROR_LINE = regex(
    r"(?:\w+: )?(?:line \d+: )?\S+: command not found|\S*: (?:error|Error): |[Ee]rror: |fatal: |bash: |sh: "
    r"|\S+: No such file or directory$|Unknown (?:command|option)"
)
_TRACEBACK = "Traceback (most recent call last):"
_EXCEPTION = regex(r"[\w.]+(?:Error|Exception|Exit|Interrupt)\b")
_NOT_STARTED_PREFIX = "<tool_use_error>"
"""The beginning of the result of a command that Claude Code did not start."""
_CANCELLED_PREFIXES = ("<tool_use_error>Sibling tool call errored", "<tool_use_error>Cancelled:")
"""Prefixes of the result of a call that Claude Code cancelled because another call of the same turn failed."""
_USER_SAID = "the user said:"
"""Precedes the user's reason in the result of a refused call."""


class Failure(NamedTuple):
    """A failed call: the text of its result, and whether Claude Code marked the result as an error."""

    words: str
    is_marked: bool


def find_failure(step: Step) -> Failure | None:
    """Return the failure of a call, or None if the call did not fail, did not run, or has no result.

    A call failed if its result is marked as an error, is JSON with a false `success`, begins with an error line or ends
    with an exception. A call that the user refused did not fail.
    """
    result = step.result
    if result is None or result.is_refused:
        return None
    if result.is_error:
        not_started = _NOT_STARTED_PREFIX if step.call.name == "Bash" else _CANCELLED_PREFIXES
        return None if result.text.startswith(not_started) else Failure(_shorten(result.text), True)
    if step.call.name != "Bash" and not step.call.name.startswith("mcp__"):
        return None
    words = _read_json_failure(parse_output(result.text)) or _find_error_line(result.text)
    return Failure(_shorten(words), False) if words else None


def parse_output(text: str) -> Any:
    """Return the JSON value of an output or of its last lines, or None."""
    text = text.strip()
    starts = [0] if text[:1] in "{[" else []
    line = text.rfind("\n{")
    starts += [line + 1] if line >= 0 else []
    for start in starts:
        try:
            return load_json(text[start:])
        except (ValueError, RecursionError):
            continue
    return None


def get_refusal(result: Result | None) -> str | None:
    """Return the user's reason for refusing a call ("" if none was given), or None if the call was not refused."""
    if result is None or not result.is_refused:
        return None
    return _shorten(result.text.partition(_USER_SAID)[2])


def _read_json_failure(value: Any) -> str:
    """Return the false flag and the reasons of a JSON object that reports a failure, or ""."""
    if not isinstance(value, dict):
        return ""
    flags = [key for key in _SUCCESS_KEYS if value.get(key) is False]
    reasons = [f"{key}: {value[key]}" for key in _REASON_KEYS if isinstance(value.get(key), str) and value[key]]
    if not flags and reasons:
        flags = [key for key, flag in value.items() if flag is False and key.isidentifier()]
        flags = flags if len(flags) == 1 and len(value) <= len(reasons) + 2 else []
    return ", ".join([f"{flags[0]}: false", *reasons]) if flags else ""


def _find_error_line(text: str) -> str:
    """Return the first line of an output if it is an error, else the exception at its end, or ""."""
    lines = text.strip().splitlines()
    if lines and _ERROR_LINE.match(lines[0]):
        return lines[0]
    return lines[-1] if lines and _TRACEBACK in lines and _EXCEPTION.match(lines[-1]) else ""


def _shorten(text: str) -> str:
    return " ".join(text.split())[:_MAX_WORDS]
