"""Parse frontmatter: the YAML between the two `---` lines at the start of a file."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import msgspec

from actions.skill.document import find_frontmatter_end
from actions.skill.plain_frontmatter import read_plain

_MAX_CHARS, _MAX_CACHED = 100_000, 4_000


class Frontmatter(msgspec.Struct, frozen=True):
    """The values and the line numbers of frontmatter keys.

    `end` is the line of the closing `---`, or 0 without frontmatter. `error` says why the frontmatter is invalid.
    `exceeds_limit` is true if the text was too large or too deep to be parsed, so that it may be valid.
    """

    values: Mapping[str, Any]
    lines: Mapping[str, int]
    end: int
    error: str | None = None
    exceeds_limit: bool = False

    def text(self, key: str) -> str:
        """Return a value as text, or "" if it is missing."""
        value = self.values.get(key)
        return "" if value is None else str(value).strip()


def parse_frontmatter(lines: tuple[str, ...]) -> Frontmatter:
    """Parse the frontmatter of a document's lines. Invalid YAML is recorded in `error`, never raised."""
    if not (end := find_frontmatter_end(lines)):
        is_open = bool(lines) and lines[0].rstrip() == "---"
        return Frontmatter(
            {}, {}, 0, "the opening `---` is never closed" if is_open else "it does not begin with `---`"
        )
    body = lines[1 : end - 1]
    text = "\n".join(body)
    values, error, exceeds_limit = _load_cached(text) if len(text) <= _MAX_CACHED else _load(text)
    top_level = (
        (n, line) for n, line in enumerate(body, 2) if ":" in line and not line[:1].isspace() and line[0] not in "#-"
    )
    return Frontmatter(
        values, {line.split(":", 1)[0].strip("'\" "): n for n, line in top_level}, end, error, exceeds_limit
    )


@lru_cache(maxsize=4096)
def _load_cached(text: str) -> tuple[dict[str, Any], str | None, bool]:
    """Call `_load` with a cache, because a project's checks read the frontmatter of all its units."""
    return _load(text)


def _load(text: str) -> tuple[dict[str, Any], str | None, bool]:
    if (plain := read_plain(text)) is not None:
        return plain, None, False
    from actions.yaml_reader import YamlError, YamlLimitError, read_yaml

    try:
        data = read_yaml(text, max_chars=_MAX_CHARS).value
    except YamlError as error:
        problem = f"it {error.problem} in line {error.line + 1}; {error.advice}"
        return {}, problem, isinstance(error, YamlLimitError)
    if data is None:
        return {}, "it is empty", False
    if not isinstance(data, dict):
        return {}, "it is not a list of `key: value` lines", False
    return data, None, False
