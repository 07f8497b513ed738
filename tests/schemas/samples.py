"""Build a state that contains every record type, with values that differ from the defaults in every field."""

from schemas.issues import Cost, Issue, Location, Measure, ReadBy, SeverityCounts, Tokens, Verdict
from schemas.layout import Layout, PlacedRule
from schemas.options import Options, TrialOptions
from schemas.records import (
    AppliedFix,
    AuthorChoice,
    ChangeMade,
    Conflict,
    Definition,
    Details,
    Diagnosis,
    DiagnosisResult,
    ErrorEntry,
    EvidenceRow,
    ExamRecord,
    FileChange,
    Fix,
    FixEffect,
    HistoryEntry,
    Move,
    Redundancy,
    Review,
    Round,
    State,
    TargetSkill,
    TrialRecord,
)
from schemas.requirements import (
    Ambiguity,
    Coverage,
    Dimension,
    RequirementAnalysis,
    SpecMatch,
    StrategyMatch,
    TaxonomyMatch,
)
from schemas.sessions import CompactionRecord, SessionRecord
from schemas.vocabulary import (
    ActionResult,
    AnalysisStatus,
    DiagnosisStatus,
    Family,
    Fate,
    FixSource,
    FixStatus,
    Gate,
    Grade,
    IssueSource,
    IssueStatus,
    Pause,
    Phase,
    Risk,
    Ruling,
    Severity,
    Status,
    Verification,
)

MOMENT = "2026-03-01T09:30:00.125Z"


def make_issue(number: int = 1, **fields: object) -> Issue:
    defaults = {
        "id": f"ISS-{number:03d}",
        "type": Family.CONTEXT,
        "severity": Severity.HIGH,
        "priority": 2,
        "location": Location("phases/02-gather.md", 12, 14, "gather"),
        "description": "每一轮都追加全部回答 — the list never shrinks\n",
        "evidence": ("notes.push(reply)", 'it\'s "quoted" \\ and \u2028 split'),
        "root_cause": "no bound",
        "impact": "the prompt grows",
        "suggested_fix": "sliding_window",
        "pattern": "CTX-001",
        "grade": Grade.READ,
        "fingerprint": f"{number:032x}",
        "source": IssueSource.SESSION,
        "status": IssueStatus.SUPPRESSED,
        "suppressed_by": "tune-skill.toml",
        "related_issues": ("ISS-007",),
        "sessions": 3,
        "verdict": Verdict(Ruling.REJECTED, "the list is cut elsewhere", "a judge"),
        "read_by": ReadBy("a judge", "no line shortens it"),
    }
    return Issue(**{**defaults, **fields})


def make_fix(number: int = 1, **fields: object) -> Fix:
    defaults = {
        "id": f"FIX-{number:03d}",
        "issue_ids": ("ISS-001",),
        "strategy": "sliding_window",
        "description": "keep ten",
        "rationale": "older ones are not read",
        "changes": (FileChange("phases/02-gather.md", "modify", "@@ -1 +1 @@\n-a\n+b\n", "a" * 64, "b" * 64, 0o644),),
        "risk": Risk.MEDIUM,
        "estimated_impact": "bounded",
        "verification_steps": ("all patterns again",),
        "claims": (f"{number:032x}",),
        "drops": ("a rule that is said twice",),
        "rewrites": ("a rule that is said better",),
        "takes_out": ("a rule that is said twice",),
        "source": FixSource.MODEL,
        "status": FixStatus.REFUSED,
        "token_limit": 40,
        "iteration": 2,
        "reason": "edited meanwhile",
        "review": Review("a reader", True, True, False, True, False, ("It is longer than it needs to be.",)),
        "choice": AuthorChoice("Which ten?", ("the newest", "the longest"), "the newest"),
    }
    return Fix(**{**defaults, **fields})


def make_diagnosis_result() -> DiagnosisResult:
    return DiagnosisResult(
        status=DiagnosisStatus.COMPLETED,
        issues_found=1,
        severity="none",
        execution_time_ms=3,
        details=Details(
            patterns_checked=("CTX-001", "DOC-RED-001"),
            patterns_matched=("CTX-001",),
            evidence=(EvidenceRow("SKILL.md", 4, "CTX-001", "notes.push(reply)", "high"),),
            recommendations=("bound the list",),
        ),
        redundancies=(Redundancy("DOC-RED-001", "other", ("a.md", "b.md"), "twice", "low", "keep one"),),
        conflicts=(
            Conflict("DOC-CON-001", "definition", ("a.md",), "limit", (Definition("a.md", "3", "line 2"),), "ask"),
        ),
    )


