"""Lay out a diagnosis of several skills for people: each skill, then a summary and what to type next."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

import click

from actions.patterns.page import CUSTOM
from orchestrator.cli.output.issue_lines import HANG
from orchestrator.cli.output.wrap import fit
from orchestrator.engine.rows import Row, split_shared_notes
from schemas.vocabulary import Gate, UnitKind
from templates.filters import counted

_KINDS = {
    UnitKind.HOOKS: "hooks file",
    UnitKind.MCP: "MCP file",
    UnitKind.MEMORY: "memory file",
    UnitKind.STYLE: "output style",
}
_GATES = {Gate.PASS: "pass", Gate.REVIEW: "to review", Gate.FAIL: "fail"}


def format_rows(rows: Sequence[Row], format_row: Callable[[Row], Iterator[str]], *, skip_clean: bool) -> str:
    """Return the text of all skills. skip_clean: of several skills, leave out those without a finding or note."""
    return "".join(f"{line}\n" for line in _format_lines(rows, format_row, skip_clean=skip_clean))


def _format_lines(
    rows: Sequence[Row], format_row: Callable[[Row], Iterator[str]], *, skip_clean: bool
) -> Iterator[str]:
    rows, unasked = split_shared_notes(rows)
    for row in rows:
        is_clean = not (row.opened or row.notes or row.sessions)
        if row.error is None and not (skip_clean and is_clean and len(rows) > 1):
            yield from format_row(row)
    if len(rows) > 1:
        yield format_summary(rows)
    for note in unasked:
        yield from fit("", note, HANG)
    patterns = (i.pattern for row in rows for i in row.issues if i.counts and i.pattern != CUSTOM)
    if pattern := next(patterns, ""):
        yield click.style(f"To read about a pattern: tune-skill patterns {pattern}", dim=True)


def format_summary(rows: Sequence[Row]) -> str:
    """Return the number of units of each kind, and of units by gate, in one line."""
    gates = Counter(row.gate for row in rows if row.error is None)
    parts = [f"{gates[gate]} {word}" for gate, word in _GATES.items() if gates[gate]]
    if failed := sum(row.error is not None for row in rows):
        parts.append(f"{failed} unreadable")
    kinds = Counter(row.unit.kind if row.unit else UnitKind.SKILL for row in rows)
    units = ", ".join(counted(kinds[kind], _KINDS.get(kind, kind.value)) for kind in UnitKind if kinds[kind])
    return f"{units}: {', '.join(parts)}"
