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


class Block(msgspec.Struct):
    """A part of a message. What a tool gave back stays undecoded until `result` is asked for."""

    type: Any = None
    text: Any = None
    id: Any = None
    name: Any = None
    input: Any = None
    tool_use_id: Any = None
    is_error: Any = None
    content: msgspec.Raw = msgspec.Raw()

    @property
    def result(self) -> Any:
        """What a tool gave back: a text, or a list of parts."""
        raw: Any = self.content
        if not isinstance(raw, msgspec.Raw):
            return raw
        try:
            return msgspec.json.decode(raw) if raw else ""
        except (msgspec.MsgspecError, RecursionError, UnicodeError):
            return _lenient_json(bytes(raw).decode("utf-8", "replace"))


class Said(msgspec.Struct):
    """A message; one in which nobody speaks has no role."""

    role: Any = None
    id: Any = None
    usage: Any = None
    content: str | list[Block] | None = None

    @property
    def blocks(self) -> list[Block]:
        """The parts of the message, a plain text as one."""
        if isinstance(self.content, str):
            return [Block(type="text", text=self.content)]
        return self.content or []


class Record(msgspec.Struct, rename="camel"):
    """The fields of a record, and those of a plain `{role, content}` message. All values are hostile."""

    type: Any = None
    subtype: Any = None
    message: Said | None = None
    role: Any = None
    content: str | list[Block] | None = None
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
    def said(self) -> Said | None:
        """The message, where the record holds one or is one."""
        if self.message is not None or self.role is None:
            return self.message
        return Said(self.role, content=self.content)

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
_NESTED = {"message", "content", "tool_use_result"}


def record_of(line: Line) -> Record | None:
    """Return the record of a line, one to be passed over for a blank line; None for what is no record."""
    if not isinstance(line, (bytes, str)):
        return _picked(line) if isinstance(line, Mapping) else None
    try:
        return _RECORD.decode(line)
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        return _leniently(line if isinstance(line, str) else line.decode("utf-8", "replace"))


def _leniently(line: str) -> Record | None:
    if not line or line.isspace():
        return Record(type="system")  # passed over, as they are
    record = _lenient_json(line)
    return _picked(record) if isinstance(record, dict) else None


def _lenient_json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _picked(record: Mapping[str, Any]) -> Record:
    """Take the fields out of a record that was parsed elsewhere; what has not the shape of one is left out."""
    given = {_FIELDS[key]: value for key, value in record.items() if key in _FIELDS and _FIELDS[key] not in _NESTED}
    message = record.get("message")
    return Record(
        **given,
        message=_said(message) if isinstance(message, Mapping) else None,
        content=_parts(record.get("content")),
        tool_use_result=_raw(record.get("toolUseResult")),
    )


def _said(message: Mapping[str, Any]) -> Said:
    return Said(message.get("role"), message.get("id"), message.get("usage"), _parts(message.get("content")))


def _parts(content: Any) -> str | list[Block] | None:
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, (list, tuple)) else ()
    return [
        Block(**{field: block[field] for field in Block.__struct_fields__ if field in block})
        for block in blocks
        if isinstance(block, Mapping)
    ]


def _raw(value: Any) -> msgspec.Raw:
    if value is None:
        return msgspec.Raw()
    try:
        return msgspec.Raw(msgspec.json.encode(value))
    except (msgspec.MsgspecError, RecursionError, UnicodeError, TypeError, ValueError, OverflowError):
        return msgspec.Raw()


def cwd_of(line: bytes) -> str:
    """Return the working directory that a line names, or "", without parsing the line."""
    found = _CWD.search(line)
    return str(json.loads(found[1].decode("utf-8", "replace"), strict=False)) if found else ""
