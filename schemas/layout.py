"""Define the layout of SKILL.md: the positions of its rules, and the effect of a compaction on them."""

import msgspec

from schemas.vocabulary import Fate


class PlacedRule(msgspec.Struct, frozen=True):
    """A binding sentence of SKILL.md. `line` counts from 1. `token` is the number of tokens up to the line's end."""

    line: int
    token: int
    text: str
    fate: Fate


class Layout(msgspec.Struct, frozen=True):
    """The first 200 of the `total` rules of SKILL.md, in order."""

    total: int = 0
    rules: tuple[PlacedRule, ...] = ()
