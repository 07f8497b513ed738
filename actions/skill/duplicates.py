"""Find repeated passages, equal token for token: consecutive paragraphs, items, tables and code blocks."""

import posixpath
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import takewhile

import msgspec

from actions.grouping import group_by_key
from actions.memo import memoize
from actions.regex import regex
from actions.skill.skill import Skill, SkillFile
from actions.skill.structure import Block
from actions.skill.text import tokens_of

_LATIN, _HAN = regex(r"[A-Za-z0-9_]+"), regex(r"[\u3400-\u9fff]")
LEAST_WORDS = 25
"""Minimum number of words of a passage to compare. Each Han character is half a word."""
LEAST_OF_PROSE, LEAST_OF_CODE = 40, 100
"""Minimum number of words of a passage to report."""
_MIN_TABLE_TOKENS = 100
"""Minimum number of tokens of a table to report. Readers judged copies of smaller tables to be overviews."""
_MIN_COMPILED_FILES = 3
"""Minimum number of files whose passages a file must repeat to count as a compilation of them."""
_PLACEHOLDER = regex(r"\[[^\[\]]{2,400}\]")
"""A placeholder in brackets, which is not counted because it is no text that might be changed in only one place."""
_COPIED_FOLDER = regex(r"(?:\A|/)(?:assets|templates)/")
"""Folders of files that a run copies into the user's project. Each file must be self-contained, so text may repeat."""
_MAX_BLOCKS = 12
"""Maximum number of blocks to join to reach LEAST_WORDS."""


class Place(msgspec.Struct, frozen=True):
    """An occurrence of a passage: adjacent blocks of a file."""

    file: SkillFile
    start: int
    end: int

    def __str__(self) -> str:
        return f"{self.file.path}:{self.start}-{self.end}"


class Repetition(msgspec.Struct, frozen=True):
    """A passage and its places, at least two. `text` is its text without markup, `words` the number of its words
    outside placeholders.

    `kind` is the common kind of its blocks (code, table, …), or "prose" if the kinds differ.
    """

    places: tuple[Place, ...]
    text: str
    words: int
    kind: str

    @property
    def tokens(self) -> int:
        """Estimated tokens of one occurrence."""
        return tokens_of(len(self.text))


def passages(file: SkillFile) -> Iterator[Block]:
    """Yield the blocks of a file that are long enough to compare."""
    return (block for block in _list_blocks(file) if word_count(block.text) >= LEAST_WORDS)


@memoize
def _list_blocks(file: SkillFile) -> tuple[Block, ...]:
    """Return the blocks of a file except headings, block quotes (fixed wording), footnotes and counterexamples."""
    doc = file.doc
    own = (b for b in doc.blocks if b.kind != "heading" and b.start not in doc.quotes)
    own = (b for b in own if not doc.line(b.start).startswith("[^"))
    return tuple(b for b in own if not doc.is_counterexample(b.start))


def repetitions(skill: Skill) -> tuple[Repetition, ...]:
    """Return the passages of the instruction files that occur at least twice and are long enough for a finding."""
    return tuple(filter(_is_reported, _find_repetitions(skill)))


def _is_reported(repetition: Repetition) -> bool:
    if repetition.kind == "table":
        return repetition.tokens >= _MIN_TABLE_TOKENS
    return repetition.words >= (LEAST_OF_CODE if repetition.kind == "code" else LEAST_OF_PROSE)


def find_compilations(skill: Skill) -> frozenset[SkillFile]:
    """Return the files that repeat passages of at least half of the files in another folder, and of at least three.
    Only passages that occur exactly twice count.
    """
    pairs = (passage.places for passage in _find_repetitions(skill) if len(passage.places) == 2)
    shared = [(one.file, other.file) for places in pairs for one, other in (places, places[::-1])]
    sources = group_by_key(
        ((one.path, posixpath.dirname(other.path)), other.path)
        for one, other in shared
        if posixpath.dirname(one.path) != posixpath.dirname(other.path)
    )
    sizes = Counter(posixpath.dirname(file.path) for file in skill.instructions)
    return frozenset(
        skill.by_path[path]
        for (path, folder), names in sources.items()
        if len(set(names)) >= max(_MIN_COMPILED_FILES, sizes[folder] / 2)
    )


