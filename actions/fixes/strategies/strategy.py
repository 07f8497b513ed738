"""What a strategy is. A strategy module holds STRATEGY, BEFORE, AFTER and `propose`; its docstring is its page."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from actions.case import Case
from actions.skill.example import Example
from schemas.issues import Issue
from schemas.vocabulary import Risk


@dataclass(frozen=True)
class Strategy:
    """The facts of a strategy: its name, the ids of the patterns it mends, its risk."""

    name: str
    mends: tuple[str, ...]
    risk: Risk


@dataclass(frozen=True)
class Draft:
    """A proposed edit: path -> new bytes, or None to delete.

    `description` says what it does, `rationale` why, `impact` what gets better, each in a sentence. `drops` are the
    statements it takes out on purpose, `rewrites` those in place of which it says something else; every other one
    must stand where it stood, token for token. `token_limit` is the most by
    which the skill's instruction files together may grow (negative: must shrink), in estimated tokens. `risk` is given
    where it is another than the strategy's.
    """

    writes: Mapping[str, bytes | None]
    description: str
    rationale: str
    impact: str
    token_limit: int
    drops: Iterable[str] = ()
    rewrites: Iterable[str] = ()
    risk: Risk | None = None


class StrategyModule(Protocol):
    """One file of this folder."""

    __doc__: str | None
    STRATEGY: Strategy
    BEFORE: tuple[Example, ...]
    AFTER: tuple[Example, ...]

    def propose(self, issue: Issue, case: Case) -> Draft | None:
        """Return the mend of one issue; None unless its outcome is forced."""
