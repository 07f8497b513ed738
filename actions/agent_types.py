"""Compare the types of sub-agents as Claude Code does.

Source: the CLI 2.1.332, which `tests/e2e/facts` runs. If no agent has exactly the called type, the only agent starts
whose type differs from it in case, spaces, hyphens and underscores alone. The `agent` of a skill is not compared so.
"""

import unicodedata


def normalize_agent_type(name: str) -> str:
    """Return an agent type in lower case, without white space, dashes and underscores."""
    if name.isalpha():
        return name.lower()
    return "".join(c for c in name.lower() if c != "_" and not c.isspace() and unicodedata.category(c) != "Pd")
