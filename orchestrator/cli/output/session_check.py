"""Format a session check for a terminal. The reasons to block the session come first, the decision is last."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import click

from orchestrator.cli.output.text import safe
from orchestrator.cli.output.wrap import cut, get_output_width, wrap
from templates.filters import counted

if TYPE_CHECKING:
    from actions.session.transcript import Transcript
    from orchestrator.cli.output.results import SessionCheck
    from orchestrator.guard.steering.results import CheckerResult
    from orchestrator.model import JudgeAccess

_MAX_QUOTES, _MAX_COLUMNS = 3, 120
"""Maximum number of quotes per answer, and maximum width of each in columns."""


def format_session_check(check: "SessionCheck") -> Iterator[str]:
    """Yield the lines for a terminal; the last one is the decision."""
    transcript, analysis, access = check.transcript, check.analysis, check.judge_access
    applicable = [result for result in analysis.results.values() if result.applicable]
    kind = str(analysis.session_type).lower()
    yield f"Session {safe(transcript.session_id)}: {kind}, {counted(transcript.records, 'record')}."
    yield from _format_unsatisfied("It would be blocked because:", analysis.failed_blockers, "red")
    yield from _format_unsatisfied("Warnings, which do not block:", analysis.failed_warnings, "yellow")
    reasons = " ".join(result.reason for result in (*analysis.failed_blockers, *analysis.failed_warnings))
    if warnings := [warning for warning in check.compaction.warnings if warning not in reasons]:
        yield from ("", "Compaction:", *_indent(warnings))
    yield from _format_ids("Satisfied", [result for result in applicable if result.satisfied])
    yield from _format_unknown_results([result for result in applicable if result.satisfied is None], access)
    yield ""
    if skipped := count_skipped(transcript):
        yield f"Skipped: {skipped}."
    if access.name:
        answers = f"{analysis.sources['sdk']} of {len(analysis.results)} answers"
        yield f"Judge: {safe(access.name)}, {answers}, {access.spent:.2f} USD."
    yield from _indent(access.notes, "")
    yield "Decision: " + (f"block ({_join_ids(analysis.failed_blockers)})" if analysis.has_blockers else "approve")


def count_skipped(transcript: "Transcript") -> str:
    """Return how many records of a transcript were skipped, and why, or "" if none were."""
    skipped = transcript.skipped
    parts = (
        (skipped.broken, "broken line"),
        (skipped.oversized, "line over the limit"),
        (skipped.dropped, "old record"),
    )
    plural = {"line over the limit": "lines over the limit"}
    return ", ".join(counted(count, name, plural.get(name, "")) for count, name in parts if count)


def _format_unsatisfied(title: str, results: "list[CheckerResult]", colour: str) -> Iterator[str]:
    if not results:
        return
    yield from ("", click.style(title, fg=colour))
    for result in results:
        yield from _indent([f"{result.id}: {result.reason}"])
        yield from (
            click.style(f"    record {quote.record} | {cut(safe(quote.quote), _MAX_COLUMNS)}", dim=True)
            for quote in result.evidence[:_MAX_QUOTES]
        )
        yield from _indent((f"to do: {step}" for step in result.recovery_steps), "    ")


def _format_ids(title: str, results: "list[CheckerResult]") -> Iterator[str]:
    if results:
        yield from ("", *wrap(f"{title} ({len(results)}): {_join_ids(results)}", get_output_width()))


def _format_unknown_results(results: "list[CheckerResult]", access: "JudgeAccess") -> Iterator[str]:
    yield from _format_ids("Unknown, which never blocks", results)
    if results and not access.name:
        yield "The records do not decide these checks. To ask a model, pass --judge auto."


def _join_ids(results: "Iterable[CheckerResult]") -> str:
    return ", ".join(safe(result.id) for result in results)


def _indent(texts: Iterable[str], by: str = "  ") -> Iterator[str]:
    for text in texts:
        first, *more = wrap(safe(text), get_output_width() - len(by) - 2)
        yield by + first
        yield from (f"{by}  {line}" for line in more)
