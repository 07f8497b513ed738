"""A line of a transcript -> its record, with the fields that the parser reads. All values are hostile: of any type.

Most bytes of a transcript repeat what files hold. msgspec passes over the fields that are not named here, which makes
this cheaper than json.loads of the line; what it refuses (NaN, broken UTF-8) is parsed leniently.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

Part = Mapping[str, Any]
"""A message, or a part of one."""
Line = bytes | str | Part | None
"""A line of a file, a record or message already parsed, or None for a line over the limit."""

_CWD = re.compile(rb'"cwd": ?("(?:[^"\\]|\\.)*")')
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z?")


class Record(msgspec.Struct, rename="camel"):
    """The fields of a record, and those of a plain `{role, content}` message."""

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
    def said(self) -> Part | None:
        """The message that the record holds, or is; None where nobody speaks."""
        if isinstance(self.message, Mapping):
            return self.message
        return None if self.role is None else {"role": self.role, "content": self.content}

    @property
    def moment(self) -> str:
        """The timestamp, or ""."""
        told = self.timestamp
        return told if isinstance(told, str) and _MOMENT.fullmatch(told) else ""

    @property
    def replaced(self) -> str:
        """What a file held before the tool wrote it anew, or ""."""
        raw: Any = self.tool_use_result
        told = _json(bytes(raw)) if isinstance(raw, msgspec.Raw) else raw
        old = told.get("originalFile") if isinstance(told, Mapping) and told.get("type") == "update" else None
        return old if isinstance(old, str) else ""


_RECORD = msgspec.json.Decoder(Record)
_FIELDS = dict(zip(Record.__struct_encode_fields__, Record.__struct_fields__, strict=True))


def record_of(line: Line) -> Record | None:
    """Return the record of a line, one to be passed over for a blank line; None for what is no record."""
    if isinstance(line, (bytes, str)):
        try:
            return _RECORD.decode(line)
        except (msgspec.MsgspecError, RecursionError, UnicodeError):
            line = {"type": "system"} if not line or line.isspace() else _json(line)  # a blank line is passed over
    if not isinstance(line, Mapping):
        return None
    return Record(**{_FIELDS[key]: value for key, value in line.items() if key in _FIELDS})


def _json(text: bytes | str) -> Any:
    try:
        return json.loads(text if isinstance(text, str) else text.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None


def blocks_of(message: Part) -> Sequence[Part]:
    """Return the parts of a message, a plain text as one."""
    content = message.get("content")
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [block for block in content if isinstance(block, Mapping)] if isinstance(content, (list, tuple)) else []


def cwd_of(line: bytes) -> str:
    """Return the working directory that a line names, or "", without parsing the line."""
    found = _CWD.search(line)
    return str(json.loads(found[1].decode("utf-8", "replace"), strict=False)) if found else ""
