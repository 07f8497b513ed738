"""What a pattern is: a module with PATTERN, BAD, GOOD and, only where it can prove, `look`; its docstring is its page.

The page is written for a reader, a person or a model that judges: a title line, then the parts `It is:`, `It is not:`,
`Low when:` (may be missing), `Why it is bad:` and `Instead:`, each opened by its label at the start of a line. In the
first three each line that begins with `-` is one clause.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from schemas.vocabulary import CODES, Family, Severity

if TYPE_CHECKING:  # who looks at sessions alone need not load the readers of skills
    from actions.case import Case
    from actions.skill.example import Examples

__all__ = ["Evidence", "Look", "Pattern", "PatternModule", "Severity", "grades_of", "look_of"]
_POINTS = {"blocks": 40, "loses": 30, "every_run": 20, "easy": 10}


@dataclass(frozen=True)
class Pattern:
    """The facts of a pattern.

    `impact` gives the severity: blocks execution 40, loses data 30, happens on every run 20, easy to fix 10;
    70 and more is critical, 50 high, 30 medium, else low. `strategies` are the names that may mend it, the best first.
    `cause` joins patterns that may see one fault: their findings on overlapping lines are one. `asked` says whether a
    model is asked about it; what a parser knows whole is not. Its id tells its family; `of` does for what has no id.
    """

    id: str
    impact: tuple[str, ...]
    strategies: tuple[str, ...] = ()
    cause: str = ""
    asked: bool = True
    of: Family | None = None

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


@dataclass(frozen=True)
class Evidence:
    """What a pattern proved and where: lines count from 1, both ends included.

    `message` is one sentence that a maintainer understands alone: what stands where, against what. `also` are further
    places as `file:line: text`. `severity` lowers the pattern's own by context; the page says when.
    `about` is what the places disagree on or say twice, if it has a name: a constant, an option, a type.
    """

    file: str
    line: int
    message: str
    line_end: int = 0
    also: tuple[str, ...] = ()
    severity: Severity | None = None
    about: str = ""


class PatternModule(Protocol):
    """One file of a family's folder. Without `look` only a model can find it."""

    __doc__: str | None
    __name__: str
    PATTERN: Pattern
    BAD: "Examples"
    GOOD: "Examples"


Look = Callable[["Case"], Iterable[Evidence]]


def look_of(module: PatternModule) -> Look | None:
    """Return what proves the pattern in a case; None where only a model can find it."""
    found: Look | None = getattr(module, "look", None)
    return found


def grades_of(module: PatternModule) -> tuple[str, ...]:
    """Return how a pattern may be known: `proven`, `read`, or both."""
    proven = ("proven",) if look_of(module) else ()
    return (*proven, "read") if module.PATTERN.asked else proven
