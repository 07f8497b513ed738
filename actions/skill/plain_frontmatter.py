"""Read simple frontmatter without PyYAML, whose import takes a sixth of the time to check a small skill.

Text that PyYAML might read differently is left to PyYAML. The tests compare the results.
"""

from collections.abc import Sequence

_MAX_CHARS = 10_000
_BOOLEANS = {"true": True, "false": False}
_AMBIGUOUS_WORDS = frozenset({"true", "false", "yes", "no", "on", "off", "null"})
"""The lower-case words that YAML may read as a value other than text."""


Scalar = str | bool


def read_plain(text: str) -> dict[str, Scalar | dict[str, Scalar]] | None:
    """Return the values of frontmatter by key, in order, or None if an entry is not simple.

    A simple entry is `key: text`, a block of text after `key: |` or `key: >`, or `key:` with indented `key: text`
    lines. The text in a line is a plain scalar that is clearly text, a boolean, or a quoted text in which only quotes
    are escaped. Keys are unique.
    """
    if len(text) > _MAX_CHARS or not all(map(str.isprintable, lines := text.removesuffix("\n").split("\n"))):
        return None
    values: dict[str, Scalar | dict[str, Scalar]] = {}
    starts = [number for number, line in enumerate(lines) if line[:1] != " "]
    if starts[:1] != [0]:
        return None
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        key, colon, rest = f"{lines[start]} ".partition(": ")
        is_ended = end < len(lines) or text.endswith("\n")
        inner = lines[start + 1 : end]
        value = _read_block(rest.strip(" "), inner, "\n" * is_ended) if inner else _read_value(rest.strip(" "))
        if value is None or not colon or key in values or not _is_key(key):
            return None
        values[key] = value
    return values


def _read_block(mark: str, lines: Sequence[str], end: str) -> Scalar | dict[str, Scalar] | None:
    """Return the value of the indented lines after `key:`, or None if they are not simple.

    `mark` is the text after the colon (`|`, `>` or ""). `end` is appended to a block of text.
    """
    indent = len(lines[0]) - len(lines[0].lstrip(" "))
    texts = [line[indent:] for line in lines]
    if not all(texts) or any(line[:indent].strip(" ") for line in lines):
        return None
    if mark == "|":
        return "\n".join(texts) + end
    if any(text[0] == " " for text in texts):
        return None
    if mark == ">":
        return " ".join(texts) + end
    return _read_mapping(texts) if not mark else None


def _read_mapping(lines: Sequence[str]) -> dict[str, Scalar] | None:
    """Return the values of lines that are all `key: text`, or None if any line is not."""
    values: dict[str, Scalar] = {}
    for line in lines:
        key, _, rest = line.partition(": ")
        value = _read_value(rest.strip(" "))
        if value is None or key in values or not _is_key(key):
            return None
        values[key] = value
    return values


def _is_key(key: str) -> bool:
    return key[:1].isalpha() and key.isascii() and key.replace("-", "_").isidentifier() and len(key) < 100


def _read_value(text: str) -> Scalar | None:
    first = text[:1]
    if first in ("'", '"'):
        parts = text[1:-1].split('\\"') if first == '"' else [text[1:-1]]
        is_whole = len(text) > 1 and text[-1] == first and not any(first in part or "\\" in part for part in parts)
        return '"'.join(parts) if is_whole else None
    if text.lower() in _AMBIGUOUS_WORDS:
        return _BOOLEANS.get(text)
    is_plain = _begins_text(text) and ": " not in text and " #" not in text and text[-1] != ":"
    return text if is_plain else None


def _begins_text(text: str) -> bool:
    """Return whether a plain scalar is certainly text.

    It begins with a letter. If it begins with a digit from 1 to 9, it has several dots or ends with two letters, unlike
    a number or a date.
    """
    first = text[:1]
    return first.isalpha() or (first in "123456789" and (text.count(".") > 1 or text[-2:].isalpha()))
