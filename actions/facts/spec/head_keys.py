"""The keys of a SKILL.md's frontmatter that somebody reads."""

from difflib import get_close_matches

KNOWN = frozenset(
    "name description license allowed-tools metadata compatibility version argument-hint disable-model-invocation"
    " user-invocable model context agent hooks when_to_use arguments disallowed-tools effort paths shell author"
    " tags".split()
)
"""The specification of skills, Claude Code, and three that catalogues of skills show: version, author, tags."""

_ALIKE = 0.85
_OTHER_NAMES = {"tools": "allowed-tools", "user-invokable": "user-invocable"}


def meant_key(key: str) -> str | None:
    """Give the known key that an unknown one is a slip of: other letters, `_` for `-`, or an agent's word for it."""
    plain = key.strip().lower().replace("_", "-").replace(" ", "-")
    if plain in _OTHER_NAMES:
        return _OTHER_NAMES[plain]
    spelled = {known.replace("_", "-"): known for known in sorted(KNOWN)}
    near = get_close_matches(plain, spelled, n=1, cutoff=_ALIKE)
    return spelled[near[0]] if near else None
