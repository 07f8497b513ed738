"""Define a strategy: a module with STRATEGY, BEFORE, AFTER and `propose`. The module's docstring is its page."""

from collections.abc import Iterable, Mapping
from typing import Protocol

import msgspec

from actions.case import Case
from actions.skill.example import Example, build_example_files
from schemas.issues import Issue
from schemas.vocabulary import Risk


class Strategy(msgspec.Struct, frozen=True):
    """The name of a strategy, the ids of the patterns whose findings it fixes, and the risk of its fixes.

    max_risk: the highest risk of a draft that has its own, or None if all drafts have the strategy's.
    """

    name: str
    fixes: tuple[str, ...]
    risk: Risk
    max_risk: Risk | None = None

    @property
    def risks(self) -> str:
        """The risk of the fixes as text, such as `low to high`."""
        return f"{self.risk} to {self.max_risk}" if self.max_risk else self.risk.value


class Draft(msgspec.Struct, frozen=True):
    """A proposed edit. `writes` maps each path to the new bytes, or to None if the file is deleted.

    `description` is one sentence about what the edit does, `rationale` about why, and `impact` about what gets better.
    `drops` are the statements that the edit removes, and `rewrites` those that it rewords. No other statement may
    change. `token_limit` is the maximum growth of all instruction files together, in estimated tokens. If it is
    negative, the files must shrink. If `risk` is not None, it replaces the strategy's risk. `executable` lists the
    written files that become executable.
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
    """The interface of a strategy's module, which is one file in this folder."""

    __doc__: str | None
    STRATEGY: Strategy
    BEFORE: tuple[Example, ...]
    AFTER: tuple[Example, ...]

    def propose(self, issue: Issue, case: Case) -> Draft | None:
        """Return the fix of one issue, or None unless exactly one outcome is possible."""


def list_example_files(module: StrategyModule, example: Example) -> Mapping[str, str]:
    """Map paths to texts for an example, which is a project if the strategy fixes only PRJ patterns, else a skill."""
    is_project = all(name.startswith("PRJ-") for name in module.STRATEGY.fixes)
    return example if is_project and isinstance(example, Mapping) else build_example_files(example)
