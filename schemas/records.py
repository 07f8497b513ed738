"""Define the state of a run as frozen records. `state.schema.json` describes it to other programs."""

from collections.abc import Mapping

import msgspec
from msgspec.structs import asdict, replace

from schemas.issues import Cost, Issue, Measure, SeverityCounts, Tokens
from schemas.layout import Layout
from schemas.options import Options
from schemas.requirements import RequirementAnalysis
from schemas.sessions import SessionRecord
from schemas.vocabulary import (
    SCHEMA_VERSION,
    ActionResult,
    DiagnosisStatus,
    FixSource,
    FixStatus,
    Gate,
    Pause,
    Phase,
    Risk,
    Status,
    UnitKind,
    Verification,
)

_DEFAULT_OPTIONS, _NO_COUNTS, _NO_COST = Options(), SeverityCounts(), Cost()


class TargetSkill(msgspec.Struct, frozen=True):
    """The skill, or unit of another kind, that a run tunes.

    `path` is the folder of a skill, or the file of another unit. `project` is the folder that the other unit's paths
    are relative to, or None for a skill. `files` has the sha256 of each file at the last diagnosis.
    """

    name: str | None = None
    path: str | None = None
    execution_mode: str | None = None
    phases: tuple[str, ...] = ()
    specs: tuple[str, ...] = ()
    files: Mapping[str, str] = msgspec.field(default_factory=dict)
    kind: UnitKind = UnitKind.SKILL
    project: str | None = None

    @property
    def root(self) -> str:
        """The folder that the paths of findings and changes are relative to."""
        return self.project or self.path or ""


class EvidenceRow(msgspec.Struct, frozen=True):
    """An item of evidence in a diagnosis result."""

    file: str
    line: int | None
    pattern: str
    context: str
    severity: str


class Details(msgspec.Struct, frozen=True):
    """The patterns that a diagnosis checked and matched, with evidence and recommendations."""

    patterns_checked: tuple[str, ...] = ()
    patterns_matched: tuple[str, ...] = ()
    evidence: tuple[EvidenceRow, ...] = ()
    recommendations: tuple[str, ...] = ()


class Redundancy(msgspec.Struct, frozen=True):
    """A text that is repeated in several places."""

    id: str
    type: str
    files: tuple[str, ...]
    description: str
    severity: str
    merge_suggestion: str


class Definition(msgspec.Struct, frozen=True):
    """One of several different values of a key."""

    file: str
    value: str
    location: str | None = None


class Conflict(msgspec.Struct, frozen=True):
    """A key that several locations define differently."""

    id: str
    type: str
    files: tuple[str, ...]
    key: str
    definitions: tuple[Definition, ...]
    resolution_suggestion: str


class DiagnosisResult(msgspec.Struct, frozen=True):
    """The result of one of the six diagnoses. Only the docs diagnosis sets `redundancies` and `conflicts`."""

    status: DiagnosisStatus
    issues_found: int
    severity: str
    execution_time_ms: int
    details: Details
    redundancies: tuple[Redundancy, ...] | None = None
    conflicts: tuple[Conflict, ...] | None = None


class Diagnosis(msgspec.Struct, frozen=True):
    """The results of the diagnoses of a round, or None for a diagnosis that has not run yet."""

    context: DiagnosisResult | None = None
    memory: DiagnosisResult | None = None
    dataflow: DiagnosisResult | None = None
    agent: DiagnosisResult | None = None
    docs: DiagnosisResult | None = None
    token_consumption: DiagnosisResult | None = None
    deep: DiagnosisResult | None = None

    @property
    def results(self) -> dict[str, DiagnosisResult]:
        """The results so far, by the name of the diagnosis."""
        return {name: result for name, result in asdict(self).items() if result is not None}

    def with_result(self, name: str, result: DiagnosisResult) -> "Diagnosis":
        """Return the diagnoses with one more result. Raises TypeError for an unknown name."""
        return replace(self, **{name: result})


class FileChange(msgspec.Struct, frozen=True):
    """A change of one file, whose contents are in `blobs/<sha256>` of the work dir."""

    file: str
    action: str
    diff: str
    sha256_before: str | None = None
    sha256_after: str | None = None
    mode: int | None = None


