"""Define the settings of a skill: which patterns run, with what severity, and where their findings are suppressed."""

import re
from collections.abc import Iterable, Mapping
from fnmatch import translate
from functools import cached_property

import msgspec

from schemas.vocabulary import Family, Severity

SETTINGS_FILE = "tune-skill.toml"
"""The name of the settings file, in the project or in the skill."""


class Exemption(msgspec.Struct, frozen=True, dict=True):
    """An entry of a settings file that suppresses the findings of `codes`.

    With a `glob` (`per-file-ignores`) it applies to matching files, without one (`ignore`) to all files. `source` is
    the name of the settings file. `below` is the path of the skill relative to that file's folder. `above` is the path
    of that file's folder relative to the root of another unit's project, if the folder is inside the project.
    """

    source: str
    glob: str
    codes: tuple[str, ...]
    below: str = ""
    above: str = ""

    @property
    def is_shared(self) -> bool:
        """Whether other units may also use the exemption."""
        return bool(self.below or self.above)

    def covers(self, path: str) -> bool:
        """Return whether the exemption applies to the file at `path` in the skill.

        The glob may also match the path relative to the folder of the settings file.
        """
        match = self._glob.match
        if self.above and self.glob:
            return path.startswith(f"{self.above}/") and bool(match(path.removeprefix(f"{self.above}/")))
        return bool(not self.glob or match(path) or (self.below and match(f"{self.below}/{path}")))

    @cached_property
    def _glob(self) -> re.Pattern[str]:
        return re.compile(translate(self.glob))


class BaselineEntry(msgspec.Struct, frozen=True):
    """An entry of a baseline: one accepted location of a finding.

    `is_whole` is true for an entry of an earlier version, which covers all locations of the finding.
    """

    fingerprint: str
    pattern: str
    file: str
    quote: str
    is_whole: bool = False


class Settings(msgspec.Struct, frozen=True):
    """The settings of a skill. Codes are ids (`CTX-001`), prefixes (`CTX`, `DOC-CON`) or families (`docs`).

    `ignore` has the codes that the command line skips. `notes` are messages about settings that change the report.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    exemptions: tuple[Exemption, ...] = ()
    severity: Mapping[str, Severity] = msgspec.field(default_factory=dict)
    baseline: tuple[BaselineEntry, ...] = ()
    notes: tuple[str, ...] = ()

    def is_enabled(self, id: str, family: Family) -> bool:
        """Return whether a pattern is selected (by default, all are) and not skipped."""
        is_chosen = not self.select or is_selected(self.select, id, family)
        return is_chosen and not (self.ignore and is_selected(self.ignore, id, family))

    def may_report(self, id: str, family: Family) -> bool:
        """Return whether the findings of a pattern may be reported. Models are asked only about such patterns."""
        ignored = (is_selected(exemption.codes, id, family) for exemption in self.exemptions if not exemption.glob)
        return self.is_enabled(id, family) and not any(ignored)

    def severity_of(self, id: str, family: Family) -> Severity | None:
        """Return the severity that the settings give a pattern, or None.

        The setting for the pattern's id takes precedence, then the last setting whose code matches.
        """
        levels = [level for code, level in self.severity.items() if is_selected((code,), id, family)]
        return self.severity.get(id) or (levels[-1] if levels else None)


def is_selected(codes: Iterable[str], id: str, family: Family) -> bool:
    """Return whether any of the codes matches a pattern."""
    known, name = [code.upper() for code in codes], id.upper()
    return not family.names.isdisjoint(known) or any(name == code or name.startswith(f"{code}-") for code in known)
