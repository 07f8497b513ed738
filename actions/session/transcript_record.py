"""Parse a line of a transcript into a record with the fields that the parser reads.

Most bytes of a transcript repeat the contents of files. msgspec skips the fields that are not declared here and leaves
tool results as bytes until they are needed, which is faster than `json.loads` on the whole line. A line that msgspec
rejects (NaN, invalid UTF-8, fields of unexpected types) is parsed leniently.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from math import isfinite
from typing import Any

import msgspec

from actions.regex import regex

Line = bytes | str | Mapping[str, Any] | None
"""A line of a file, a parsed record or message, or None for a line that is too long."""
_FLAG_TYPES = dict.fromkeys("is_error isMeta isSidechain isCompactSummary isApiErrorMessage".split(), bool)
_TEXT_TYPES = dict.fromkeys(
    "text id name tool_use_id cwd gitBranch timestamp agentId attributionSkill version entrypoint operation".split(),
    str,
)
_FIELD_TYPES: dict[str, type] = {"usage": dict, **_FLAG_TYPES, **_TEXT_TYPES}
_TIMESTAMP = regex(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z?")
_NO_BYTES = msgspec.Raw()
_CONTEXT_TYPES = "hook_additional_context nested_memory file already_read_file directory".split()
"""The types of attachments whose text Claude Code added to the context."""
_MAX_DEPTH = 4
"""Maximum nesting depth at which to search an attachment for texts."""


class Block(msgspec.Struct, gc=False):
    """A content block of a message: text, a tool call or a tool result."""

    type: Any = None
    text: str | None = None
    id: str | None = None
    name: str | None = None
    input: msgspec.Raw = _NO_BYTES
    tool_use_id: str | None = None
    content: msgspec.Raw = _NO_BYTES
    is_error: bool | None = None


class RawUsage(msgspec.Struct, gc=False):
    """The token counts of a message."""

    input_tokens: Any = 0
    output_tokens: Any = 0
    cache_creation_input_tokens: Any = 0
    cache_read_input_tokens: Any = 0


class RawMessage(msgspec.Struct, gc=False):
    """A message, whose content is text or blocks."""

    role: Any = None
    id: str | None = None
    usage: RawUsage | None = None
    content: str | list[Block] | None = None


class Attachment(msgspec.Struct, rename="camel", gc=False):
    """An attachment, which may add text to the context. The shape of `content` depends on `type`."""

    type: Any = None
    content: msgspec.Raw = _NO_BYTES
    skills: msgspec.Raw = _NO_BYTES
    hook_event: Any = None
    path: Any = None
    filename: Any = None

    @property
    def added_text(self) -> tuple[str, str] | None:
        """The text that the attachment adds to the context, as (source, text), or None if it adds none.

        The text is a hook's output, a memory file, or a file that the user mentioned.
        """
        if self.type not in _CONTEXT_TYPES:
            return None
        source = next((name for name in (self.path, self.filename, self.hook_event) if isinstance(name, str)), "")
        text = "\n".join(_find_texts(parse_value(self.content)))
        return (source, text) if text else None

    @property
    def reattached_skills(self) -> Iterator[tuple[str, str, str]]:
        """The skills that were attached again after a compaction, each as (name, path, text)."""
        skills = parse_value(self.skills) if self.type == "invoked_skills" else None
        for skill in skills if isinstance(skills, list) else ():
            texts = [skill.get(key) for key in ("name", "path", "content")] if isinstance(skill, dict) else []
            if texts and isinstance(texts[2], str):
                yield str(texts[0] or ""), str(texts[1] or ""), texts[2]


class Record(msgspec.Struct, rename="camel", gc=False):
    """The fields of a record or of a plain `{role, content}` message."""

    type: Any = None
    subtype: Any = None
    message: RawMessage | None = None
    role: Any = None
    content: msgspec.Raw = _NO_BYTES
    cwd: str | None = None
    git_branch: str | None = None
    timestamp: str | None = None
    agent_id: str | None = None
    attribution_skill: str | None = None
    is_meta: bool | None = None
    is_sidechain: bool | None = None
    is_compact_summary: bool | None = None
    is_api_error_message: bool | None = None
    compact_metadata: Any = None
    tool_use_result: msgspec.Raw = _NO_BYTES
    version: str | None = None
    entrypoint: str | None = None
    operation: str | None = None
    data: msgspec.Raw = _NO_BYTES
    attachment: msgspec.Raw = _NO_BYTES

    @property
    def parsed_attachment(self) -> Attachment:
        """The attachment of the record, or an empty one if it has an unexpected shape."""
        try:
            return _decode_attachment(self.attachment)
        except _DECODE_ERRORS:
            return Attachment()

    @property
    def relayed_record(self) -> "Record | None":
        """The record of a sub-agent in a progress record, or None for other progress records."""
        progress = parse_value(self.data) if b"agent_progress" in bytes(self.data) else None
        if not isinstance(progress, dict) or progress.get("type") != "agent_progress":
            return None
        inner = progress.get("message")
        record = parse_record(inner) if isinstance(inner, dict) else None
        if record is None or record.message is None:
            return None
        record.agent_id, record.is_sidechain = str(progress.get("agentId") or "sidechain"), True
        return record

    @property
    def old_text(self) -> str:
        """The old text of a file that the tool overwrote, or ""."""
        value = parse_value(self.tool_use_result)
        old = value.get("originalFile") if isinstance(value, dict) and value.get("type") == "update" else None
        return old if isinstance(old, str) else ""

    @property
    def as_message(self) -> RawMessage | None:
        """The message in the record, the record itself if it is a plain message, or None for other records."""
        return self.message or (
            None if self.role is None else RawMessage(self.role, content=_decode_content(self.content))
        )


def parse_timestamp(value: Any) -> str:
    """Return a timestamp, or "" for any other value."""
    return value if isinstance(value, str) and _TIMESTAMP.fullmatch(value) else ""


_decode = msgspec.json.Decoder(Record).decode
_BLOCK_DECODER = msgspec.json.Decoder(Block)
_decode_attachment = msgspec.json.Decoder(Attachment).decode
_decode_expected_content = msgspec.json.Decoder(str | list[Block]).decode
_decode_any = msgspec.json.Decoder().decode
_DECODE_ERRORS = (msgspec.MsgspecError, RecursionError, ValueError, TypeError)


def parse_record(line: Line) -> Record | None:
    """Parse a line. Return an empty record for a blank line, and None for an invalid one."""
    try:
        return _decode(line)  # type: ignore[arg-type]
    except _DECODE_ERRORS:
        return None if line is None else _parse_malformed(line)


def _parse_malformed(line: bytes | str | Mapping[str, Any]) -> Record | None:
    """Parse a line that is already parsed, blank, invalid JSON, or has fields of unexpected types."""
    with suppress(*_DECODE_ERRORS):
        if not isinstance(line, (bytes, str)):
            return _decode(msgspec.json.encode(line))
        if not line or line.isspace():
            return Record("system")
    with suppress(*_DECODE_ERRORS):
        value = _parse_leniently(line) if isinstance(line, (bytes, str)) else line
        return _decode(_encode_json(_drop_mistyped_fields(value)))
    return None


def _drop_mistyped_fields(record: Any) -> Any:
    """Remove the fields of unexpected types from a record and from the message in it."""
    if not isinstance(record, Mapping):
        return record
    fields, message = _filter_fields(record), record.get("message")
    if isinstance(message, dict):
        content = message.get("content")
        if not isinstance(content, str):
            blocks = content if isinstance(content, list) else None
            content = blocks and [_filter_fields(block) for block in blocks if isinstance(block, dict)]
        fields["message"] = {**_filter_fields(message), "content": content}
    return fields


def _filter_fields(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a record or block that have the expected types."""
    return {key: value for key, value in value.items() if isinstance(value, _FIELD_TYPES.get(key, object))}


