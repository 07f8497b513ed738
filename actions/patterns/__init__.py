"""The patterns that read a skill: one file each, in a folder per family. Nothing is registered by hand.

What sessions show is in `patterns.session`, which has its own register.
"""

import pkgutil
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, cast

from actions.regex import regex

if TYPE_CHECKING:  # who looks at sessions alone need not load it
    from actions.patterns.pattern import PatternModule

_FAMILIES = ("agents", "authoring", "context", "dataflow", "docs", "memory", "spec", "tokens")
_FILE = regex(r"[a-z]+(?:_[a-z]+)?_\d{3}_\w+")


@cache
def all_patterns() -> "Mapping[str, PatternModule]":
    """Every pattern by its id, in the order of the ids."""
    folders = {family: [f"{path}/{family}" for path in __path__] for family in _FAMILIES}
    names = [f"{family}.{info.name}" for family, paths in folders.items() for info in pkgutil.iter_modules(paths)]
    chosen = [name for name in names if _FILE.fullmatch(name.partition(".")[2])]
    patterns = [cast("PatternModule", import_module(f"{__name__}.{name}")) for name in chosen]
    return MappingProxyType({p.PATTERN.id: p for p in sorted(patterns, key=lambda p: p.PATTERN.id)})


def like(id: str) -> str:
    """Return `; did you mean ID?` with the pattern of this number and nearly these letters; "" where none is so."""
    from templates.filters import did_you_mean

    letters, _, number = id.upper().rpartition("-")
    number = number.lstrip("0").zfill(3)
    return did_you_mean(f"{letters}-{number}", (known for known in all_patterns() if known.endswith(number)), near=0.8)
