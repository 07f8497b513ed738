"""Passages that stand twice, token for token: paragraphs, items and code blocks, in one file or in two."""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from actions.memo import once
from actions.skill.skill import Skill, SkillFile
from actions.skill.structure import Block
from actions.skill.text import tokens_of

_TOKEN = re.compile(r"\w+|[^\w\s]")
_WORD = re.compile(r"[A-Za-z0-9_]+|[\u3400-\u9fff]")
LEAST_WORDS = 25
"""Words of the shortest passage that counts; each Han character is half a word."""


@dataclass(frozen=True)
class Passage:
    """A block of a file."""

    file: SkillFile
    block: Block

    @property
    def tokens(self) -> int:
        """Estimated tokens of its text."""
        return tokens_of(len(self.block.text))


@once
def passages(file: SkillFile) -> tuple[tuple[str, Block], ...]:
    """Return the blocks of a file that are long enough to count, each with its tokens in one line."""
    blocks = (b for b in file.doc.blocks if b.kind != "heading" and not file.doc.is_counterexample(b.start))
    return tuple((" ".join(_TOKEN.findall(b.text)), b) for b in blocks if _length(b.text) >= LEAST_WORDS)


@once
def duplicates(skill: Skill) -> tuple[tuple[Passage, ...], ...]:
    """Return the passages of the instruction files that are equal token for token: two or more places each."""
    found: dict[str, list[Passage]] = defaultdict(list)
    for file in skill.instructions:
        for key, block in passages(file):
            found[key].append(Passage(file, block))
    return tuple(tuple(places) for places in found.values() if len(places) > 1)


def runs(skill: Skill) -> Iterator[tuple[tuple[Passage, ...], tuple[Passage, ...]]]:
    """Return pairs of equal runs: neighbouring blocks that are equal in the same two files belong together.

    Of more than two places the first is paired with each other one.
    """
    pairs = [(one[0], other) for one in duplicates(skill) for other in one[1:]]
    pairs.sort(key=lambda pair: (pair[0].file.path, pair[1].file.path, pair[1].block.start))
    run: list[tuple[Passage, Passage]] = []
    for pair in pairs:
        if run and not _follows(run[-1], pair):
            yield tuple(a for a, _ in run), tuple(b for _, b in run)
            run = []
        run.append(pair)
    if run:
        yield tuple(a for a, _ in run), tuple(b for _, b in run)


def _follows(one: tuple[Passage, Passage], other: tuple[Passage, Passage]) -> bool:
    same = one[0].file is other[0].file and one[1].file is other[1].file
    return same and all(0 < b.block.start - a.block.end <= 3 for a, b in zip(one, other, strict=True))


def _length(text: str) -> float:
    return sum(1 if word.isascii() else 0.5 for word in _WORD.findall(text))
