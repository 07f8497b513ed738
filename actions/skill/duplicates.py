"""Find repeated passages: consecutive paragraphs, items, tables and code blocks with equal tokens."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from itertools import takewhile
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from actions.memo import memoize
from actions.regex import regex
from actions.skill.skill import Skill, SkillFile
from actions.skill.structure import Block
from actions.skill.text import estimate_tokens

_LATIN, _HAN = regex(r"[A-Za-z0-9_]+"), regex(r"[\u3400-\u9fff]")
MIN_COMPARED_WORDS = 25
"""Minimum number of words of a passage to compare. Each Han character is half a word."""
MIN_PROSE_WORDS, MIN_CODE_WORDS = 40, 100
"""Minimum number of words of a passage to report."""
_MIN_TABLE_TOKENS = 100
"""Minimum number of tokens of a table to report. Reviewers judged copies of smaller tables to be overviews."""
_PLACEHOLDER = regex(r"\[[^\[\]]{2,400}\]")
"""A placeholder in brackets. Its words are not counted, because each copy may later be filled in differently."""
_COPIED_FILE = regex(r"(?i)(?:\A|/)(?:assets|templates)/|(?:\A|[/_.-])templates?[_.-][^/]*\Z")
"""Files that a run copies into the user's project. They must be self-contained, so they may repeat text."""
_MAX_BLOCKS = 12
"""Maximum number of blocks to join to reach MIN_COMPARED_WORDS."""


class PassagePlace(msgspec.Struct, frozen=True):
    """An occurrence of a passage: adjacent blocks of a file."""

    file: SkillFile
    start: int
    end: int

    def __str__(self) -> str:
        return f"{self.file.path}:{self.start}-{self.end}"


class Repetition(msgspec.Struct, frozen=True):
    """A passage and its places, at least two. `text` is its text without markup.

    `words` is the number of words outside placeholders. `kind` is the common kind of its blocks (code, table, …), or
    "prose" if the kinds differ.
    """

    places: tuple[PassagePlace, ...]
    text: str
    words: int
    kind: str

    @property
    def tokens(self) -> int:
        """Estimated tokens of one occurrence."""
        return estimate_tokens(len(self.text))


def list_passages(file: SkillFile) -> Iterator[Block]:
    """Yield the blocks of a file that are long enough to compare."""
    return (block for block in _list_blocks(file) if count_words(block.text) >= MIN_COMPARED_WORDS)


@memoize
def _list_blocks(file: SkillFile) -> tuple[Block, ...]:
    """Return the blocks of a file except headings, block quotes, footnotes and counterexamples."""
    doc = file.doc
    blocks = (block for block in doc.blocks if block.kind != "heading" and block.start not in doc.quotes)
    blocks = (block for block in blocks if not doc.line(block.start).startswith("[^"))
    return tuple(block for block in blocks if not doc.is_counterexample(block.start))


def find_repetitions(skill: Skill, left_out: Collection[str] = ()) -> Iterator[Repetition]:
    """Yield the passages that are long enough to report and occur at least twice outside the files in `left_out`."""
    for repetition in filter(_is_long_enough, _find_repetitions(skill)):
        places = tuple(place for place in repetition.places if place.file.path not in left_out)
        if len(places) > 1:
            yield replace(repetition, places=places)


def _is_long_enough(repetition: Repetition) -> bool:
    if repetition.kind == "table":
        return repetition.tokens >= _MIN_TABLE_TOKENS
    return repetition.words >= (MIN_CODE_WORDS if repetition.kind == "code" else MIN_PROSE_WORDS)


@memoize
def _find_repetitions(skill: Skill) -> tuple[Repetition, ...]:
    """Return all repeated passages of the instruction files, with all their places."""
    later_places: dict[_Span, list[_Span]] = {}
    for pair in _merge_pairs(_find_pairs(skill)):
        length = pair.length + _count_equal_after(skill, pair)
        first, later = ((spot.path, spot.block, spot.block + length) for spot in (pair.first, pair.later))
        later_places.setdefault(first, []).append(later)
    return tuple(_make_repetition(skill, [first, *later]) for first, later in later_places.items())


