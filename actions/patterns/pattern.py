"""Define a pattern: a module with PATTERN, BAD, GOOD and, if it can prove the fault, `check`. Its docstring is a page.

The page is for people and models: a title line, then the parts `It is:`, `It is not:`, `Low when:` (optional),
`Why it is bad:` and `Instead:`, each with its label at the start of a line. In the first three parts each line that
begins with `-` is one clause.
"""

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import msgspec

from actions.lean_hash import hash_bytes
from schemas.vocabulary import FAMILIES_BY_CODE, LOADED_KINDS, Family, Grade, Severity, UnitKind

if TYPE_CHECKING:  # hooks read sessions and must not load modules that read skills
    from actions.case import Case
    from actions.session.transcript import Quote
    from actions.skill.example import Examples
    from schemas.issues import Place, ReadBy

__all__ = [
    "LOADED_KINDS",
    "Check",
    "Family",
    "Finding",
    "Occurrence",
    "Pattern",
    "PatternModule",
    "Severity",
    "UnitKind",
    "compute_fingerprint",
    "get_check",
    "get_grades",
]  # fmt: skip
_POINTS = {"blocks": 40, "loses": 30, "every_run": 20, "easy": 10}


class Pattern(msgspec.Struct, frozen=True, dict=True):
    """The facts of a pattern.

    - `impact` determines the severity: blocks execution 40 points, loses data 30, happens on every run 20, easy to fix
      10. 70 points or more are critical, 50 high, 30 medium, fewer low.
    - `strategies` are the names of fixes, the best first.
    - `cause` is the same for patterns that may report the same fault. Of their findings on the same lines, only one
      stays open.
    - `asks_model` means that a model is asked about the pattern, because a parser cannot find all cases.
    - `other_family` is the family, if it is not the one that follows from the id.
    - `kinds` are the kinds of units to which the pattern applies.
    - `from_sessions` means that its check, or a model, reads recorded sessions.
    - `in_source` means that in a generated file only its source can be corrected.
    """

    id: str
    impact: tuple[str, ...] = ()
    strategies: tuple[str, ...] = ()
    cause: str = ""
    asks_model: bool = True
    other_family: Family | None = None
    kinds: tuple[UnitKind, ...] = (UnitKind.SKILL,)
    from_sessions: bool = False
    in_source: bool = False

    @cached_property
    def family(self) -> Family:
        """The family: `other_family` or, without it, the one that the code at the beginning of the id names."""
        return self.other_family or FAMILIES_BY_CODE[self.id.rpartition("-")[0]]

    @property
    def blocks_run(self) -> bool:
        """Whether a fault stops a run or keeps a unit from being loaded or started."""
        return "blocks" in self.impact

    @cached_property
    def severity(self) -> Severity:
        """The severity that follows from the impact."""
        points = sum(_POINTS[name] for name in self.impact)
        if points >= 70:
            return Severity.CRITICAL
        return Severity.HIGH if points >= 50 else Severity.MEDIUM if points >= 30 else Severity.LOW


_UNSET = Pattern("")


class Occurrence(msgspec.Struct, frozen=True):
    """An occurrence of a finding in a recorded session: the session's id and a quote of a record.

    `read_by` is the model that found it, or None if a checker proved it from the records.
    """

    session: str
    quote: "Quote"
    read_by: "ReadBy | None" = None


class Finding(msgspec.Struct, frozen=True):
    """A fault at one location. Lines are 1-based and inclusive; line 0 means the whole file.

    A check yields a finding for each location and sets the fields up to `is_shared`:

    - `message`: one or two sentences that a maintainer understands without context.
    - `also`: further evidence, as `file:line: text`.
    - `severity`: it can only lower the severity of the pattern, in the cases that its page names.
    - `subject`: the name on which the locations disagree or that they repeat (a constant, an option, a type). It has
      the form `name = value` if the location gives the name a value.
    - `cause`: identifies a fault with several locations, such as a wrong name or a missing file. The scan merges the
      findings with the same pattern and cause.
    - `folder`: the topmost missing parent folder of a missing file. It is the cause if several files in it are missing.
    - `is_shared`: whether other units may share the cause of a skill's fault. For other units, a cause that is a name,
      or a path from the project's root, may always be shared.

    The scan sets the other fields. `locations` are all locations of the fault, beginning with `file` and `line`.
    `suppressed_by` names the comment, setting or baseline that suppresses the finding. `occurrences` are the
    occurrences in recorded sessions.
    """

    file: str
    line: int
    message: str
    line_end: int = 0
    also: tuple[str, ...] = ()
    severity: Severity = Severity.CRITICAL
    subject: str = ""
    cause: str = ""
    folder: str = ""
    is_shared: bool = False
    pattern: Pattern = _UNSET
    quote: str = ""
    fingerprint: str = ""
    grade: Grade = Grade.PROVEN
    suppressed_by: str | None = None
    locations: tuple["Place", ...] = ()
    occurrences: tuple[Occurrence, ...] = ()

    @property
    def sessions(self) -> tuple[str, ...]:
        """The ids of the sessions that have the fault, without duplicates."""
        return tuple(dict.fromkeys(occurrence.session for occurrence in self.occurrences))


def compute_fingerprint(*parts: str) -> str:
    """Compute the identifier that a finding keeps across runs. Callers pass its pattern and words, but not its line."""
    return hash_bytes("\0".join(parts).encode("utf-8", "replace"))[:16]


class PatternModule(Protocol):
    """The interface of a pattern's module. Without `check`, only a model can find the fault."""

    __doc__: str | None
    __name__: str
    PATTERN: Pattern
    BAD: "Examples"
    GOOD: "Examples"


Check = Callable[["Case"], Iterable[Finding]]


def get_check(module: PatternModule) -> Check | None:
    """Return the pattern's `check` function, or None if only a model can find the fault."""
    check: Check | None = getattr(module, "check", None)
    return check


def get_grades(module: PatternModule) -> tuple[Grade, ...]:
    """Return the grades that a pattern's findings may have: proven, read, or both."""
    proven = (Grade.PROVEN,) if get_check(module) else ()
    return (*proven, Grade.READ) if module.PATTERN.asks_model else proven