def _find_texts(content: Any, depth: int = _MAX_DEPTH) -> Iterator[str]:
    """Yield the texts of an attachment: a string, a list of them, or a file with its content."""
    if isinstance(content, str):
        yield content
    elif depth and isinstance(content, list):
        yield from (text for part in content for text in _find_texts(part, depth - 1))
    elif depth and isinstance(content, dict):
        yield from _find_texts(content.get("file") or content.get("content"), depth - 1)


def parse_value(raw: msgspec.Raw) -> Any:
    """Return the JSON value of bytes, or None if they are not JSON."""
    try:
        return _decode_any(raw)
    except _DECODE_ERRORS:
        return _parse_leniently(bytes(raw))


def _parse_leniently(text: Any) -> Any:
    """Return the JSON value of text that may contain NaN, infinities or invalid UTF-8, or None if it is not JSON."""
    try:
        value = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
        return json.loads(
            value, parse_constant=lambda _: None, parse_float=lambda value: x if isfinite(x := float(value)) else None
        )
    except _DECODE_ERRORS:
        return None


def _encode_json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")


def read_text(raw: msgspec.Raw) -> str:
    """Return the text of a tool result, whose content is a string or a list of blocks."""
    content = _decode_content(raw)
    if isinstance(content, str):
        return content
    return "\n".join(block.text for block in content if isinstance(block.text, str))


def _decode_content(raw: msgspec.Raw) -> str | list[Block]:
    """Return the text or blocks of a message or result, or [] if its content has another shape."""
    try:
        content_as_expected: str | list[Block] = _decode_expected_content(raw)
        return content_as_expected
    except _DECODE_ERRORS:
        content = parse_value(raw)
    if isinstance(content, list):
        return [_BLOCK_DECODER.decode(_encode_json(_filter_fields(part))) for part in content if isinstance(part, dict)]
    return content if isinstance(content, str) else []