_Span = tuple[str, int, int]
"""The path of a file, the index of the first block of a passage, and the index after its last block."""


def _make_repetition(skill: Skill, spans: list[_Span]) -> Repetition:
    runs = [(skill.by_path[path], _list_blocks(skill.by_path[path])[start:end]) for path, start, end in spans]
    places = tuple(PassagePlace(file, blocks[0].start, max(block.end for block in blocks)) for file, blocks in runs)
    _, blocks = runs[0]
    kinds = {block.kind for block in blocks}
    texts = (block.text if block.kind == "code" else _PLACEHOLDER.sub("", block.text) for block in blocks)
    words = int(sum(map(count_words, texts)))
    text = " ".join(block.text for block in blocks)
    return Repetition(places, text, words, kinds.pop() if len(kinds) == 1 else "prose")


class _Spot(NamedTuple):
    path: str
    block: int


class _Pair(NamedTuple):
    """Two runs of `length` equal blocks that begin at `first` and, later in the skill, at `later`."""

    first: _Spot
    later: _Spot
    length: int


def _find_pairs(skill: Skill) -> Iterator[_Pair]:
    """Yield a pair for each window of blocks (see `_list_windows`) that has occurred before."""
    seen: dict[str, _Spot] = {}
    files = [file for file in skill.instructions if not _COPIED_FILE.search(file.path)]
    counts = Counter(block.text for file in files for block in _list_blocks(file))
    for file in files:
        for number, (text, length) in _list_windows(_list_blocks(file), counts).items():
            spot = _Spot(file.path, number)
            first = seen.setdefault(text, spot)
            is_separate = first.path != file.path or number >= first.block + length
            if is_separate:
                yield _Pair(first, spot, length)


def _list_windows(blocks: tuple[Block, ...], counts: Counter[str]) -> Mapping[int, tuple[str, int]]:
    """Map the index of a block to the window that begins there, as (text, number of blocks).

    A window is the shortest sequence of repeated blocks with at least MIN_COMPARED_WORDS words. Blocks at which no
    window begins are left out.
    """
    windows = {}
    word_counts = [count_words(block.text) if counts[block.text] > 1 else None for block in blocks]
    for start in range(len(blocks)):
        words = 0.0
        for end, count in enumerate(word_counts[start : start + _MAX_BLOCKS], start):
            if count is None:
                break
            words += count
            if words >= MIN_COMPARED_WORDS:
                windows[start] = ("\n".join(block.text for block in blocks[start : end + 1]), end + 1 - start)
                break
    return windows


def _merge_pairs(pairs: Iterator[_Pair]) -> Iterator[_Pair]:
    """Merge pairs that overlap or adjoin by the same number of blocks in both places."""
    last: _Pair | None = None
    for pair in sorted(pairs, key=lambda pair: (pair.first.path, pair.later)):
        if last and _continues(last, pair):
            step = pair.later.block - last.later.block
            last = last._replace(length=max(last.length, step + pair.length))
        else:
            if last:
                yield last
            last = pair
    if last:
        yield last


def _continues(last: _Pair, pair: _Pair) -> bool:
    """Return whether a pair overlaps or adjoins `last` in both places. It must not begin before `last`."""
    step = pair.later.block - last.later.block
    is_same_files = (last.first.path, last.later.path) == (pair.first.path, pair.later.path)
    return is_same_files and step <= last.length and pair.first.block == last.first.block + step


def _count_equal_after(skill: Skill, pair: _Pair) -> int:
    """Return how many blocks after a pair are also equal in both places, at most _MAX_BLOCKS."""
    ends = ((_list_blocks(skill.by_path[spot.path]), spot.block + pair.length) for spot in (pair.first, pair.later))
    rests = (blocks[end : end + _MAX_BLOCKS] for blocks, end in ends)
    return sum(1 for _ in takewhile(lambda blocks: blocks[0].text == blocks[1].text, zip(*rests, strict=False)))


def count_words(text: str) -> float:
    """Count the words of a text. A Han character is half a word."""
    if text.isascii():
        return len(text.replace("|", " ").split())
    return len(_LATIN.findall(text)) + len(_HAN.findall(text)) / 2
