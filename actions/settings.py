"""What an author set: which patterns look, how severe their findings are, and where they are not counted. Pure."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import translate
from functools import cached_property
from typing import Any, Protocol

from schemas.vocabulary import Family, Severity

FILE = "tune-skill.toml"
"""What an author writes them into, in the project or the skill."""


class Named(Protocol):
    """What codes speak of: a pattern's facts."""

    @property
    def id(self) -> str:
        """The pattern's id."""

    @property
    def family(self) -> Family:
        """The pattern's family."""


@dataclass(frozen=True)
class Exemption:
    """`per-file-ignores`: the findings of `codes` in files like `glob` are suppressed.

    `source` names the settings file; `below` is where the skill lies from that file's folder, "" for its own file.
    """

    source: str
    glob: str
    codes: tuple[str, ...]
    below: str = ""

    def covers(self, path: str) -> bool:
        """Return whether the glob means a file of the skill, seen from the skill or from the settings' folder."""
        match = self._glob.match
        return bool(match(path) or (self.below and match(f"{self.below}/{path}")))

    @cached_property
    def _glob(self) -> re.Pattern[str]:
        return re.compile(translate(self.glob))


@dataclass(frozen=True)
class Accepted:
    """An entry of a baseline: a finding that someone has decided to live with."""

    fingerprint: str
    pattern: str
    file: str
    quote: str


@dataclass(frozen=True)
class Settings:
    """All that was set for one skill. Codes are ids (`CTX-001`), their prefixes (`CTX`, `DOC-CON`) or families.

    told: what a reader must know of it, for a skill can set what is found in it.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    exemptions: tuple[Exemption, ...] = ()
    severity: Mapping[str, Severity] = field(default_factory=dict)
    baseline: tuple[Accepted, ...] = ()
    told: tuple[str, ...] = ()

    def wants(self, pattern: Named) -> bool:
        """Return whether a pattern is to look: selected (all are, without `select`) and not ignored."""
        return (not self.select or meant(self.select, pattern)) and not meant(self.ignore, pattern)

    def severity_of(self, pattern: Named) -> Severity | None:
        """Return the severity that was set for a pattern: by its id, else by the last code that means it."""
        levels = [level for code, level in self.severity.items() if meant((code,), pattern)]
        return self.severity.get(pattern.id) or (levels[-1] if levels else None)


def meant(codes: Sequence[str], pattern: Named) -> bool:
    """Return whether one of the codes means this pattern."""
    id = pattern.id.upper()
    return any(
        id == code.upper() or id.startswith(f"{code.upper()}-") or pattern.family.value == code.lower()
        for code in codes
    )  # fmt: skip


def unknown(codes: Sequence[str], patterns: Sequence[Named]) -> list[str]:
    """Return the codes that mean no pattern."""
    return [code for code in codes if not any(meant((code,), pattern) for pattern in patterns)]


@dataclass(frozen=True)
class Table:
    """A settings file that its schema has accepted. `below` is where the skill lies from the file's folder."""

    source: str
    values: Mapping[str, Any]
    below: str = ""


def settings_of(tables: Sequence[Table]) -> Settings:
    """Join settings files, the stronger ones last: a key wins as a whole, severities and exemptions one by one."""
    select: Sequence[str] = ()
    ignore: Sequence[str] = ()
    severity: dict[str, Severity] = {}
    exemptions: list[Exemption] = []
    for table in tables:
        select = table.values.get("select", select)
        ignore = table.values.get("ignore", ignore)
        severity |= {id.upper(): Severity(level) for id, level in table.values.get("severity", {}).items()}
        ignores = table.values.get("per-file-ignores", {})
        exemptions += (Exemption(table.source, glob, tuple(codes), table.below) for glob, codes in ignores.items())
    return Settings(tuple(select), tuple(ignore), tuple(exemptions), severity)
