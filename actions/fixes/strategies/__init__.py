"""Find the strategies, each in its own file. A strategy drafts a fix only if exactly one outcome is possible.

`DRAFTED` names the fixes that a model drafts or a person makes.
"""

from collections.abc import Mapping
from functools import cache

from actions.fixes.strategies.strategy import Draft, Strategy, StrategyModule
from actions.lazy_modules import LazyModules
from schemas.strategies import DRAFTED

__all__ = ["DRAFTED", "Draft", "Strategy", "StrategyModule", "find_strategy", "get_strategies"]
_FRAMEWORK = frozenset({"strategy", "edits"})


@cache
def get_strategies() -> Mapping[str, StrategyModule]:
    """Map the names of strategies, which are their file names, to their modules."""
    from pkgutil import iter_modules  # slow to load, and a skill without findings needs none

    names = sorted(info.name for info in iter_modules(__path__) if info.name not in _FRAMEWORK)
    return LazyModules(__name__, dict(zip(names, names, strict=True)))


def find_strategy(name: str) -> StrategyModule | None:
    """Return the strategy with this name, or None if the name is in `DRAFTED` or unknown."""
    return get_strategies().get(name)
