"""Define the layout of SKILL.md: the position of each rule, and the effect of a compaction on it."""

from dataclasses import dataclass

from schemas.vocabulary import Fate


@dataclass(frozen=True)
class PlacedRule:
    """A binding sentence of SKILL.md. token: where it ends in the attached text. line: its line, from 1."""

    line: int
    token: int
    text: str
    fate: Fate


@dataclass(frozen=True)
class Layout:
    """The first 200 of the `total` rules of SKILL.md, in order."""

    total: int = 0
    rules: tuple[PlacedRule, ...] = ()
