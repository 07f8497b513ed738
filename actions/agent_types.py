"""Compare sub-agent types the way Claude Code does.

Source: CLI 2.1.332, checked by `tests/e2e/facts`. If no agent has exactly the requested type, Claude Code starts the
only agent whose type differs from it only in case, spaces, hyphens and underscores. The `agent` key of a skill must
match exactly.
"""

import unicodedata


def normalize_agent_type(name: str) -> str:
    """Return an agent type in lower case, without whitespace, dashes and underscores."""
    if name.isalpha():
        return name.lower()
    return "".join(c for c in name.lower() if c != "_" and not c.isspace() and unicodedata.category(c) != "Pd")
