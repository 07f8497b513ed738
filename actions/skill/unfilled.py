"""Recognize the placeholders of templates in descriptions, names and files."""

from actions.regex import regex

_MAX_CHARACTERS = 300
_PLACEHOLDER = regex(
    r"(?is)(?:\[[^\[\]]+\]|<[^<>=]+>|\[?(?:TODO|TBD|FIXME)(?::.*|\W*)"
    r"|(?:\w+[ :,–—-]+){0,6}what this skill (?:does|enables)\b.*)"
)
"""A text in brackets, one that begins with "TODO:", or the instruction "... what this skill does ..."."""
_NOTE = regex(r"(?i)deprecat|internal|hidden|private|archiv|disabled|unused|legacy|do not|don't|never|only|see ")
"""A word of a note in brackets that is meant for readers."""
_TEMPLATE_MARK = regex(
    r"\{\{|\{%|<%|\$\{|\$[A-Z_]{3}|\.\.\.|…|<[A-Za-z][\w -]*>|\[(?:[A-Z][A-Z _-]+)\]|%\(|@@|__[A-Z][A-Z_]*__|(?m:^```)"
)
"""A placeholder that a program replaces before it uses the text, or the mark of a Markdown fence."""


def has_template_mark(text: str) -> bool:
    """Return whether a text has placeholders that a program replaces, such as `{{name}}` or `__NAME__`."""
    return _TEMPLATE_MARK.search(text) is not None


def is_unfilled(description: str) -> bool:
    """Return whether a description is a placeholder, such as `[ONE_LINE_DESCRIPTION]`, and not a note in brackets."""
    text = description.strip()
    is_short = 0 < len(text) <= _MAX_CHARACTERS
    return is_short and _PLACEHOLDER.fullmatch(text) is not None and not _NOTE.search(text)
