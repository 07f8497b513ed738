"""The patterns: one file each, in a folder per family. Nothing is registered by hand."""

import pkgutil
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import cast

from actions.patterns.pattern import Evidence, Pattern, PatternModule

__all__ = ["Evidence", "Pattern", "PatternModule", "all_patterns", "of_skill"]


@cache
def all_patterns() -> Mapping[str, PatternModule]:
    """Every pattern by its id, in the order of the ids."""
    names = [info.name for info in pkgutil.walk_packages(__path__, __name__ + ".") if not info.ispkg]
    modules = [import_module(name) for name in names if name.rsplit(".", 1)[-1].split("_")[0] in _PREFIXES]
    patterns = [cast(PatternModule, module) for module in modules]
    return MappingProxyType({p.PATTERN.id: p for p in sorted(patterns, key=lambda p: p.PATTERN.id)})


def of_skill() -> Mapping[str, PatternModule]:
    """The patterns that read the skill."""
    return {id: module for id, module in all_patterns().items() if "skill" in module.PATTERN.reads}


_PREFIXES = frozenset({"apv", "agt", "ctx", "df", "doc", "mem", "spec", "tkn"})
