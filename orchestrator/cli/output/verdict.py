"""What `check` says of a session, in words: what matters first, and what nobody can tell in one sentence."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import click

from orchestrator.cli.output.text import safe
from orchestrator.cli.output.wrap import columns, cut, wrapped
from templates.filters import counted

if TYPE_CHECKING:
    from actions.session.transcript import Transcript
    from orchestrator.guard.compaction.validator import ValidationResult
    from orchestrator.guard.steering.results import Analysis, CheckerResult
    from orchestrator.model import Bench

_QUOTES, _QUOTED = 3, 120
"""Quotes of one answer that are shown, and columns of each."""


def verdict(
    transcript: "Transcript", analysis: "Analysis", compaction: "ValidationResult", bench: "Bench"
) -> Iterator[str]:
    """Yield the lines for a terminal; the last one is the decision."""
    asked = [result for result in analysis.results.values() if result.applicable]
    kind = str(analysis.session_type).lower()
    yield f"Session {safe(transcript.session_id)}: {kind}, {counted(transcript.records, 'record')}."
    yield from _missing("What would block it:", analysis.failed_blockers, "red")
    yield from _missing("Worth a look, but no reason to block:", analysis.failed_warnings, "yellow")
    told = " ".join(result.reason for result in (*analysis.failed_blockers, *analysis.failed_warnings))
    if others := [warning for warning in compaction.warnings if warning not in told]:
        yield from ("", "Compaction:", *_indented(others))
    yield from _named("Satisfied", [result for result in asked if result.satisfied])
    yield from _unknown([result for result in asked if result.satisfied is None], bench)
    yield ""
    if left_out := skipped(transcript):
        yield f"Skipped: {left_out}."
    if bench.name:
        answers = f"{analysis.sources['sdk']} of {len(analysis.results)} answers"
        yield f"Judge: {safe(bench.name)}, {answers}, {bench.spent:.2f} USD."
    yield from _indented(bench.notes, "")
    yield "Decision: " + (f"block ({_ids(analysis.failed_blockers)})" if analysis.has_blockers else "approve")


def skipped(transcript: "Transcript") -> str:
    """Return what of a transcript was not used; "" where all was."""
    left_out = transcript.skipped
    parts = (
        (left_out.broken, "broken line"),
        (left_out.oversized, "line over the limit"),
        (left_out.old, "old record"),
    )
    plural = {"line over the limit": "lines over the limit"}
    return ", ".join(counted(count, name, plural.get(name, "")) for count, name in parts if count)


def _missing(title: str, results: "list[CheckerResult]", colour: str) -> Iterator[str]:
    if not results:
        return
    yield from ("", click.style(title, fg=colour))
    for result in results:
        yield from _indented([f"{result.id}: {result.reason}"])
        yield from (
            click.style(f"    record {quote.record} | {cut(safe(quote.quote), _QUOTED)}", dim=True)
            for quote in result.evidence[:_QUOTES]
        )
        yield from _indented((f"to do: {step}" for step in result.recovery_steps), "    ")


def _named(title: str, results: "list[CheckerResult]") -> Iterator[str]:
    if results:
        yield from ("", *wrapped(f"{title} ({len(results)}): {_ids(results)}", columns()))


def _unknown(results: "list[CheckerResult]", bench: "Bench") -> Iterator[str]:
    yield from _named("Unknown, which never blocks", results)
    if results and not bench.name:
        yield "The records alone do not tell. A model may: --judge auto"


def _ids(results: "Iterable[CheckerResult]") -> str:
    return ", ".join(safe(result.id) for result in results)


def _indented(texts: Iterable[str], by: str = "  ") -> Iterator[str]:
    for text in texts:
        first, *more = wrapped(safe(text), columns() - len(by) - 2)
        yield by + first
        yield from (f"{by}  {line}" for line in more)
