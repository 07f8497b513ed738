"""Read frontmatter of plain `key: text` lines without PyYAML, whose import takes a sixth of the check of a small skill.

A text that is not surely read as PyYAML reads it is left to PyYAML. The tests compare them.
"""

_MAX_CHARS = 10_000
_BOOLEANS = {"true": True, "false": False}
_AMBIGUOUS_WORDS = frozenset({"true", "false", "yes", "no", "on", "off", "null"})
"""The words, in lower case, that YAML may read as a value other than text."""


def read_plain(text: str) -> dict[str, str | bool] | None:
    """Return the values of frontmatter whose lines are all `key: text`, in order; None if there is any other line.

    A value is a plain scalar that begins with a letter, a truth value, or quoted without an escape. No key repeats.
    """
    values: dict[str, str | bool] = {}
    lines = text.removesuffix("\n").split("\n") if len(text) <= _MAX_CHARS else [""]
    for line in lines:
        key, _, rest = line.partition(": ")
        value = _read_value(rest.strip(" ")) if line.isprintable() else None
        if value is None or key in values or not _is_key(key):
            return None
        values[key] = value
    return values


def _is_key(key: str) -> bool:
    return key[:1].isalpha() and key.isascii() and key.replace("-", "_").isidentifier() and len(key) < 100


def _read_value(text: str) -> str | bool | None:
    first = text[:1]
    if first in ("'", '"'):
        inner = text[1:-1]
        is_whole = len(text) > 1 and text[-1] == first and first not in inner and "\\" not in inner
        return inner if is_whole else None
    if text.lower() in _AMBIGUOUS_WORDS:
        return _BOOLEANS.get(text)
    is_plain = first.isalpha() and ": " not in text and " #" not in text and text[-1] != ":"
    return text if is_plain else None
