"""Define a strategy: a module with STRATEGY, BEFORE, AFTER and `propose`; its docstring is its page."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from actions.case import Case
from actions.skill.example import Example, example_files
from schemas.issues import Issue
from schemas.vocabulary import Risk


@dataclass(frozen=True)
class Strategy:
    """The name of a strategy, the ids of the patterns that it fixes, its risk."""

    name: str
    fixes: tuple[str, ...]
    risk: Risk


@dataclass(frozen=True)
class Draft:
    """A proposed edit: path -> new bytes, or None to delete.

    `description` says what it does, `rationale` why, `impact` what gets better, each in a sentence. `drops` are the
    statements that it removes, `rewrites` those that it rewords; every other one must stay as it is. `token_limit` is
    the most by which all instruction files may grow (negative: must shrink), in estimated tokens. `risk`, if given,
    replaces the strategy's. `executable` are written files that become executable.
    """

    writes: Mapping[str, bytes | None]
    description: str
    rationale: str
    impact: str
    token_limit: int
    drops: Iterable[str] = ()
    rewrites: Iterable[str] = ()
    risk: Risk | None = None
    executable: tuple[str, ...] = ()


class StrategyModule(Protocol):
    """One file of this folder."""

    __doc__: str | None
    STRATEGY: Strategy
    BEFORE: tuple[Example, ...]
    AFTER: tuple[Example, ...]

    def propose(self, issue: Issue, case: Case) -> Draft | None:
        """Return the fix of one issue; None unless exactly one outcome is possible."""


def list_example_files(module: StrategyModule, example: Example) -> Mapping[str, str]:
    """Return the files of an example: of a project, if the strategy fixes only patterns of projects, else of a skill."""
    is_project = all(name.startswith("PRJ-") for name in module.STRATEGY.fixes)
    return example if is_project and isinstance(example, Mapping) else example_files(example)