class Review(msgspec.Struct, frozen=True):
    """A review of a fix by a model (`by`) in a fresh conversation.

    The answers are whether the findings are `gone`, every instruction still `holds`, a maintainer would `merge` the
    fix, it is `sound` (without a new fault), and it `changes` the skill's behavior. `objections` are the reasons
    against the fix. `ended` are other findings whose quotes the fix changes and that it also fixes.
    """

    by: str
    gone: bool
    holds: bool
    merge: bool
    sound: bool
    changes: bool
    objections: tuple[str, ...] = ()
    ended: tuple[str, ...] = ()


class AuthorChoice(msgspec.Struct, frozen=True):
    """A question that only the author of a skill can answer, with its possible answers (readings).

    `chosen` is "" until the author has chosen a reading.
    """

    question: str
    readings: tuple[str, ...]
    chosen: str = ""


class Fix(msgspec.Struct, frozen=True):
    """A proposed fix of one or more issues. `claims` are the fingerprints of the findings that must be gone after it.

    `drops` are the statements that it removes on purpose, and `rewrites` those that it replaces. `takes_out` are the
    `drops` that no longer apply anywhere. `wanted` is the user's answer in an unfinished selection. `choice` is the
    question to the author that prevented a draft. `siblings` are files of the project outside the unit that have the
    same fault according to the model. `parts` are the files of each part of a merged fix, which can be refused or
    rolled back without the other parts.
    """

    id: str
    issue_ids: tuple[str, ...]
    strategy: str
    description: str
    rationale: str
    changes: tuple[FileChange, ...]
    risk: Risk
    estimated_impact: str
    verification_steps: tuple[str, ...]
    claims: tuple[str, ...]
    drops: tuple[str, ...] = ()
    rewrites: tuple[str, ...] = ()
    source: FixSource = FixSource.STRATEGY
    status: FixStatus = FixStatus.PROPOSED
    token_limit: int | None = None
    iteration: int = 1
    reason: str | None = None
    review: Review | None = None
    wanted: bool | None = None
    takes_out: tuple[str, ...] = ()
    choice: AuthorChoice | None = None
    siblings: tuple[str, ...] = ()
    parts: tuple[tuple[str, ...], ...] = ()

    @property
    def diffs(self) -> tuple[str, ...]:
        """The diffs of its changes. A renamed file has one."""
        return tuple(change.diff for change in self.changes if change.diff)

    @property
    def is_misfit(self) -> bool:
        """Whether the fix was chosen, but must be drafted again because earlier fixes have changed its text."""
        return self.status is FixStatus.PROPOSED and bool(self.reason)


class ChangeMade(msgspec.Struct, frozen=True):
    """A change that was written to a file."""

    file: str
    action: str
    mode: int | None
    sha256_before: str | None
    sha256_after: str | None


class FixEffect(msgspec.Struct, frozen=True):
    """The effect of a kept fix: the measures before and after, and the ids of resolved and new issues."""

    before: Measure
    after: Measure
    resolved: tuple[str, ...] = ()
    found: tuple[str, ...] = ()


class AppliedFix(msgspec.Struct, frozen=True):
    """A fix that was applied, and the result of its verification. `effect` is None unless the fix was kept."""

    fix_id: str
    applied_at: str
    success: bool
    backup_path: str
    verification_result: Verification
    rollback_available: bool
    changes_made: tuple[ChangeMade, ...] = ()
    reason: str | None = None
    effect: FixEffect | None = None


class HistoryEntry(msgspec.Struct, frozen=True):
    """One action that ran, with its phase, result and note."""

    action: str
    started_at: str
    completed_at: str
    result: ActionResult
    output_files: tuple[str, ...] = ()
    phase: Phase = Phase.PENDING
    note: str = ""


class Move(msgspec.Struct, frozen=True):
    """One change of phase."""

    source: Phase
    dest: Phase
    at: str


class ErrorEntry(msgspec.Struct, frozen=True):
    """An error in an action."""

    action: str
    message: str
    timestamp: str
    recoverable: bool


