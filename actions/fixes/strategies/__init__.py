"""Find the strategies, one file each. A strategy drafts a fix only if exactly one outcome is possible.

`DRAFTED` names the fixes that a model drafts or a person makes.
"""

import pkgutil
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import cast

from actions.fixes.strategies.strategy import Draft, Strategy, StrategyModule
from schemas.strategies import DRAFTED

__all__ = ["DRAFTED", "Draft", "Strategy", "StrategyModule", "all_strategies", "find_strategy"]
_FRAMEWORK = frozenset({"strategy", "edits"})


@cache
def all_strategies() -> Mapping[str, StrategyModule]:
    """Map names to strategies."""
    names = [info.name for info in pkgutil.iter_modules(__path__) if info.name not in _FRAMEWORK]
    modules = [cast(StrategyModule, import_module(f"{__name__}.{name}")) for name in sorted(names)]
    return MappingProxyType({module.STRATEGY.name: module for module in modules})


def find_strategy(name: str) -> StrategyModule | None:
    """Return the strategy of this name; None for a drafted or unknown one."""
    return all_strategies().get(name)
