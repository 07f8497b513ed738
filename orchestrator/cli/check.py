"""`check`: power steering on one recorded session. Reads only."""

from typing import TYPE_CHECKING, Any

import click

from orchestrator.cli.model_options import judge_option, max_cost_option
from orchestrator.cli.output.text import json_text, warned
from orchestrator.cli.output.verdict import skipped, verdict
from orchestrator.errors import BadInput
from orchestrator.exits import Exit
from orchestrator.fs.home import parse_path

if TYPE_CHECKING:
    from actions.session.transcript import Transcript
    from orchestrator.guard.compaction.validator import ValidationResult
    from orchestrator.guard.steering.results import Analysis, CheckerResult
    from orchestrator.model import Bench


@click.command()
@click.argument("session", metavar="SESSION.jsonl")
@click.option("--format", "format_", type=click.Choice(["text", "json", "markdown"]), default="text", show_default=True)
@judge_option("none")
@max_cost_option
def check(session: str, format_: str, judge: str, max_cost_usd: float | None) -> Exit:
    """Check a recorded session as the Stop hook would: was it finished, tested, free of stubs?

    Exit code 0 when nothing would keep the session from stopping, 1 when something would. Nothing is written.

    \b
    Examples:
      tune-skill check ~/.claude/projects/-home-me-tool/1f2e3d4c.jsonl
      tune-skill check session.jsonl --format json
    """
    from orchestrator.guard.steering.checker import PowerSteeringChecker
    from orchestrator.guard.transcripts import read_transcript
    from orchestrator.model import session_bench
    from orchestrator.project.settings import current_project
    from templates import render

    transcript = read_transcript(parse_path(session))
    if not (transcript.messages or transcript.calls):
        raise BadInput(f"{session}: no messages in it{_why_empty(transcript)}; give the .jsonl file of a session")
    bench = session_bench(judge, max_cost_usd, warned)
    analysis, compaction = PowerSteeringChecker(current_project(), bench.of_sessions()).examine(transcript)
    value = as_json(transcript, analysis, compaction, bench)
    if format_ == "json":
        click.echo(json_text(value), nl=False)
    elif format_ == "markdown":
        click.echo(render("steering/check.md", **value), nl=False)
    else:
        for line in verdict(transcript, analysis, compaction, bench):
            click.echo(line)
    return Exit.GATE if analysis.has_blockers else Exit.OK


def as_json(
    transcript: "Transcript", analysis: "Analysis", compaction: "ValidationResult", bench: "Bench"
) -> dict[str, Any]:
    """Give the result as `check.schema.json` says."""
    left_out = transcript.skipped
    return {
        "schema_version": 1,
        "session_id": transcript.session_id,
        "session_type": str(analysis.session_type),
        "considerations": [_result(result) for result in analysis.results.values()],
        "compaction": {
            "events": len(transcript.compactions) or int(compaction.compaction_context.has_compaction_event),
            "warnings": compaction.warnings,
            "recovery_steps": compaction.recovery_steps,
        },
        "sources": analysis.sources,
        "judge": bench.name,
        "cost_usd": round(bench.spent, 6),
        "notes": list(bench.notes),
        "skipped": {
            "broken": left_out.broken,
            "oversized": left_out.oversized,
            "unknown": sum(left_out.unknown.values()),
            "old": left_out.old,
        },
        "decision": "block" if analysis.has_blockers else "approve",
    }


def _result(result: "CheckerResult") -> dict[str, Any]:
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


def _why_empty(transcript: "Transcript") -> str:
    left_out = skipped(transcript)
    return f" ({left_out})" if left_out else ""
