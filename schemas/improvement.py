"""Define the state of an improvement as frozen records. `improvement.schema.json` describes it to other programs."""

from collections.abc import Mapping
from enum import StrEnum

import msgspec

from schemas.issues import Issue
from schemas.records import Fix


class Stage(StrEnum):
    """The last completed stage. An improvement ends as `applied` or `left`."""

    PLANNED = "planned"
    SPLIT = "split"
    MEASURED = "measured"
    DIAGNOSED = "diagnosed"
    DRAFTED = "drafted"
    PROVED = "proved"
    SCREENED = "screened"
    EXAMINED = "examined"
    APPLIED = "applied"
    LEFT = "left"


class Cause(StrEnum):
    """The cause of a failed run. Only a defect of the skill leads to an edit."""

    UNUSED = "skill not used"
    DEFECT = "skill defect"
    LAPSE = "execution lapse"
    CHECK = "bad check"
    ENVIRONMENT = "environment"
    UNKNOWN = "unknown"


class StepStatus(StrEnum):
    """The status of a step. A step that passed the screening is kept."""

    PROPOSED = "proposed"
    REJECTED = "rejected"
    KEPT = "kept"


class Counts(msgspec.Struct, frozen=True):
    """The runs of one task with one version. `passed` has the result of each run, except unknown results."""

    task: str
    passed: tuple[bool, ...]

    @property
    def failures(self) -> int:
        """The number of failed runs."""
        return self.passed.count(False)


class Failure(msgspec.Struct, frozen=True):
    """A failed run and its cause.

    `run` is the key of the run in the ledger. `quote` is from its record. `issue` is the id of the defect, or "".
    """

    run: str
    task: str
    cause: Cause
    reason: str
    quote: str = ""
    issue: str = ""


class Step(msgspec.Struct, frozen=True):
    """One bounded edit for a defect (`issue`). `fix` is None if nothing was drafted. `texts` are the changed files.

    `digest` identifies the text of the skill after the edit. `base` are the runs without the edit, and `screening` the
    runs with it.
    """

    number: int
    issue: str
    status: StepStatus
    reason: str = ""
    fix: Fix | None = None
    digest: str = ""
    texts: Mapping[str, str] = msgspec.field(default_factory=dict)
    base: tuple[Counts, ...] = ()
    screening: tuple[Counts, ...] = ()


class ExamPair(msgspec.Struct, frozen=True):
    """The runs of one exam task, without and with the kept steps."""

    task: str
    before: tuple[bool, ...]
    after: tuple[bool, ...]


class Exam(msgspec.Struct, frozen=True):
    """The result of the exam. `level` is the error rate per side of this exam, and `why` the reason for the end."""

    verdict: str
    why: str
    tasks: tuple[ExamPair, ...]
    p_better: float
    level: float
    low: float | None = None
    high: float | None = None

    def count(self, version: str) -> tuple[int, int]:
        """Return the numbers of successful runs and of all runs of a version ("before" or "after")."""
        runs = [is_passed for pair in self.tasks for is_passed in getattr(pair, version)]
        return sum(runs), len(runs)


class Moment(msgspec.Struct, frozen=True):
    """The time at which a stage was reached."""

    stage: Stage
    at: str


class Improvement(msgspec.Struct, frozen=True):
    """The whole state of an improvement. `replace` returns a changed copy.

    - `version`: the digest of the skill's files.
    - `openings`: the number of times that this exam was run, including this time (0 before the first run).
    - `why`: the reason for the end.
    - `run`: the work dir of the run that applies the steps.
    - `problem`: the reason why the steps could not be applied.
    - `limit`: the work that the cost limit did not allow.
    - `exam_unpaid`: whether the cost limit did not allow the exam.
    """

    schema_version: int = 1
    id: str = ""
    stage: Stage = Stage.PLANNED
    name: str = ""
    path: str = ""
    version: str = ""
    model: str = ""
    max_steps: int = 4
    ceiling: float = 0.0
    practice: tuple[str, ...] = ()
    exam_tasks: tuple[str, ...] = ()
    exam_digest: str = ""
    openings: int = 0
    base: tuple[Counts, ...] = ()
    failures: tuple[Failure, ...] = ()
    issues: tuple[Issue, ...] = ()
    steps: tuple[Step, ...] = ()
    exam: Exam | None = None
    why: str = ""
    run: str = ""
    problem: str = ""
    limit: str = ""
    exam_unpaid: bool = False
    usd: float = 0.0
    runs: int = 0
    questions: int = 0
    notes: tuple[str, ...] = ()
    walk: tuple[Moment, ...] = ()
    folder: str = ""

    @property
    def has_ended(self) -> bool:
        """Whether the improvement has ended and could not continue with a higher cost limit."""
        return self.stage is Stage.APPLIED or (self.stage is Stage.LEFT and not self.is_continuable)

    @property
    def has_passed(self) -> bool:
        """Whether the exam was passed and the steps will be applied, so that no more costs arise."""
        is_better = self.exam is not None and self.exam.verdict == "better"
        return self.stage is Stage.EXAMINED and is_better and not self.problem

    @property
    def is_continuable(self) -> bool:
        """Whether the improvement ended only because of the cost limit, so that it can continue with a higher one."""
        return self.stage is Stage.LEFT and bool(self.limit) and not self.openings

    @property
    def kept(self) -> tuple[Step, ...]:
        """The steps that passed the screening, in order. Each step builds on the previous one."""
        return tuple(step for step in self.steps if step.status is StepStatus.KEPT)
