"""What a pattern is. A pattern module holds PATTERN, BAD, GOOD and `look`, and its docstring is its page.

The docstring has four parts, each opened by its label at the start of a line:
a title line, then `What it sees:`, `Why it is bad:`, `Instead:` and `May be wrong:`.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from actions.example import Example
from actions.skill import Case
from schemas.vocabulary import Confidence, Family, Severity

_POINTS = {"blocks": 40, "loses": 30, "every_run": 20, "easy": 10}


@dataclass(frozen=True)
class Pattern:
    """The facts of a pattern.

    `impact` gives the severity: blocks execution 40, loses data 30, happens on every run 20, easy to mend 10;
    70 and more is critical, 50 high, 30 medium, else low. `cause` joins patterns that may see one fault: their
    findings on overlapping lines are one. `strategies` are the names that may mend it, the best first.
    """

    id: str
    family: Family
    impact: tuple[str, ...]
    confidence: Confidence
    strategies: tuple[str, ...] = ()
    reads: tuple[str, ...] = ("skill",)
    cause: str = ""

    @property
    def severity(self) -> Severity:
        """The severity that follows from the impact."""
        points = sum(_POINTS[name] for name in self.impact)
        if points >= 70:
            return Severity.CRITICAL
        if points >= 50:
            return Severity.HIGH
        return Severity.MEDIUM if points >= 30 else Severity.LOW


@dataclass(frozen=True)
class Evidence:
    """What a pattern saw and where: lines count from 1, both ends included.

    `message` is one plain sentence for the author, `also` further places as `file:line: text`. `severity` and
    `confidence` lower the pattern's own by context; the message then says why.
    """

    file: str
    line: int
    message: str
    line_end: int = 0
    also: tuple[str, ...] = ()
    severity: Severity | None = None
    confidence: Confidence | None = None


class PatternModule(Protocol):
    """One file of a family's folder."""

    __doc__: str | None
    __name__: str
    PATTERN: Pattern
    BAD: tuple[Example, ...]
    GOOD: tuple[Example, ...]

    def look(self, case: Case) -> Iterable[Evidence]:
        """Give what this pattern sees in the case."""
        ...
