"""The YAML head of SKILL.md. Hostile until read: no aliases, no tags, bounded."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from actions.skill.document import frontmatter_end

_MAX_CHARS = 100_000
_MAX_DEPTH = 50
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True)
class Frontmatter:
    """Keys and values, the line of each key, the closing line, and what is wrong with it if anything is."""

    values: Mapping[str, Any]
    lines: Mapping[str, int]
    end: int
    error: str | None = None

    def text(self, key: str) -> str:
        """Return a value as text; empty when missing."""
        value = self.values.get(key)
        return "" if value is None else str(value).strip()


def parse_frontmatter(lines: tuple[str, ...]) -> Frontmatter:
    """Return the frontmatter of a document's lines. A fault stands in `error` and is never raised."""
    if not (end := frontmatter_end(lines)):
        opened = bool(lines) and lines[0].rstrip() == "---"
        return Frontmatter({}, {}, 0, "the opening --- is never closed" if opened else "there is no frontmatter")
    body = lines[1 : end - 1]
    values, error = _load("\n".join(body))
    own = (
        (n, line) for n, line in enumerate(body, 2) if ":" in line and not line[:1].isspace() and line[0] not in "#-"
    )
    return Frontmatter(values, {line.split(":", 1)[0].strip("'\" "): n for n, line in own}, end, error)


def _load(text: str) -> tuple[dict[str, Any], str | None]:
    if len(text) > _MAX_CHARS:
        return {}, f"it is longer than {_MAX_CHARS:,} characters"
    try:
        if "*" in text and any(isinstance(one, yaml.AliasEvent) for one in yaml.parse(text, Loader=_LOADER)):
            return {}, "it uses YAML aliases; write the value out"
        data = yaml.load(text, Loader=_LOADER)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        return {}, f"it is not valid YAML: {_where(error)}"
    if data is None:
        return {}, "it is empty"
    if not isinstance(data, dict):
        return {}, "it is not a list of `key: value` lines"
    if _is_deep(data):
        return {}, f"it is nested deeper than {_MAX_DEPTH} levels"
    return {str(key): value for key, value in data.items()}, None


def _is_deep(data: Any) -> bool:
    level = [data]
    for _ in range(_MAX_DEPTH):
        held = (one.values() if isinstance(one, dict) else one for one in level if isinstance(one, dict | list))
        level = [value for values in held for value in values]
    return bool(level)


def _where(error: Exception) -> str:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or type(error).__name__
    return f"{problem} in line {mark.line + 2}" if mark else str(problem)
