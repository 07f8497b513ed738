"""Define the layout of SKILL.md: the position of each rule, and the effect of a compaction on it."""

from dataclasses import dataclass

from schemas.vocabulary import Fate


@dataclass(frozen=True)
class PlacedRule:
    """A binding sentence of SKILL.md. line: from 1. token: the number of attached tokens up to the end of its line."""

    line: int
    token: int
    text: str
    fate: Fate


@dataclass(frozen=True)
class Layout:
    """The first 200 of the `total` rules of SKILL.md, in order."""

    total: int = 0
    rules: tuple[PlacedRule, ...] = ()
