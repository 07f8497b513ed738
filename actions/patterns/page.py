"""Parse the page of a pattern: a title, then labeled parts, each of which is prose or a list of clauses."""

import re
from collections.abc import Mapping
from functools import cache

from actions.patterns import get_patterns
from actions.patterns.pattern import PatternModule
from actions.regex import regex

CUSTOM = "custom"
"""The id of the pattern for a model's findings that no other pattern describes."""
_CUSTOM_PAGE: Mapping[str, str] = {
    "title": "Read by the judge",
    "It is": "Anything that makes a run fail or go wrong and that no pattern covers; the judge quotes the text.",
    "It is not": "A matter of taste, or a fault that one of the patterns covers.",
    "Low when": "",
    "Why it is bad": "The finding gives the reason.",
    "Instead": "Change the quoted text so that the harm no longer occurs.",
}
CLAUSES = ("It is", "It is not", "Low when")
"""The parts of a page that are lists of clauses, one per line."""
PROSE = ("Why it is bad", "Instead")
PROVEN = " (proven)"
"""The end of a clause if the pattern's `check` proves such cases."""
_PART = regex(rf"\n({'|'.join((*CLAUSES, *PROSE))}):")
_CLAUSE = regex(r"^\s*-\s+", re.MULTILINE)


def get_page(module: PatternModule) -> Mapping[str, str]:
    """Return the page of a pattern: a map from labels (`title`, CLAUSES and PROSE) to texts.

    Each clause is one line of its text. The text of a missing part is "".
    """
    return _parse(module.__doc__ or "")


def find_page(id: str) -> Mapping[str, str]:
    """Return the page of the pattern with this id. The id may be `custom`."""
    return get_page(get_patterns()[id]) if id != CUSTOM else _CUSTOM_PAGE


def list_clauses(page: Mapping[str, str]) -> list[tuple[str, list[str]]]:
    """Return (label, clauses) for each part of a page that is a non-empty list of clauses."""
    return [(label, page[label].splitlines()) for label in CLAUSES if page[label]]


@cache
def _parse(text: str) -> Mapping[str, str]:
    title, *rest = _PART.split(text)
    parts = {"title": title.strip().splitlines()[0].rstrip(".")} | dict.fromkeys((*CLAUSES, *PROSE), "")
    for label, part in zip(rest[::2], rest[1::2], strict=True):
        lines = _CLAUSE.split(part) if label in CLAUSES else [part]
        parts[label] = "\n".join(_capitalize(line) for line in lines if line.strip())
    return parts


def _capitalize(text: str) -> str:
    line = " ".join(text.split())
    return line[:1].upper() + line[1:]
