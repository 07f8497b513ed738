"""What an action gets and gives: `act(state, case, tools) -> Outcome`. Effects are carried out by the loop."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from actions.case import Case
from actions.review.judge import Judge
from actions.skill import Skill
from schemas.issues import Issue
from schemas.records import ChangeMade, Fix, State
from schemas.requirements import Ambiguity
from schemas.vocabulary import ActionResult


@dataclass(frozen=True)
class Backup:
    """Copy the whole skill into the work dir; `backup_dir` of the state names it."""


@dataclass(frozen=True)
class Keep:
    """Keep contents in the work dir by their sha256."""

    contents: tuple[bytes, ...]


@dataclass(frozen=True)
class Apply:
    """Write a fix. `settle` judges what then stands on the disk; `refused` tells what an objection means."""

    fix: Fix
    settle: "Callable[[Skill, tuple[ChangeMade, ...]], Settled]"
    refused: Callable[[str], Mapping[str, Any]]


@dataclass(frozen=True)
class WriteReport:
    """Write the final report into the work dir."""

    text: str


@dataclass(frozen=True)
class HoldTrial:
    """Run the skill that came against the tuned one; take all fixes back where it is worse beyond noise."""


@dataclass(frozen=True)
class AskClarification:
    """Ask what the user meant; `answered` gives the changes of the answers (dimension id -> reading)."""

    questions: tuple[Ambiguity, ...]
    answered: Callable[[Mapping[str, str]], Mapping[str, Any]]


@dataclass(frozen=True)
class AskSelection:
    """Ask which fixes to apply, of the skill at `root` with these open issues, both in the order of what is found.

    `selected` gives the changes of a choice of fix ids. `foreseen` gives a fix as it changes a text of the skill, and
    the text then; None where it cannot be drafted for it. The `case` holds the text of now.
    """

    fixes: tuple[Fix, ...]
    issues: tuple[Issue, ...]
    root: str
    selected: Callable[[tuple[str, ...]], Mapping[str, Any]]
    foreseen: Callable[[Fix, Case], tuple[Fix, Case] | None]
    case: Case


Effect = Backup | Keep | Apply | WriteReport | HoldTrial | AskClarification | AskSelection


@dataclass(frozen=True)
class Settled:
    """Whether a written fix stays, and the state's changes either way."""

    stays: bool
    changes: Mapping[str, Any]


@dataclass(frozen=True)
class Outcome:
    """What an action makes of a state: changes of its fields, a trigger for the machine, effects, a note."""

    changes: Mapping[str, Any] = field(default_factory=dict)
    trigger: str | None = None
    note: str = ""
    effects: tuple[Effect, ...] = ()
    result: ActionResult = ActionResult.SUCCESS


@dataclass(frozen=True)
class Tools:
    """What comes into the core from outside: the time, a stopwatch in seconds, whether someone can be asked."""

    now: Callable[[], str]
    stopwatch: Callable[[], float]
    someone_there: bool = False
    judge: Judge | None = None


Act = Callable[[State, Case, Tools], Outcome]
"""An action: one step."""