@memoize
def _find_repetitions(skill: Skill) -> tuple[Repetition, ...]:
    runs = (
        (one, other, n + _count_equal_after(skill, one, other, n)) for one, other, n in _merge_runs(_find_pairs(skill))
    )
    found = group_by_key(((*one, one[1] + n), (*other, other[1] + n)) for one, other, n in runs)
    return tuple(_make_repetition(skill, [first, *rest]) for first, rest in found.items())


def _make_repetition(skill: Skill, spans: list[tuple[str, int, int]]) -> Repetition:
    path, start, end = spans[0]
    blocks = _list_blocks(skill.by_path[path])[start:end]
    runs = ((skill.by_path[path], _list_blocks(skill.by_path[path])[first:last]) for path, first, last in spans)
    places = tuple(Place(file, run[0].start, max(block.end for block in run)) for file, run in runs)
    kinds = {block.kind for block in blocks}
    texts = (block.text if block.kind == "code" else _PLACEHOLDER.sub("", block.text) for block in blocks)
    words = int(sum(map(word_count, texts)))
    return Repetition(places, " ".join(b.text for b in blocks), words, kinds.pop() if len(kinds) == 1 else "prose")


_Spot = tuple[str, int]
"""A file, and the number of a block in it."""


def _find_pairs(skill: Skill) -> Iterator[tuple[_Spot, _Spot, int]]:
    """Yield (first occurrence, later occurrence, number of blocks) for each window of blocks that occurs again."""
    seen: dict[str, _Spot] = {}
    files = [file for file in skill.instructions if not _COPIED_FOLDER.search(file.path)]
    counts = Counter(block.text for file in files for block in _list_blocks(file))
    for file in files:
        for number, (key, length) in _list_windows(_list_blocks(file), counts).items():
            first = seen.setdefault(key, (file.path, number))
            if first[0] != file.path or number >= first[1] + length:
                yield first, (file.path, number), length


def _list_windows(blocks: tuple[Block, ...], counts: Counter[str]) -> Mapping[int, tuple[str, int]]:
    """Map block numbers to the shortest run of repeated blocks from there that has LEAST_WORDS: (text, length)."""
    found = {}
    word_counts = [word_count(block.text) if counts[block.text] > 1 else None for block in blocks]
    for start in range(len(blocks)):
        words = 0.0
        for end, count in enumerate(word_counts[start : start + _MAX_BLOCKS], start):
            if count is None:
                break
            words += count
            if words >= LEAST_WORDS:
                found[start] = ("\n".join(block.text for block in blocks[start : end + 1]), end + 1 - start)
                break
    return found


def _merge_runs(pairs: Iterator[tuple[_Spot, _Spot, int]]) -> Iterator[tuple[_Spot, _Spot, int]]:
    """Merge pairs of equal passages that are consecutive in both places."""
    last: tuple[_Spot, _Spot, int] | None = None
    for one, other, length in sorted(pairs, key=lambda pair: (pair[0][0], pair[1])):
        step = other[1] - last[1][1] if last else 0
        if last and (last[0][0], last[1][0]) == (one[0], other[0]) and step <= last[2] and one[1] == last[0][1] + step:
            last = last[0], last[1], max(last[2], step + length)
        else:
            if last:
                yield last
            last = one, other, length
    if last:
        yield last


def _count_equal_after(skill: Skill, one: _Spot, other: _Spot, length: int) -> int:
    """Return the number of blocks after a run that are equal in both places."""
    ends = ((_list_blocks(skill.by_path[path]), start + length) for path, start in (one, other))
    rests = (blocks[end : end + _MAX_BLOCKS] for blocks, end in ends)
    return sum(1 for _ in takewhile(lambda pair: pair[0].text == pair[1].text, zip(*rests, strict=False)))


def word_count(text: str) -> float:
    """Count the words of a text; a Han character is half a word."""
    if text.isascii():
        return len(text.replace("|", " ").split())
    return len(_LATIN.findall(text)) + len(_HAN.findall(text)) / 2
