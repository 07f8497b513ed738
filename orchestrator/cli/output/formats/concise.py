"""Print one line per finding, `path:line: severity PATTERN sentence`, as compilers and linters print it."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from orchestrator.cli.output.issue_lines import (
    HANG,
    count_left_out,
    format_issue,
    format_place,
    get_sort_key,
    quote_path,
)
from orchestrator.cli.output.registry import Format
from orchestrator.cli.output.results import Diagnosis
from orchestrator.cli.output.text import format_gate, format_severity_counts, safe
from orchestrator.cli.output.wrap import fit
from schemas.issues import Issue
from schemas.vocabulary import IssueStatus, Severity

if TYPE_CHECKING:
    from orchestrator.engine.rows import Row

_MAX_FINDINGS = 60
"""Maximum number of findings listed per skill, worst first; the others are only counted."""
_MAX_PLACES = 4
"""Maximum number of further places listed per finding; if there are more, they are only counted."""


def format_diagnosis(result: Diagnosis) -> str:
    """Return the findings of each skill, and a summary."""
    from orchestrator.cli.output.diagnosis import format_rows

    return format_rows(result.rows, format_row, skip_clean=True)


def format_row(row: "Row") -> Iterator[str]:
    """Yield the lines of one skill: its findings, its sessions, its notes, its summary."""
    from orchestrator.cli.output.sessions import format_sessions

    issues = [issue for issue in row.open_issues if not issue.is_about_session]
    groups = _group_alike(issues)
    for group in groups[:_MAX_FINDINGS]:
        yield from _format_group(row, group)
    left_out = [issue for group in groups[_MAX_FINDINGS:] for issue in group]
    yield from count_left_out(left_out, "--format full lists all")
    yield from format_sessions(row.sessions, row.issues)
    for note in row.notes:
        yield from fit("note: ", safe(note))
    yield from fit(f"{click.style(safe(row.title), bold=True)}: ", _format_summary(row, len(issues)), HANG)


def _group_alike(issues: Sequence[Issue]) -> list[list[Issue]]:
    """Group issues with the same severity, pattern and description; the worst first, then by file and line."""
    groups: dict[tuple[Severity, str, str], list[Issue]] = {}
    for issue in sorted(issues, key=get_sort_key):
        groups.setdefault((issue.severity, issue.pattern, issue.description), []).append(issue)
    return list(groups.values())


def _format_group(row: "Row", group: Sequence[Issue]) -> Iterator[str]:
    """Yield the line of a finding, with its other places at the end, or the number of its places."""
    first, places = group[0], [place for issue in group for place in issue.places]
    grade = f" ({safe(first.how_known)})" if first.read_by else ""
    _, *others = dict.fromkeys(map(format_place, places))
    rest = ", ".join(others)
    counted = f"({len(places):,} places)" if len(places) > 1 + _MAX_PLACES else f"(also {rest})"
    also = " " + click.style(counted, dim=True) if rest else ""
    mark = click.style("[*] ", fg="cyan") if first.id in row.fixable else ""
    return format_issue(row.path, first, mark, after=grade + also)


def _format_summary(row: "Row", count: int) -> str:
    counted_findings = f"{count} finding{'s' * (count != 1)}"
    parts = [format_gate(row.score, row.gate), f"{counted_findings}{format_severity_counts(row.issues)}"]
    for status, word in ((IssueStatus.SUPPRESSED, "suppressed"), (IssueStatus.REJECTED, "rejected by the judge")):
        if number := sum(issue.status is status for issue in row.issues):
            parts.append(f"{number} {word}")
    if row.fixable:
        parts.append(f"{len(row.fixable)} fixable [*]: tune-skill run {quote_path(str(row.unit_path))}")
    return ", ".join(parts)


FORMAT = Format("concise", {Diagnosis: format_diagnosis})
