"""Whole blocks of one file that stand word for word in another."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from actions.skill.document import Document
from actions.skill.memo import once
from actions.skill.skill import SkillFile

_CANDIDATES = 8
_SHORT_LINE = 8


@dataclass(frozen=True)
class Copy:
    """Lines `start` to `end` of a file stand in `other` from line `at` on; `characters` is their length."""

    start: int
    end: int
    other: str
    at: int
    characters: int


def copies(file: SkillFile, other: SkillFile, least: int) -> Iterator[Copy]:
    """Give the runs of whole blocks (paragraphs, lists, fences) of at least `least` characters that both files hold.

    White space at line ends, indentation and blank lines do not count. Linear in the length of both files.
    """
    sizes = _sizes(other)
    if sum(sizes[text] for text in _sizes(file).keys() & sizes.keys()) < least:
        return
    mine, theirs, places = file.doc.body, other.doc.body, _places(other)
    end = 0
    for i in [i for i, (_, text) in enumerate(mine) if text in places]:
        if i < end:
            continue
        length, j = max(((_run(mine, i, theirs, j), j) for j in places[mine[i][1]]), default=(0, 0))
        if length:
            found = _whole(file.doc, mine[i : i + length])
            size = sum(len(text) for _, text in found)
            if size >= least:
                skipped = next(k for k, line in enumerate(mine[i : i + length]) if line == found[0])
                yield Copy(found[0][0], found[-1][0], other.path, theirs[j + skipped][0], size)
        end = i + length


@once
def _places(file: SkillFile) -> dict[str, list[int]]:
    """Give the first places of each line of a file; of lines too short to begin a copy only that they are there."""
    places: dict[str, list[int]] = {}
    for i, (_, text) in enumerate(file.doc.body):
        known = places.setdefault(text, [])
        if len(text) >= _SHORT_LINE and len(known) < _CANDIDATES:
            known.append(i)
    return places


@once
def _sizes(file: SkillFile) -> dict[str, int]:
    """Give the characters that each different line takes in all its places."""
    counts = Counter(text for _, text in file.doc.body)
    return {text: len(text) * count for text, count in counts.items()}


def _run(mine: list[tuple[int, str]], i: int, theirs: list[tuple[int, str]], j: int) -> int:
    length = 0
    while i + length < len(mine) and j + length < len(theirs) and mine[i + length][1] == theirs[j + length][1]:
        length += 1
    return length


def _whole(doc: Document, run: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """Cut a run back to whole blocks: from after a blank line or heading to before one, outside of fences."""
    first = next((k for k, (n, _) in enumerate(run) if _begins(doc, n)), len(run))
    last = next((k for k in range(len(run) - 1, first - 1, -1) if _ends(doc, run[k][0])), first - 1)
    return run[first : last + 1]


def _begins(doc: Document, number: int) -> bool:
    fence = doc.fence_at(number)
    before = doc.line(number - 1).strip()
    return (fence is None or fence.start == number) and (not before or before.startswith("#") or fence is not None)


def _ends(doc: Document, number: int) -> bool:
    fence = doc.fence_at(number)
    after = doc.line(number + 1).strip()
    return (fence is None or fence.end == number) and (not after or after.startswith("#") or fence is not None)
