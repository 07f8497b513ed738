"""What a JSON schema declares."""

import json


def properties_of(text: str) -> list[str]:
    """Give the properties at the top of a schema; a text that is no JSON object has none."""
    try:
        known = json.loads(text)["properties"]
    except (ValueError, RecursionError, KeyError, TypeError):
        return []
    return list(known) if isinstance(known, dict) else []
