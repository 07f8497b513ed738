"""The strategies: one file each. Nothing is registered by hand."""

import pkgutil
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import cast

from actions.strategies.strategy import Draft, Strategy, StrategyModule

__all__ = ["Draft", "Strategy", "StrategyModule", "all_strategies", "named"]

_FRAMEWORK = frozenset({"strategy", "edits"})


@cache
def all_strategies() -> Mapping[str, StrategyModule]:
    """Every strategy by its own name (aliases are left out)."""
    names = [info.name for info in pkgutil.iter_modules(__path__) if info.name not in _FRAMEWORK]
    modules = [cast(StrategyModule, import_module(f"{__name__}.{name}")) for name in sorted(names)]
    return MappingProxyType({module.STRATEGY.name: module for module in modules})


def named(name: str) -> StrategyModule | None:
    """Give the strategy of this name or alias."""
    for module in all_strategies().values():
        if name == module.STRATEGY.name or name in module.STRATEGY.aliases:
            return module
    return None
