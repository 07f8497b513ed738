"""Find the patterns. Each is one file. A table lists them, so that a scan imports only the patterns that it needs.

A folder contains the patterns of one family or of related families. `session` contains two kinds: patterns of the
agent's behavior, named after their considerations, and patterns (with a number in the name) of faults in a text that
only recorded sessions show. `./dev generate` writes the table.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, cast

import msgspec

from actions.lazy_modules import LazyModules
from actions.regex import regex

if TYPE_CHECKING:  # hooks need only the session patterns
    from actions.patterns.pattern import PatternModule
    from actions.patterns.session_pattern import SessionPatternModule
    from schemas.vocabulary import Family, UnitKind

CHECKED = "checked"
_ID = regex(r"([a-z]+(?:_[a-z]+)?_\d{3})_\w+")


class Facts(msgspec.Struct, frozen=True):
    """A row of the table: the id of a pattern, its module, whether it has a check, and its kinds of units."""

    id: str
    module: str
    is_checked: bool
    kinds: tuple[str, ...]

    @property
    def family(self) -> "Family":
        """The family, by the code at the beginning of the id."""
        from schemas.vocabulary import FAMILIES_BY_CODE

        return FAMILIES_BY_CODE[self.id.rpartition("-")[0]]


@cache
def get_patterns() -> "Mapping[str, PatternModule]":
    """Map ids to the patterns of skills and other units, ordered by id."""
    return LazyModules(__name__, {row.id: row.module for row in _read_table()})


@cache
def list_checked_patterns(kind: "UnitKind") -> "tuple[PatternModule, ...]":
    """Import and return the patterns that can prove a fault in the text of a unit of this kind."""
    return tuple(get_patterns()[row.id] for row in _list_rows(kind) if row.is_checked)


@cache
def list_read_patterns(kind: "UnitKind") -> tuple[Facts, ...]:
    """Return the patterns whose faults only a model can find in a unit of this kind."""
    return tuple(row for row in _list_rows(kind) if not row.is_checked)


def _list_rows(kind: "UnitKind") -> Iterator[Facts]:
    """Yield the patterns that apply to a kind of unit, except patterns that read sessions."""
    return (row for row in _read_table() if kind in row.kinds and not row.id.startswith("SES-"))


@cache
def _read_table() -> tuple[Facts, ...]:
    from actions.patterns.table import TABLE

    rows = (line.split() for line in TABLE.splitlines())
    return tuple(
        Facts(_read_id(module), module, grade == CHECKED, tuple(kinds.split(","))) for module, grade, kinds in rows
    )


def build_table() -> str:
    """Build the table of the patterns from their modules, one line for each: module, whether it has a check, kinds."""
    from pkgutil import iter_modules

    folders = (info.name for info in iter_modules(__path__) if info.ispkg)
    names = sorted((id, name) for folder in folders for name in _list_modules(folder) if (id := _read_id(name)))
    modules = {name: import_module(f"{__name__}.{name}") for _, name in names}
    return "".join(
        f"{name} {CHECKED if hasattr(module, 'check') else 'read'} {','.join(module.PATTERN.kinds)}\n"
        for name, module in modules.items()
    )


@cache
def get_session_patterns() -> "Mapping[str, SessionPatternModule]":
    """Map the ids of considerations to the session patterns."""
    names = {name.partition(".")[2]: name for name in _list_modules("session") if not _read_id(name)}
    return LazyModules(__name__, names)


@cache
def find_session_pattern(id: str) -> "SessionPatternModule | None":
    """Return the session pattern of a consideration, or None.

    The module is imported by its name, because listing the folder with `pkgutil` would cost a Stop hook 5 ms.
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
    """Return the id in a module's name, or "" if the module does not define a numbered pattern."""
    match = _ID.fullmatch(name.partition(".")[2])
    return match[1].upper().replace("_", "-") if match else ""


def _list_modules(folder: str) -> list[str]:
    """Return the names of the modules in a folder, with the folder: `tokens.tkn_001_said_twice`."""
    from pkgutil import iter_modules

    return [f"{folder}.{info.name}" for info in iter_modules([f"{path}/{folder}" for path in __path__])]


def suggest_id(id: str) -> str:
    """Return `; did you mean ID?` for the pattern with the same number and similar letters, or ""."""
    from templates.filters import did_you_mean

    letters, _, number = id.upper().rpartition("-")
    number = number.lstrip("0").zfill(3)
    return did_you_mean(f"{letters}-{number}", (known for known in get_patterns() if known.endswith(number)), near=0.8)
