"""Find the patterns, one file each, by their file names. Nothing is registered by hand.

A folder has the patterns of one family or of related ones. `session` has patterns of the agent's behavior, named like
their considerations, and patterns of the text that only recorded sessions reveal, with a number in their names.
"""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, cast

from actions.lazy_modules import LazyModules
from actions.regex import regex

if TYPE_CHECKING:  # hooks need only the session patterns
    from actions.patterns.pattern import PatternModule
    from actions.patterns.session_pattern import SessionPatternModule

_ID = regex(r"([a-z]+(?:_[a-z]+)?_\d{3})_\w+")


@cache
def all_patterns() -> "Mapping[str, PatternModule]":
    """Map ids to the patterns of skills and other units, ordered by id."""
    from pkgutil import iter_modules  # not needed in a Stop hook, which does not list them

    folders = (info.name for info in iter_modules(__path__) if info.ispkg)
    names = ((_read_id(name), name) for folder in folders for name in _list_modules(folder))
    return LazyModules(__name__, dict(sorted((id, name) for id, name in names if id)))


@cache
def list_text_patterns() -> "tuple[PatternModule, ...]":
    """Return the patterns that read only texts. Patterns that read sessions are slow to import."""
    return tuple(all_patterns()[id] for id in all_patterns() if not id.startswith("SES-"))


@cache
def all_session_patterns() -> "Mapping[str, SessionPatternModule]":
    """Map the ids of considerations to the session patterns."""
    names = {name.partition(".")[2]: name for name in _list_modules("session") if not _read_id(name)}
    return LazyModules(__name__, names)


@cache
def find_session_pattern(id: str) -> "SessionPatternModule | None":
    """Return the session pattern of a consideration; None if it has none.

    The folder is not listed, because for that `pkgutil` imports `inspect`, which takes 5 ms of a Stop hook.
    """
    name = f"session.{id}"
    if not id.isidentifier() or id.startswith("_") or _read_id(name):
        return None
    try:
        return cast("SessionPatternModule", import_module(f"{__name__}.{name}"))
    except ModuleNotFoundError as error:
        if error.name != f"{__name__}.{name}":
            raise
        return None


def _read_id(name: str) -> str:
    """Return the id in a module's name; "" if the module does not define a numbered pattern."""
    match = _ID.fullmatch(name.partition(".")[2])
    return match[1].upper().replace("_", "-") if match else ""


def _list_modules(folder: str) -> list[str]:
    from pkgutil import iter_modules

    return [f"{folder}.{info.name}" for info in iter_modules([f"{path}/{folder}" for path in __path__])]


def suggest_id(id: str) -> str:
    """Return `; did you mean ID?` for the pattern with the same number and similar letters, or ""."""
    from templates.filters import did_you_mean

    letters, _, number = id.upper().rpartition("-")
    number = number.lstrip("0").zfill(3)
    return did_you_mean(f"{letters}-{number}", (known for known in all_patterns() if known.endswith(number)), near=0.8)
