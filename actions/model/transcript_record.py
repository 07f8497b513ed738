"""A line of a transcript -> its record, with the fields that the parser reads and no others.

Most bytes of a transcript repeat what files hold. msgspec passes over the fields that are not named here, which
makes this cheaper than json.loads of the line; what it refuses (NaN, broken UTF-8) is parsed leniently.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

import msgspec

Line = bytes | str | Mapping[str, Any] | None
"""A line of a file, a record or message already parsed, or None for a line over the limit."""

_CWD = re.compile(rb'"cwd": ?("(?:[^"\\]|\\.)*")')
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z?")


class Record(msgspec.Struct, rename="camel"):
    """The fields of a record, and those of a plain `{role, content}` message. All values are hostile."""

    type: Any = None
    subtype: Any = None
    message: Any = None
    role: Any = None
    content: Any = None
    cwd: Any = None
    timestamp: Any = None
    agent_id: Any = None
    attribution_skill: Any = None
    is_meta: Any = None
    is_sidechain: Any = None
    is_compact_summary: Any = None
    is_api_error_message: Any = None
    compact_metadata: Any = None
    tool_use_result: msgspec.Raw = msgspec.Raw()

    @property
    def said(self) -> Mapping[str, Any] | None:
        """The message, where the record holds one or is one."""
        if isinstance(self.message, dict):
            return self.message
        return {"role": self.role, "content": self.content} if self.message is None and self.role is not None else None

    @property
    def moment(self) -> str:
        """The timestamp, or ""."""
        told = self.timestamp
        return told if isinstance(told, str) and _MOMENT.fullmatch(told) else ""

    @property
    def replaced(self) -> str:
        """What a file held before the tool wrote it anew, or ""."""
        if not self.tool_use_result:
            return ""
        try:
            written = _WRITTEN.decode(self.tool_use_result)
        except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
            return ""
        old = written.original_file
        return old if written.type == "update" and isinstance(old, str) else ""


class _Written(msgspec.Struct, rename="camel"):
    type: Any = None
    original_file: Any = None


_RECORD = msgspec.json.Decoder(Record)
_WRITTEN = msgspec.json.Decoder(_Written)
_FIELDS = dict(zip(Record.__struct_encode_fields__, Record.__struct_fields__, strict=True))


def record_of(line: Line) -> Record | None:
    """Give the record of a line, one to be passed over for a blank line; None for what is no record."""
    if not isinstance(line, (bytes, str)):
        return _picked(line) if isinstance(line, Mapping) else None
    try:
        return _RECORD.decode(line)
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        return _leniently(line if isinstance(line, str) else line.decode("utf-8", "replace"))


def _leniently(line: str) -> Record | None:
    if not line or line.isspace():
        return Record(type="system")  # passed over, as they are
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return _picked(record) if isinstance(record, dict) else None


def _picked(record: Mapping[str, Any]) -> Record:
    given = {_FIELDS[key]: value for key, value in record.items() if key in _FIELDS}
    if "tool_use_result" in given:
        given["tool_use_result"] = _raw(given["tool_use_result"])
    return Record(**given)


def _raw(value: Any) -> msgspec.Raw:
    try:
        return msgspec.Raw(msgspec.json.encode(value))
    except (msgspec.MsgspecError, RecursionError, UnicodeError, TypeError, ValueError, OverflowError):
        return msgspec.Raw()


def cwd_of(line: bytes) -> str:
    """Give the working directory that a line names, or "", without parsing the line."""
    found = _CWD.search(line)
    return str(json.loads(found[1].decode("utf-8", "replace"), strict=False)) if found else ""
