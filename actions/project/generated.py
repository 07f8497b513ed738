"""Find the line that marks a file as generated."""

from collections.abc import Sequence

from actions.regex import regex

_GENERATED = regex(r"(?i)\b(?:auto-?)?generated (?:by|from|file|with)\b|@generated|do not edit|edit \S+ upstream")
_MAX_LINES = 12
"""Number of lines at the beginning of a file that are searched."""


def find_generated_line(lines: Sequence[str]) -> int:
    """Return the number (from 1) of the line that marks a file as generated, or 0 if there is none."""
    return next((number for number, line in enumerate(lines[:_MAX_LINES], 1) if _GENERATED.search(line)), 0)
