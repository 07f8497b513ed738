"""Print JSON, as the schemas in `schemas/` define it."""

from typing import TYPE_CHECKING, Any

from orchestrator.cli.output.registry import Format
from orchestrator.cli.output.results import (
    Catalogue,
    Diagnosis,
    FleetResult,
    ImprovementResult,
    Listings,
    RunReport,
    RunResult,
    SessionCheck,
    SessionTables,
    TrialResult,
    TriggerResult,
)
from orchestrator.cli.output.text import json_text

if TYPE_CHECKING:
    from orchestrator.guard.steering.results import CheckerResult


def format_diagnosis(result: Diagnosis) -> bytes:
    """Return the rows as `diagnose.schema.json` defines them: an object for a single skill, else a list."""
    from orchestrator.engine.rows import format_json

    values = [format_json(row) for row in result.rows]
    return json_text(values[0] if result.is_single else values)


def format_run(result: RunResult | RunReport) -> bytes:
    """Return a run as `run.schema.json` defines it."""
    return json_text(build_run_value(result))


def build_run_value(result: RunResult | RunReport) -> dict[str, Any]:
    """Return the JSON value of a run."""
    from orchestrator.cli.output.run_result import describe_rejections
    from orchestrator.engine.rows import describe_unit
    from orchestrator.run.store import REPORT_FILE
    from schemas.codec import to_json
    from schemas.vocabulary import SCHEMA_VERSION, Phase

    state = result.store.state
    ended = state.phase in (Phase.COMPLETED, Phase.FAILED)
    return {
        "schema_version": SCHEMA_VERSION,
        "run_id": state.run_id,
        "work_dir": state.work_dir,
        "status": state.status,
        "phase": state.phase,
        "pause": state.pause,
        "skill": {key: getattr(state.target_skill, key) for key in ("name", "path", "execution_mode")},
        **({"unit": to_json(describe_unit(state.target_skill))} if state.target_skill.project else {}),
        "ambiguities": to_json(state.requirement_analysis.ambiguities) if state.requirement_analysis else [],
        "issues": to_json(state.issues),
        "issues_by_severity": to_json(state.issues_by_severity),
        "sessions": to_json(state.sessions),
        "fixes": to_json(state.proposed_fixes),
        "applied_fixes": to_json(state.applied_fixes),
        "before": to_json(state.rounds[0]) if state.rounds else None,
        "quality_score": state.quality_score,
        "quality_gate": state.quality_gate,
        "notes": [*state.notes, *filter(None, [describe_rejections(state.issues)])],
        "cost": to_json(state.cost),
        "unasked": state.unasked,
        "report": str(result.store.path.absolute().with_name(REPORT_FILE)) if ended else None,
    }


def format_improvement(result: ImprovementResult) -> bytes:
    """Return the state of an improvement."""
    from orchestrator.fs.durable import encode
    from schemas.codec import to_json

    return encode(to_json(result.state))


def format_value(result: TrialResult | TriggerResult | FleetResult) -> bytes:
    """Format a result that is already a JSON value."""
    return json_text(result.value)


def format_catalogue(result: Catalogue) -> bytes:
    """Return the rows of a catalogue: one object for a single entry, otherwise a list."""
    is_object = result.is_single and len(result.rows) == 1
    return json_text(result.rows[0] if is_object else list(result.rows))


def format_check(result: SessionCheck) -> bytes:
    """Return a session check as `check.schema.json` defines it."""
    return json_text(build_check_value(result))


def build_check_value(result: SessionCheck) -> dict[str, Any]:
    """Return the JSON value of a session check."""
    skipped, compaction, analysis = result.transcript.skipped, result.compaction, result.analysis
    return {
        "schema_version": 1,
        "session_id": result.transcript.session_id,
        "session_type": str(analysis.session_type),
        "considerations": [_build_consideration(checked) for checked in analysis.results.values()],
        "compaction": {
            "events": len(result.transcript.compactions) or int(compaction.compaction_context.has_compaction_event),
            "warnings": compaction.warnings,
            "recovery_steps": compaction.recovery_steps,
        },
        "sources": analysis.sources,
        "judge": result.judge_access.name,
        "cost_usd": round(result.judge_access.spent, 6),
        "notes": list(result.judge_access.notes),
        "skipped": {
            "broken": skipped.broken,
            "oversized": skipped.oversized,
            "unknown": sum(skipped.unknown.values()),
            "old": skipped.dropped,
        },
        "decision": "block" if analysis.has_blockers else "approve",
    }


def format_session_tables(result: SessionTables) -> bytes:
    """Return the session tables as `sessions.schema.json` defines them."""
    from schemas.codec import to_json

    return json_text({"schema_version": 1, "units": to_json(list(result.tables)), "notes": list(result.notes)})


def format_listings(result: Listings) -> bytes:
    """Return the entries in the order of the listing, for the model with the smallest budget."""
    from schemas.codec import to_json

    smallest = (min(scope.models, key=lambda listing: listing.budget) for scope in result.scopes)
    return json_text([to_json(entry) for listing in smallest for entry in listing.entries])


def _build_consideration(result: "CheckerResult") -> dict[str, Any]:
    evidence = [
        {"record": quote.record, "quote": quote.quote} | ({"agent": quote.agent} if quote.agent else {})
        for quote in result.evidence
    ]
    return {
        "id": result.id,
        "category": result.category,
        "severity": result.severity,
        "applicable": result.applicable,
        "satisfied": result.satisfied,
        "reason": result.reason,
        "evidence": evidence,
        "source": result.source,
    }


FORMAT = Format(
    "json",
    {
        Diagnosis: format_diagnosis,
        RunResult: format_run,
        RunReport: format_run,
        TrialResult: format_value,
        ImprovementResult: format_improvement,
        TriggerResult: format_value,
        FleetResult: format_value,
        Catalogue: format_catalogue,
        SessionCheck: format_check,
        SessionTables: format_session_tables,
        Listings: format_listings,
    },
)