def make_requirements() -> RequirementAnalysis:
    return RequirementAnalysis(
        status=AnalysisStatus.NEEDS_CLARIFICATION,
        analyzed_at=MOMENT,
        dimensions=(Dimension("DIM-001", "it forgets", ("forgets",), "memory_loss", 0.5),),
        spec_matches=(
            SpecMatch(
                "DIM-001",
                TaxonomyMatch("memory_loss", ("MEM-001",), "high"),
                StrategyMatch(("constraint_injection",), ("low",)),
                True,
            ),
            SpecMatch("DIM-002", None, None, False),
        ),
        coverage=Coverage(2, 1, 1, 50.0, "partial"),
        ambiguities=(Ambiguity("DIM-001", "multi_category", "two readings", ("a", "b"), True, "a", "user"),),
    )


def make_rich_state() -> State:
    return State(
        run_id="20260301T093000-gatherer",
        phase=Phase.APPLY_FIX,
        status=Status.RUNNING,
        started_at=MOMENT,
        updated_at=MOMENT,
        target_skill=TargetSkill(
            "gatherer", "/skills/gatherer", "autonomous", ("p.md",), ("s.md",), {"a~/b.md": "c" * 64}
        ),
        user_issue_description="it forgets",
        focus_areas=("memory",),
        options=Options(
            "given", ("one.jsonl",), "sdk", "safe", 1.5, True, True, "json", TrialOptions("tasks.yaml", 3, 2.5)
        ),
        pause=Pause.FIX_SELECTION,
        requirement_analysis=make_requirements(),
        diagnosis=Diagnosis(*[make_diagnosis_result()] * 7),
        issues=(make_issue(1), make_issue(2)),
        issues_by_severity=SeverityCounts(1, 2, 3, 4),
        sessions=(
            SessionRecord(
                *("1f2e3d4c", "2026-03-01", "DEVELOPMENT", 2, ("todos_complete", "CTX-006"), 9, 1, 48),
                *("2026-03-01T09:30:00Z", "2026-03-01T10:30:00.5Z", 900, 12),
                moments=(CompactionRecord(400, MOMENT, "auto", 160_000, 3, ("the objective",)),),
            ),
        ),
        proposed_fixes=(make_fix(),),
        applied_fixes=(
            AppliedFix(
                fix_id="FIX-001",
                applied_at=MOMENT,
                success=True,
                backup_path="/w/backup",
                verification_result=Verification.ROLLED_BACK,
                rollback_available=True,
                changes_made=(ChangeMade("a.md", "create", 0o600, "a" * 64, "b" * 64),),
                reason="a rule was lost",
                effect=FixEffect(
                    before=Measure(90, Gate.REVIEW, SeverityCounts(0, 1, 0, 0), Tokens(1, 2, 3)),
                    after=Measure(95, Gate.FAIL, SeverityCounts(1, 0, 0, 0), Tokens(4, 5, 6)),
                    resolved=("ISS-001",),
                    found=("ISS-002",),
                ),
            ),
        ),
        pending_fixes=("FIX-002",),
        iteration_count=1,
        max_iterations=4,
        rounds=(
            Round(
                iteration=1,
                score=90,
                gate=Gate.PASS,
                counts=SeverityCounts(0, 1, 0, 0),
                tokens=Tokens(1, 2, 3),
                measured=True,
                proposed=True,
                selected=True,
                fixes_kept=("FIX-001",),
            ),
        ),
        quality_score=90,
        quality_gate=Gate.REVIEW,
        tokens=Tokens(1, 2, 4),
        layout_before=Layout(2, (PlacedRule(700, 5100, "Never guess.", Fate.LOST),)),
        layout=Layout(1, (PlacedRule(7, 51, "Never guess.", Fate.REPEATED),)),
        completed_actions=("action-init",),
        current_action="action-apply-fix",
        action_history=(
            HistoryEntry("action-init", MOMENT, MOMENT, ActionResult.SUCCESS, ("backup",), Phase.DIAGNOSIS, "6 files"),
        ),
        walk=(Move(Phase.PENDING, Phase.RUNNING, MOMENT),),
        errors=(ErrorEntry("action-init", "slow disk", MOMENT, True),),
        error_count=1,
        max_errors=2,
        notes=("the most likely reading was taken",),
        work_dir="/w",
        backup_dir="/w/backup",
        final_report="# Report\n",
        judge="a judge",
        cost=Cost(0.25, 1200, 3, 1000, 800),
        unasked=27,
        trial_folder="/trials/1",
        trial=TrialRecord("worse", 11, 20, 7, 20, 2.5, False, "worse beyond noise", 1.25, "trials/one"),
        exam=ExamRecord("20261128-1-greeter", 5, 10, 10, 10, "improvements/one"),
    )
