"""What an author set: which patterns look, how severe their findings are, and where they are not counted. Pure."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fnmatch import translate
from functools import cached_property

from schemas.vocabulary import Family, Severity

FILE = "tune-skill.toml"
"""What an author writes them into, in the project or the skill."""


@dataclass(frozen=True)
class Exemption:
    """The findings of `codes` are suppressed in files like `glob` (`per-file-ignores`), or in all (`ignore`: "").

    `source` names the settings file; `below` is where the skill lies from that file's folder, "" for its own file.
    """

    source: str
    glob: str
    codes: tuple[str, ...]
    below: str = ""

    def covers(self, path: str) -> bool:
        """Return whether the glob means a file of the skill, seen from the skill or from the settings' folder."""
        match = self._glob.match
        return bool(not self.glob or match(path) or (self.below and match(f"{self.below}/{path}")))

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
    """All that was set for one skill. Codes: ids (`CTX-001`), prefixes (`CTX`, `DOC-CON`), families (`docs`).

    ignore: what the command line skips. notes: what the reader must know, as a skill can change what is reported.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    exemptions: tuple[Exemption, ...] = ()
    severity: Mapping[str, Severity] = field(default_factory=dict)
    baseline: tuple[Accepted, ...] = ()
    notes: tuple[str, ...] = ()

    def looks(self, id: str, family: Family) -> bool:
        """Return whether a pattern is to look: selected (all are, without `select`) and not skipped."""
        return (not self.select or is_selected(self.select, id, family)) and not is_selected(self.ignore, id, family)

    def wants(self, id: str, family: Family) -> bool:
        """Return whether findings of a pattern that looks can count: a model is asked about no others."""
        ignored = (is_selected(one.codes, id, family) for one in self.exemptions if not one.glob)
        return self.looks(id, family) and not any(ignored)

    def severity_of(self, id: str, family: Family) -> Severity | None:
        """Return the severity that was set for a pattern: by its id, else by the last code that means it."""
        levels = [level for code, level in self.severity.items() if is_selected((code,), id, family)]
        return self.severity.get(id) or (levels[-1] if levels else None)


def is_selected(codes: Iterable[str], id: str, family: Family) -> bool:
    """Return whether one of the codes means the pattern of this id and family."""
    known, name = [code.upper() for code in codes], id.upper()
    return not family.names.isdisjoint(known) or any(name == code or name.startswith(f"{code}-") for code in known)
