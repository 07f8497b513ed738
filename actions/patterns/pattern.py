"""Define a pattern: a module with PATTERN, BAD, GOOD and, if it can prove the fault, `check`; its docstring is a page.

The page is written for a reader, a person or a model: a title line, then the parts `It is:`, `It is not:`,
`Low when:` (optional), `Why it is bad:` and `Instead:`, each opened by its label at the start of a line. In the
first three each line that begins with `-` is one clause.
"""

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

from schemas.vocabulary import CODES, Family, Grade, Severity, UnitKind

if TYPE_CHECKING:  # reading sessions needs no reader of skills, reading skills none of sessions
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
LOADED_KINDS = (UnitKind.SKILL, UnitKind.COMMAND, UnitKind.AGENT)
"""The kinds of units whose texts sessions follow."""
_POINTS = {"blocks": 40, "loses": 30, "every_run": 20, "easy": 10}


@dataclass(frozen=True)
class Pattern:
    """The facts of a pattern.

    `impact` gives the severity: blocks execution 40, loses data 30, happens on every run 20, easy to fix 10;
    70 and more is critical, 50 high, 30 medium, else low. `strategies` are the names that may fix it, the best first.
    `cause` joins patterns that may report the same fault: their findings on overlapping lines become one. `asked`: a
    model is asked about it, because a parser cannot find all cases. The id gives the family; `of` sets it if the id
    does not. `kinds` are the kinds of units that it applies to. `from_sessions`: it is checked in recorded sessions.
    """

    id: str
    impact: tuple[str, ...] = ()
    strategies: tuple[str, ...] = ()
    cause: str = ""
    asked: bool = True
    of: Family | None = None
    kinds: tuple[UnitKind, ...] = (UnitKind.SKILL,)
    from_sessions: bool = False

    @property
    def family(self) -> Family:
        """The family whose code its id begins with."""
        return self.of or CODES[self.id.rpartition("-")[0]]

    @property
    def severity(self) -> Severity:
        """The severity that follows from the impact."""
        points = sum(_POINTS[name] for name in self.impact)
        if points >= 70:
            return Severity.CRITICAL
        return Severity.HIGH if points >= 50 else Severity.MEDIUM if points >= 30 else Severity.LOW


_UNSET = Pattern("")


class Occurrence(NamedTuple):
    """An occurrence of a finding in a recorded session: the session's id and the words of a record, or "".

    `read_by` is None if a checker proved it from the records.
    """

    session: str
    quote: "Quote"
    read_by: "ReadBy | None" = None


@dataclass(frozen=True)
class Finding:
    """One fault: lines count from 1, both ends included; line 0 is the whole file.

    A check yields one for each place and sets the fields up to `folder`. `message` is one sentence that a maintainer
    understands alone. `also` is further evidence, as `file:line: text`. `severity` can only lower that of the pattern;
    its page says when. `about` is the name that the places disagree on or repeat: a constant, an option, a type;
    `name = value` if the place gives it a value. `cause` identifies a fault that has several places: a wrong name, a
    missing file; the scan joins findings of one pattern and cause. `folder` is the topmost missing parent folder of a
    missing file: it is the cause if several files are missing there.
    The scan sets the rest. `locations` are all its places, the first one first. `suppressed_by` names the comment,
    setting or baseline that suppresses it, `occurrences` the recorded sessions that show it.
    """

    file: str
    line: int
    message: str
    line_end: int = 0
    also: tuple[str, ...] = ()
    severity: Severity = Severity.CRITICAL
    about: str = ""
    cause: str = ""
    folder: str = ""
    pattern: Pattern = _UNSET
    quote: str = ""
    fingerprint: str = ""
    grade: Grade = Grade.PROVEN
    suppressed_by: str | None = None
    locations: tuple["Place", ...] = ()
    occurrences: tuple[Occurrence, ...] = ()

    @property
    def sessions(self) -> tuple[str, ...]:
        """The sessions that show it, without duplicates."""
        return tuple(dict.fromkeys(one.session for one in self.occurrences))


def compute_fingerprint(*parts: str) -> str:
    """Compute the identifier of a finding across runs, from its pattern and words, not from its line."""
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:16]


class PatternModule(Protocol):
    """One file of a family's folder. Without `check` only a model can find the fault."""

    __doc__: str | None
    __name__: str
    PATTERN: Pattern
    BAD: "Examples"
    GOOD: "Examples"


Check = Callable[["Case"], Iterable[Finding]]


def get_check(module: PatternModule) -> Check | None:
    """Return the function that proves the pattern in a case; None if only a model can find it."""
    check: Check | None = getattr(module, "check", None)
    return check


def get_grades(module: PatternModule) -> tuple[Grade, ...]:
    """Return the grades that findings of a pattern may have: proven, read, or both."""
    proven = (Grade.PROVEN,) if get_check(module) else ()
    return (*proven, Grade.READ) if module.PATTERN.asked else proven