class Round(msgspec.Struct, frozen=True):
    """A round, with the measure at its start. In round 1, this is the measure of the unchanged skill.

    `measured` is False while the score and gate of the state are older than the last kept fix. `untried` are the issues
    without a draft because the round or the list of findings reached its limit. `chosen` are the issues that the user
    wants to fix, or None for all. `by_hand` are the issues that only the author can fix, because no fix may change that
    part of the frontmatter.
    """

    iteration: int
    score: int
    gate: Gate
    counts: SeverityCounts
    tokens: Tokens
    measured: bool = False
    proposed: bool = False
    selected: bool = False
    fixes_kept: tuple[str, ...] = ()
    untried: tuple[str, ...] = ()
    chosen: tuple[str, ...] | None = None
    by_hand: tuple[str, ...] = ()


class TrialRecord(msgspec.Struct, frozen=True):
    """The result of a trial: the numbers of successful runs and of all runs, before and after the fixes.

    `kept` is whether the fixes are kept, for this `reason`. `folder` is the folder of the runs.
    """

    verdict: str
    before: int
    before_runs: int
    after: int
    after_runs: int
    noise_floor: float | None
    kept: bool
    reason: str
    usd: float
    folder: str


class ExamRecord(msgspec.Struct, frozen=True):
    """The exam that a run's fixes have passed: the numbers of successful and of all runs, without and with the fixes.

    `improvement` is the id of the improvement, and `folder` the folder of the runs.
    """

    improvement: str
    before: int
    before_runs: int
    after: int
    after_runs: int
    folder: str

    @property
    def result(self) -> str:
        """The result as text."""
        with_edits = f"{self.after} of {self.after_runs} runs of unseen tasks succeed with the edits"
        return f"{with_edits}, {self.before} of {self.before_runs} without them"


class State(msgspec.Struct, frozen=True):
    """The whole state of a run. `replace` returns a changed copy.

    `layout_before` is the layout of the unchanged SKILL.md. `tokens` and `layout` are from the last measure, or None if
    they are unknown. `judge` is the model that was asked. `unasked` is the number of unchecked patterns that need a
    model, even if a judge was asked but did not read all. `trial_folder` is the folder of the run's trial, which may
    have been stopped. `exam` is the exam of the improvement that a run applies without a diagnosis.
    """

    schema_version: int = SCHEMA_VERSION
    run_id: str = ""
    phase: Phase = Phase.PENDING
    status: Status = Status.PENDING
    started_at: str | None = None
    updated_at: str | None = None
    target_skill: TargetSkill = TargetSkill()
    user_issue_description: str = ""
    focus_areas: tuple[str, ...] = ()
    options: Options = _DEFAULT_OPTIONS
    pause: Pause | None = None
    requirement_analysis: RequirementAnalysis | None = None
    diagnosis: Diagnosis = Diagnosis()
    issues: tuple[Issue, ...] = ()
    issues_by_severity: SeverityCounts = _NO_COUNTS
    sessions: tuple[SessionRecord, ...] = ()
    proposed_fixes: tuple[Fix, ...] = ()
    applied_fixes: tuple[AppliedFix, ...] = ()
    pending_fixes: tuple[str, ...] = ()
    iteration_count: int = 0
    max_iterations: int = 5
    rounds: tuple[Round, ...] = ()
    quality_score: int = 0
    quality_gate: Gate = Gate.FAIL
    tokens: Tokens | None = None
    layout_before: Layout | None = None
    layout: Layout | None = None
    completed_actions: tuple[str, ...] = ()
    current_action: str | None = None
    action_history: tuple[HistoryEntry, ...] = ()
    walk: tuple[Move, ...] = ()
    errors: tuple[ErrorEntry, ...] = ()
    error_count: int = 0
    max_errors: int = 3
    notes: tuple[str, ...] = ()
    work_dir: str | None = None
    backup_dir: str | None = None
    final_report: str | None = None
    judge: str | None = None
    cost: Cost = _NO_COST
    unasked: int = 0
    trial: TrialRecord | None = None
    trial_folder: str | None = None
    exam: ExamRecord | None = None

    @property
    def fix_parts(self) -> Mapping[str, tuple[tuple[str, ...], ...]]:
        """Maps the id of each merged fix to the files of its parts."""
        return {fix.id: fix.parts for fix in self.proposed_fixes if fix.parts}
