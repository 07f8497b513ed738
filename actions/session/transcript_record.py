"""A line of a transcript -> its record, as plain JSON values. All of them are hostile: any type under any key."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

Record = Mapping[str, Any]
Line = bytes | str | Record | None
"""A line of a file, a record or message already parsed, or None for a line over the limit."""

_CWD = re.compile(rb'"cwd": ?("(?:[^"\\]|\\.)*")')
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z?")


def record_of(line: Line) -> Record | None:
    """Return the record of a line, one to be passed over for a blank line; None for what is no record."""
    record = _parsed(line) if isinstance(line, (bytes, str)) else line
    return record if isinstance(record, Mapping) else None


def _parsed(line: bytes | str) -> Any:
    """Return the JSON of a line; what the quick parser refuses (NaN, broken UTF-8) is parsed leniently."""
    if not line or line.isspace():
        return {"type": "system"}  # passed over, as they are
    try:
        return msgspec.json.decode(line)
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        text = line if isinstance(line, str) else line.decode("utf-8", "replace")
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def message_of(record: Record) -> Record | None:
    """Return the message that a record holds, or is; None where nobody speaks."""
    message = record.get("message")
    if isinstance(message, Mapping) or record.get("role") is None:
        return message if isinstance(message, Mapping) else None
    return {"role": record["role"], "content": record.get("content")}


def blocks_of(message: Record) -> Sequence[Record]:
    """Return the parts of a message, a plain text as one."""
    content = message.get("content")
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [block for block in content if isinstance(block, Mapping)] if isinstance(content, (list, tuple)) else []


def moment_of(record: Record) -> str:
    """Return the timestamp of a record, or ""."""
    told = record.get("timestamp")
    return told if isinstance(told, str) and _MOMENT.fullmatch(told) else ""


def replaced_by(record: Record) -> str:
    """Return what a file held before the tool wrote it anew, or ""."""
    told = record.get("toolUseResult")
    old = told.get("originalFile") if isinstance(told, Mapping) and told.get("type") == "update" else None
    return old if isinstance(old, str) else ""


def cwd_of(line: bytes) -> str:
    """Return the working directory that a line names, or "", without parsing the line."""
    found = _CWD.search(line)
    return str(json.loads(found[1].decode("utf-8", "replace"), strict=False)) if found else ""
