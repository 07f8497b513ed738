"""Write texts of sessions for a model. Every text of a session reaches a model through this module, without secrets."""

from collections.abc import Mapping
from typing import Any

from actions.regex import regex
from actions.secrets import withhold_secrets
from actions.session.redaction import redact

_COLOUR_CODE = regex("\x1b\\[[0-9;]{0,20}m")


def write_record(number: object, author: str, text: str) -> str:
    """Return a record as a model sees it: its number, its author and its text without secrets."""
    return f"[{number}] {author}: {show_text(text)}"


def show_text(text: str) -> str:
    """Return a text of a session without secrets and terminal colours."""
    return redact(remove_colours(text))


def show_value(value: Any) -> Any:
    """Return a value of a call's input with no secret in its texts, however deep they are in it."""
    if isinstance(value, str):
        return show_text(value)
    if isinstance(value, Mapping):
        return {key: show_value(item) for key, item in value.items()}
    return [show_value(item) for item in value] if isinstance(value, list) else value


def show_lines(text: str) -> list[str]:
    """Return the lines of a text that a session loaded. Lines with a secret are replaced, so all keep their numbers."""
    return list(withhold_secrets(iter(remove_colours(text).split("\n"))))


def remove_colours(text: str) -> str:
    """Remove terminal colour codes from a text. Within a word they would hide a secret."""
    return _COLOUR_CODE.sub("", text)
