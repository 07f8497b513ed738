"""Define the layout of SKILL.md: the place of each rule, and what a compaction does to it."""

from dataclasses import dataclass

from schemas.vocabulary import Fate


@dataclass(frozen=True)
class PlacedRule:
    """A binding sentence of SKILL.md. It ends at token `token` of the attached text; `line` counts from 1."""

    line: int
    token: int
    text: str
    fate: Fate


@dataclass(frozen=True)
class Layout:
    """The first 200 of the `total` rules of SKILL.md, in order."""

    total: int = 0
    rules: tuple[PlacedRule, ...] = ()
