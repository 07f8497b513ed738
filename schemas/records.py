"""The state of a run as frozen records. `state.schema.json` says the same to other programs."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from schemas.issues import Cost, Issue, Measure, SeverityCounts, Tokens
from schemas.layout import Layout
from schemas.options import Options
from schemas.requirements import RequirementAnalysis
from schemas.sessions import SessionSeen
from schemas.vocabulary import SCHEMA_VERSION, FixSource, FixStatus, Gate, Pause, Phase, Risk, Status, Verification

_UNASKED, _NONE, _FREE = Options(), SeverityCounts(), Cost()


@dataclass(frozen=True)
class TargetSkill:
    """The skill under work. `files` maps each path to the sha256 that the last diagnosis saw."""

    name: str | None = None
    path: str | None = None
    execution_mode: str | None = None
    phases: tuple[str, ...] = ()
    specs: tuple[str, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class EvidenceRow:
    """One piece of evidence in a diagnosis result."""

    file: str
    line: int | None
    pattern: str
    context: str
    severity: str


@dataclass(frozen=True)
class Details:
    """What a diagnosis looked for and saw."""

    patterns_checked: tuple[str, ...] = ()
    patterns_matched: tuple[str, ...] = ()
    evidence: tuple[EvidenceRow, ...] = ()
    recommendations: tuple[str, ...] = ()


@dataclass(frozen=True)
class Redundancy:
    """The same thing said in several places."""

    id: str
    type: str
    files: tuple[str, ...]
    description: str
    severity: str
    merge_suggestion: str


@dataclass(frozen=True)
class Definition:
    """One of several values of one key."""

    file: str
    value: str
    location: str | None = None


@dataclass(frozen=True)
class Conflict:
    """Places that say different things of one key."""

    id: str
    type: str
    files: tuple[str, ...]
    key: str
    definitions: tuple[Definition, ...]
    resolution_suggestion: str


@dataclass(frozen=True)
class DiagnosisResult:
    """What one of the six diagnoses found. The docs diagnosis fills the last two."""

    status: str
    issues_found: int
    severity: str
    execution_time_ms: int
    details: Details
    redundancies: tuple[Redundancy, ...] | None = None
    conflicts: tuple[Conflict, ...] | None = None


@dataclass(frozen=True)
class Diagnosis:
    """The six diagnoses of a round; None means not made yet."""

    context: DiagnosisResult | None = None
    memory: DiagnosisResult | None = None
    dataflow: DiagnosisResult | None = None
    agent: DiagnosisResult | None = None
    docs: DiagnosisResult | None = None
    token_consumption: DiagnosisResult | None = None
    deep: DiagnosisResult | None = None

    @property
    def results(self) -> dict[str, DiagnosisResult]:
        """Those that are made, by their names."""
        return {name: result for name, result in vars(self).items() if result is not None}


@dataclass(frozen=True)
class FileChange:
    """A change of one file. Contents live in `blobs/<sha256>` of the work dir."""

    file: str
    action: str
    diff: str
    sha256_before: str | None = None
    sha256_after: str | None = None
    mode: int | None = None


@dataclass(frozen=True)
class Review:
    """What a fresh reader (`by`) says of a mend who sees the text before and after and the pattern, nothing else.

    The findings are gone, each instruction holds, a maintainer would merge it, nothing new is wrong; whether the skill
    `changes` what it does; what speaks against the mend.
    """

    by: str
    gone: bool
    holds: bool
    merge: bool
    sound: bool
    changes: bool
    objections: tuple[str, ...] = ()


@dataclass(frozen=True)
class Fix:
    """A proposed mend of one or more findings. `claims` are the fingerprints that must vanish.

    `drops` are the statements that it removes on purpose, `rewrites` those in place of which it says something else;
    `takes_out` are those of `drops` that hold nowhere then, as the user was told.
    `review` is None where nobody has read it. `wanted` is what the user has said of it in a choice that is not ended.
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


@dataclass(frozen=True)
class ChangeMade:
    """What really happened to a file."""

    file: str
    action: str
    mode: int | None
    sha256_before: str | None
    sha256_after: str | None


@dataclass(frozen=True)
class FixEffect:
    """What a kept fix did: the skill before and after it, the ids of the issues it resolved, and of new ones."""

    before: Measure
    after: Measure
    resolved: tuple[str, ...] = ()
    found: tuple[str, ...] = ()


@dataclass(frozen=True)
class AppliedFix:
    """A fix that was carried out, and what its verification said. `effect` is None unless it was kept."""

    fix_id: str
    applied_at: str
    success: bool
    backup_path: str
    verification_result: Verification
    rollback_available: bool
    changes_made: tuple[ChangeMade, ...] = ()
    reason: str | None = None
    effect: FixEffect | None = None


@dataclass(frozen=True)
class HistoryEntry:
    """One action that ran: in which phase, and what it noted."""

    action: str
    started_at: str
    completed_at: str
    result: str
    output_files: tuple[str, ...] = ()
    phase: Phase = Phase.PENDING
    note: str = ""


@dataclass(frozen=True)
class Move:
    """One change of phase."""

    source: Phase
    dest: Phase
    at: str


@dataclass(frozen=True)
class ErrorEntry:
    """Something that went wrong in an action."""

    action: str
    message: str
    timestamp: str
    recoverable: bool


@dataclass(frozen=True)
class Round:
    """The measure of one diagnosis: round 1 is the skill as it came.

    `measured` is false while score and gate of the state are older than the last kept fix. `untried` are the issues for
    which no fix was drafted because the round was full.
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


@dataclass(frozen=True)
class TrialSeen:
    """What the trial of a tuned skill showed: how many runs succeeded before and after it was tuned, of how many.

    `kept` tells whether the fixes stay, `reason` why. The runs themselves are in `folder`.
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


@dataclass(frozen=True)
class State:
    """The whole state of a run. A change makes a new one: `dataclasses.replace`.

    `layout_before` is SKILL.md as it came; `tokens` and `layout` are of the last measure, None where it is unknown.
    `judge` names who was asked, `unasked` counts the patterns that only a model can find where none was.
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
    options: Options = _UNASKED
    pause: Pause | None = None
    requirement_analysis: RequirementAnalysis | None = None
    diagnosis: Diagnosis = Diagnosis()
    issues: tuple[Issue, ...] = ()
    issues_by_severity: SeverityCounts = _NONE
    sessions: tuple[SessionSeen, ...] = ()
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
    cost: Cost = _FREE
    unasked: int = 0
    trial: TrialSeen | None = None
