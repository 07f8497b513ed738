"""SKILL.md as a compaction sees it: where its rules stand, and what becomes of each."""

from dataclasses import dataclass

from schemas.vocabulary import Fate


@dataclass(frozen=True)
class PlacedRule:
    """A binding sentence of SKILL.md. It ends at token `token` of what Claude Code attaches; `line` counts from 1."""

    line: int
    token: int
    text: str
    fate: Fate


@dataclass(frozen=True)
class Layout:
    """The rules of SKILL.md in their order: the first 200 of `total`."""

    total: int = 0
    rules: tuple[PlacedRule, ...] = ()
