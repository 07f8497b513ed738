"""A line of a transcript -> its record, cut down to what the parser needs.

Most bytes of a transcript repeat what files hold: results of Read, `toolUseResult`, progress. They are passed
over without being parsed, which makes this cheaper than json.loads of the line. A line of an unusual shape is
parsed whole.
"""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

Record = Mapping[str, Any]

_PASSED = frozenset({b"progress", b"file-history-snapshot", b"queue-operation", b"attachment"})
_TYPE = re.compile(rb'"type": ?"([\w-]+)"')
_RESULT_OF = re.compile(rb'"tool_use_id": ?"([^"\\]+)"')
_FAILED = re.compile(rb'"is_error": ?true')
_FLAG = re.compile(r'"(isMeta|isCompactSummary|isApiErrorMessage|isSidechain)": ?true')
_NAME = re.compile(r'"(attributionSkill|agentId)": ?"([^"\\]*)"')
_CWD = re.compile(rb'"cwd": ?("(?:[^"\\]|\\.)*")')
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z?")
_RESULT = b'"toolUseResult":'
_MESSAGE = b'"message":'
_UPDATE = b'"type":"update"'
_ORIGINAL = b'"originalFile":'
_decode = json.JSONDecoder().raw_decode
_NOTHING: Record = {}


def scan(line: bytes, is_unread: Callable[[str], bool]) -> Record | None:
    """Give the record of a line; {} for one that nobody needs, None for one that is no record.

    `is_unread` tells of a tool call's id that nobody reads its result: only that it came is then told.
    """
    start = line.find(_MESSAGE)
    if start < 0 or line.find(b"{", 1, start) >= 0:
        type = _TYPE.search(line)
        return _NOTHING if type is not None and type[1] in _PASSED else _whole(line)
    end = line.find(_RESULT, start)
    if end < 0:
        return _NOTHING if _is_thought(line, start) else _plain(line, start, len(line))
    if (id := _unread(line, start, end)) is not None and is_unread(id):
        record: dict[str, Any] = {"message": {"content": [{"type": "tool_result", "tool_use_id": id}]}}
        if line.find(_UPDATE, end, end + 60) >= 0:
            record["replaced"] = _replaced(line, end)
        return record
    return _plain(line, start, end)


def cwd_of(line: bytes) -> str:
    """Give the working directory that a line names, or ""."""
    found = _CWD.search(line)
    return str(json.loads(found[1].decode("utf-8", "replace"), strict=False)) if found else ""


def moment_of(line: bytes | Record | None) -> str:
    """Give the timestamp of a record, or ""."""
    if isinstance(line, bytes):
        line = _whole(line) if b'"timestamp"' in line else None
    found = line.get("timestamp") if line else None
    return found if isinstance(found, str) and _MOMENT.fullmatch(found) else ""


def _plain(line: bytes, start: int, end: int) -> Record | None:
    """Parse only the message between `start` and `end`; pick the few other fields from what surrounds it."""
    try:
        text = line[start + len(_MESSAGE) : end].decode("utf-8", "replace")
        message, stop = _decode(text, text.index("{"))
    except (ValueError, RecursionError):
        return _whole(line)
    record: dict[str, Any] = {"message": message}
    rest = text[stop:]
    if line.find(b"true", 0, start) >= 0:
        rest += line[:start].decode("utf-8", "replace")
    if "true" in rest:
        record.update(dict.fromkeys(_FLAG.findall(rest), True))
    if '"attributionSkill"' in rest or '"agentId"' in rest:
        record.update(_NAME.findall(rest))
    return record


def _is_thought(line: bytes, start: int) -> bool:
    """Whether the message is thinking alone."""
    return (
        line.find(b'[{"type":"thinking"', start, start + 400) > 0
        and b'{"type":"tool_use"' not in line
        and b'{"type":"text"' not in line
    )


def _unread(line: bytes, start: int, end: int) -> str | None:
    """Give the id of the call whose good result this line is."""
    given = _RESULT_OF.search(line, start, end)
    if given is None or _FAILED.search(line, max(start, end - 400), end):
        return None
    if _FAILED.search(line, start, given.end() + 200):
        return None
    return given[1].decode("utf-8", "replace")


def _replaced(line: bytes, start: int) -> str:
    """Give what a file held before it was written anew."""
    at = line.find(_ORIGINAL, start)
    try:
        text = _decode(line[at + len(_ORIGINAL) :].decode("utf-8", "replace").lstrip())[0] if at >= 0 else ""
    except (ValueError, RecursionError):
        return ""
    return text if isinstance(text, str) else ""


def _whole(line: bytes) -> Record | None:
    try:
        record = json.loads(line.decode("utf-8", "replace")) if not line.isspace() else _NOTHING
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None
