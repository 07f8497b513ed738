"""Remove permissions and hooks from a skill's frontmatter before a trial runs it."""

import json

from actions.skill.frontmatter import parse_frontmatter
from actions.skill.text import letters

_GRANTS = frozenset({"allowedtools", "hooks"})
_MARK = "---"


def remove_grants(main: bytes) -> bytes:
    """Return a SKILL.md without `hooks` and `allowed-tools`; its body is unchanged.

    The frontmatter is rewritten with one JSON value per line, so that all YAML parsers agree on it. A frontmatter that
    cannot be parsed becomes part of the text.
    """
    text = main.decode("utf-8", "replace").replace("\r\n", "\n").lstrip("\ufeff \t\r\n")
    if not text.startswith(_MARK):
        return main
    lines = text.split("\n")
    head = parse_frontmatter(tuple(lines))
    kept = {key: value for key, value in head.values.items() if letters(key) not in _GRANTS}
    own = [f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False, default=str)}" for key, value in kept.items()]
    rest = lines if head.error else lines[head.end :]
    return "\n".join((_MARK, *own, _MARK, *rest)).encode("utf-8", "replace")
