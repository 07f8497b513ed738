"""Fit the changes of a diff to a text that another change has edited since."""

import re
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from itertools import groupby
from typing import TYPE_CHECKING

import msgspec

from actions.review.quotes import flatten, strip_line_numbers
from actions.review.replacements import count_unchanged
from actions.skill import Skill, SkillFile

if TYPE_CHECKING:  # `diagnose` has no state, so it need not load the records at start-up
    from schemas.records import FileChange

_CONTEXT_SIZES = (200, 80, 40, 20, 8, 0)
"""Numbers of characters before and after a changed part of a line to search for with it, largest first."""
Edit = tuple[str, str]
"""A text that must be in a file exactly once, and its replacement."""


class _Block(msgspec.Struct, frozen=True):
    """Consecutive changed lines of a diff, and the unchanged lines around them up to the next block."""

    before: tuple[str, ...]
    old: str
    new: str
    after: tuple[str, ...]


def list_replacements(changes: "Sequence[FileChange]", skill: Skill) -> list[dict[str, str]]:
    """Return the changes of diffs as edits of the current text, one for each block of changed lines.

    Each edit has as much context as possible. The context is shorter if another fix has changed the text around the
    block, even within a line.
    """
    return [
        {"file": change.file, "search": old, "replace": new}
        for change in changes
        for block in _list_blocks(change)
        for old, new in [_choose_edit(block, skill.by_path.get(change.file))]
    ]


def list_changed_lines(changes: "Sequence[FileChange]") -> list[tuple[str, str, str]]:
    """Return each block of changed lines of diffs as (file, old lines, new lines)."""
    return [(change.file, block.old, block.new) for change in changes for block in _list_blocks(change)]


def find_new_words(changes: "Sequence[FileChange]", path: str, quote: str) -> str:
    """Return the line that replaces a quote.

    Returns "" if the changes keep the quote, or if they only delete it.
    """
    words = strip_line_numbers(quote)
    blocks = (block for change in changes if change.file == path for block in _list_blocks(change))
    new = next((block.new for block in blocks if _removes_words(block, words)), "")
    lines = [line for line in map(flatten, new.splitlines()) if line]
    return next(iter(get_close_matches(words, lines, 1, 0.0)), "")


def _removes_words(block: _Block, words: str) -> bool:
    old, new = (flatten("".join((*block.before, part, *block.after))) for part in (block.old, block.new))
    return words in old and words not in new


def _choose_edit(block: _Block, file: SkillFile | None) -> Edit:
    """Return the edit with the most context that is in a file exactly once.

    If there is none, return it with all its context.
    """
    edits: list[Edit] = [
        *_list_line_edits(block),
        *_list_part_edits(block),
        *(_list_end_edits(block, file.text) if file else ()),
    ]
    fitting = (edit for edit in edits if file and edit[0] and file.text.count(edit[0]) == 1)
    return next(fitting, edits[0])


def _list_line_edits(block: _Block) -> Iterator[Edit]:
    """Yield edits that replace the whole lines of a block.

    Each edit has fewer unchanged lines before and after the changed lines than the previous edit.
    """
    sizes = range(max(len(block.before), len(block.after)), -1, -1)
    pairs = [(min(size, len(block.before)), min(other, len(block.after))) for size in sizes for other in (size, 0)]
    pairs += [(0, size) for size in sizes]
    for before, after in sorted(dict.fromkeys(pairs), key=sum, reverse=True):
        prefix, suffix = "".join(block.before[len(block.before) - before :]), "".join(block.after[:after])
        yield prefix + block.old + suffix, prefix + block.new + suffix


def _list_part_edits(block: _Block) -> Iterator[Edit]:
    """Yield edits that replace only the changed part of lines, each with less unchanged text before and after it."""
    head, tail = count_unchanged(block.old, block.new)
    end = len(block.old) - tail
    changed = block.new[head : len(block.new) - tail]
    for before in _CONTEXT_SIZES:
        for after in _CONTEXT_SIZES:
            prefix, suffix = block.old[max(0, head - before) : head], block.old[end : end + after]
            yield prefix + block.old[head:end] + suffix, prefix + changed + suffix


def _list_end_edits(block: _Block, text: str) -> Iterator[Edit]:
    """Yield the edit that adds lines at the end of a text, if the line before them is still the last one."""
    if not block.old and not block.after and block.before and text.endswith(block.before[-1]):
        yield from ((text[-size:], text[-size:] + block.new) for size in _CONTEXT_SIZES)


def _list_blocks(change: "FileChange") -> Iterator[_Block]:
    for hunk in re.split(r"^@@[^\n]*@@\n", change.diff, flags=re.MULTILINE)[1:]:
        lines = [line for line in re.split(r"(?<=\n)", re.sub(r"\n\\ No newline at end of file\n", "", hunk)) if line]
        runs = [(is_same, tuple(run)) for is_same, run in groupby(lines, lambda line: line[:1] == " ")]
        for n, (is_same, run) in enumerate(runs):
            if not is_same:
                old, new = ("".join(line[1:] for line in run if line[:1] == mark) for mark in "-+")
                before, after = (runs[m][1] if 0 <= m < len(runs) else () for m in (n - 1, n + 1))
                yield _Block(tuple(line[1:] for line in before), old, new, tuple(line[1:] for line in after))
