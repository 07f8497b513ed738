"""Find the patterns, one file each, by their file names. Nothing is registered by hand.

A folder has the patterns of one family or of related ones. `session` has patterns of the agent's behavior, named like
their considerations, and patterns of the text that only recorded sessions reveal, with a number in their names.
"""

import pkgutil
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast

from actions.regex import regex

if TYPE_CHECKING:  # the hooks need only the patterns of sessions
    from actions.patterns.pattern import PatternModule
    from actions.patterns.session_pattern import SessionPatternModule

_FILE = regex(r"[a-z]+(?:_[a-z]+)?_\d{3}_\w+")


@cache
def all_patterns() -> "Mapping[str, PatternModule]":
    """Map ids to the patterns of skills and other units, ordered by id."""
    folders = (info.name for info in pkgutil.iter_modules(__path__) if info.ispkg)
    names = (name for folder in folders for name in _list_modules(folder) if _is_numbered(name))
    return cast("Mapping[str, PatternModule]", _load(names))


@cache
def all_session_patterns() -> "Mapping[str, SessionPatternModule]":
    """Map the ids of considerations to the patterns of sessions."""
    names = (name for name in _list_modules("session") if not _is_numbered(name))
    return cast("Mapping[str, SessionPatternModule]", _load(names))


def _is_numbered(name: str) -> bool:
    return _FILE.fullmatch(name.partition(".")[2]) is not None


def _list_modules(folder: str) -> list[str]:
    return [f"{folder}.{info.name}" for info in pkgutil.iter_modules([f"{path}/{folder}" for path in __path__])]


def _load(names: Iterable[str]) -> Mapping[str, Any]:
    modules = [import_module(f"{__name__}.{name}") for name in names]
    return MappingProxyType({module.PATTERN.id: module for module in sorted(modules, key=lambda m: m.PATTERN.id)})


def suggest_id(id: str) -> str:
    """Return `; did you mean ID?` for the pattern with the same number and similar letters; "" if there is none."""
    from templates.filters import did_you_mean

    letters, _, number = id.upper().rpartition("-")
    number = number.lstrip("0").zfill(3)
    return did_you_mean(f"{letters}-{number}", (known for known in all_patterns() if known.endswith(number)), near=0.8)
