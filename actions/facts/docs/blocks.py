"""A file's blocks: a fence, a heading, or lines without a blank one between them."""

import re
from collections.abc import Iterator, Sequence

from actions.skill.document import Document
from actions.skill.rules import force_of
from actions.skill.text import FILLER, plain, words

_LABEL = re.compile(r"\s*(?:>\s*)?(?:[-*]\s+)?\*\*([^*\n]+)\*\*")
_FILLER = FILLER | {"which"}

Block = tuple[int, int]
"""First and last line."""


def blocks(doc: Document) -> list[Block]:
    """Give the blocks of a file in their order; blank lines belong to none."""
    found: list[Block] = []
    start = 0
    heads = {section.start for section in doc.sections if section.level}
    number = doc.body_start
    while number <= len(doc.lines):
        fence = doc.fence_at(number)
        ends = fence is not None or number in heads or not doc.line(number).strip()
        if ends and start:
            found.append((start, number - 1))
            start = 0
        if fence is not None:
            found.append((fence.start, fence.end))
            number = fence.end
        elif number in heads:
            found.append((number, number))
        elif not ends and not start:
            start = number
        number += 1
    return [*found, (start, len(doc.lines))] if start else found


def said(doc: Document, first: int, last: int) -> list[str]:
    """Give the lines from `first` to `last` for comparing: no blank ones, no markup outside of fences."""
    return list(_said(doc, first, last))


def _said(doc: Document, first: int, last: int) -> Iterator[str]:
    for number in range(first, min(last, len(doc.lines)) + 1):
        line = doc.line(number).strip()
        if line:
            yield line if doc.fence_at(number) else plain(line)


def holds(lines: Sequence[str], wanted: Sequence[str]) -> bool:
    """Tell whether `wanted` stands in `lines` as one run, each line in the same words or nearly so."""
    if not wanted:
        return False
    runs = (lines[i : i + len(wanted)] for i in range(len(lines) - len(wanted) + 1))
    return any(all(map(means_same, wanted, run)) for run in runs)


def means_same(one: str, other: str) -> bool:
    """Tell whether two lines say the same: equal, or equal but for articles, prepositions and endings of words."""
    return one == other or (force_of(one) == force_of(other) and _sense(one) == _sense(other) != [])


def _sense(line: str) -> list[str]:
    return [word.removesuffix("s").removesuffix("ly") for word in words(line) if word not in _FILLER]


def is_table_head(doc: Document, number: int) -> bool:
    """Tell whether a line is a table's ruler or the row above it."""
    texts = (doc.line(n).strip() for n in (number, number + 1))
    return any(text.startswith("|") and not text.strip("|:- ") for text in texts)


def label_of(line: str) -> str:
    """Give the bold words that a line begins with, behind the marks of quotes and lists."""
    match = _LABEL.match(line)
    return match[1] if match else ""
