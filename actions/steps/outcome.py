"""Define what a step of a run receives and returns: `act(state, case, tools) -> Outcome`.

An outcome may request an effect: a change outside the state, such as writing a file. The shell (the orchestrator)
carries it out and passes its result to `continue_with`.
"""

from collections.abc import Callable, Mapping

import msgspec
from msgspec.structs import replace

from actions.case import Case
from actions.fixes.rehearsal import Rehearsal
from actions.project.place import Place
from actions.review.judge import Judge
from actions.scoring.scan import Scan
from actions.skill import Skill
from schemas.issues import Issue
from schemas.records import ChangeMade, Fix, State, TrialRecord
from schemas.requirements import Ambiguity
from schemas.vocabulary import ActionResult


class Backup(msgspec.Struct, frozen=True):
    """Copy the whole skill into the work dir. The result is BackedUp."""


class BackedUp(msgspec.Struct, frozen=True):
    """The folder of the backup."""

    folder: str


class Keep(msgspec.Struct, frozen=True):
    """Store contents in the work dir under their SHA-256 hash. This effect has no result."""

    contents: tuple[bytes, ...]


class WriteReport(msgspec.Struct, frozen=True):
    """Write the final report into the work dir. This effect has no result."""

    text: str


class Apply(msgspec.Struct, frozen=True):
    """Store `contents` and write a rehearsed fix. `before` is the scan of the text before the fix.

    The result is Written or NotWritten.
    """

    rehearsal: Rehearsal
    contents: tuple[bytes, ...]
    before: Scan

    @property
    def fix(self) -> Fix:
        """The fix to write."""
        return self.rehearsal.fix


class Written(msgspec.Struct, frozen=True):
    """A written fix: the skill as read back, the changes made, and a function that finds its project."""

    apply: Apply
    skill: Skill
    made: tuple[ChangeMade, ...]
    locate: Callable[[Skill], Place] | None = None


class NotWritten(msgspec.Struct, frozen=True):
    """A fix that could not be written or read back, and why. `left` are the files that could not be restored."""

    apply: Apply
    reason: str
    left: tuple[str, ...] = ()


class Undo(msgspec.Struct, frozen=True):
    """Undo the fix that was just written, byte for byte. The result is Undone."""

    fix_id: str


class Undone(msgspec.Struct, frozen=True):
    """The result of undoing a fix.

    `left` are the files that were edited since the fix. If there are any, the fix was not undone.
    """

    fix_id: str
    left: tuple[str, ...]


class RunTrial(msgspec.Struct, frozen=True):
    """Run the original and the tuned skill on the same tasks. The result is TrialRecord."""


class RollBackAll(msgspec.Struct, frozen=True):
    """Roll back every applied fix, for the reason `why`. The result is RolledBack."""

    why: str


class RolledBack(msgspec.Struct, frozen=True):
    """The result of a rollback: the ids of the fixes, the changes made, and the reason `why`.

    `after` is the case after the rollback, or why the skill cannot be read.
    """

    fixes: tuple[str, ...]
    made: tuple[ChangeMade, ...]
    after: Case | str
    why: str


class AskClarification(msgspec.Struct, frozen=True):
    """Ask the user what the unclear complaints mean. The result is Clarified."""

    questions: tuple[Ambiguity, ...]


class Clarified(msgspec.Struct, frozen=True):
    """The user's answers about unclear complaints: a category for each dimension id."""

    categories: Mapping[str, str]


class AskFindings(msgspec.Struct, frozen=True):
    """Ask the user for which findings a model should draft fixes.

    The run pauses until the user has chosen, so this effect has no result.
    """


class AskSelection(msgspec.Struct, frozen=True):
    """Ask the user which fixes to apply, in the order of their findings. The result is Selected."""

    state: State
    case: Case
    fixes: tuple[Fix, ...]
    issues: tuple[Issue, ...]

    @property
    def root(self) -> str:
        """The folder to which the paths of the issues are relative."""
        return self.state.target_skill.root


class Selected(msgspec.Struct, frozen=True):
    """The ids of the fixes that the user chose."""

    ids: tuple[str, ...]


Effect = (
    Backup | Keep | WriteReport | Apply | Undo | RunTrial | RollBackAll | AskClarification | AskFindings | AskSelection
)
Result = BackedUp | Written | NotWritten | Undone | TrialRecord | RolledBack | Clarified | Selected


class Outcome(msgspec.Struct, frozen=True):
    """The state after a step, a note for the history, and an effect to carry out before the state is saved."""

    state: State
    note: str = ""
    effect: Effect | None = None
    result: ActionResult = ActionResult.SUCCESS

    def then(self, state: State, effect: Effect | None = None) -> "Outcome":
        """Return the outcome of the same step after its effect, with the next effect if there is one."""
        return replace(self, state=state, effect=effect)


class Tools(msgspec.Struct, frozen=True):
    """The services of the shell: the current time, a stopwatch in seconds, and the judge, if any.

    `can_ask` is true if a user can be asked. `picks_findings` is true if the user chooses the findings for which a
    model drafts fixes.
    """

    now: Callable[[], str]
    stopwatch: Callable[[], float]
    can_ask: bool = False
    judge: Judge | None = None
    picks_findings: bool = False


Act = Callable[[State, Case, Tools], Outcome]
"""The function that does the work of a step."""
