"""Print one line per finding, `path:line: severity PATTERN sentence`, as compilers and linters do."""

from collections.abc import Iterator, Sequence
from pathlib import Path
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
from schemas.vocabulary import Gate, IssueStatus

if TYPE_CHECKING:
    from orchestrator.engine.rows import Row

    _Group = list[tuple[Row, Issue]]
    """Issues with the same message, each with the row of its unit."""
    _Groups = dict[Path, list[_Group]]
    """Groups of issues, by the path of the unit under which they are printed."""

_MAX_FINDINGS = 60
"""Maximum number of findings that are listed per skill, worst first. The others are only counted."""
_MAX_PLACES = 4
"""Maximum number of other places that are listed per finding. If there are more, they are only counted."""


def format_diagnosis(result: Diagnosis) -> str:
    """Return the findings and a summary. A finding that several units share has only one line.

    With several units, only a unit that fails the quality gate, or has notes or sessions, gets a separate summary.
    """
    from orchestrator.cli.output.diagnosis import format_rows

    groups = _group_alike(result.rows) if len(result.rows) > 1 else None
    return format_rows(result.rows, lambda row: format_row(row, groups), skip_clean=True)


def format_row(row: "Row", groups: "_Groups | None" = None) -> Iterator[str]:
    """Yield the lines of a unit: its findings, sessions, notes and summary. groups: the groups of all units."""
    from orchestrator.cli.output.sessions import format_sessions

    is_single = groups is None
    own_groups = (groups or _group_alike([row])).get(row.unit_path, [])
    for group in own_groups[:_MAX_FINDINGS]:
        yield from _format_group(row, group)
    left_out = [issue for group in own_groups[_MAX_FINDINGS:] for _, issue in group]
    yield from count_left_out(left_out, "--format full lists all")
    yield from format_sessions(row.sessions, row.issues)
    for note in row.notes:
        yield from fit("note: ", safe(note))
    if is_single or row.notes or row.sessions or row.gate is not Gate.PASS:
        yield from fit(f"{click.style(safe(row.title), bold=True)}: ", _format_summary(row), HANG)


def _list_issues(row: "Row") -> list[Issue]:
    return [issue for issue in row.open_issues if not issue.is_about_session]


def _group_alike(rows: Sequence["Row"]) -> "_Groups":
    """Group issues with the same severity, pattern and description under the first unit that has one of them.

    The groups of a unit are sorted: the worst first, then by file and line.
    """
    alike: dict[tuple[str, ...], _Group] = {}
    for row in rows:
        for issue in sorted(_list_issues(row), key=get_sort_key):
            key = (issue.severity, issue.pattern, issue.description, issue.how_known if issue.read_by else "")
            alike.setdefault(key, []).append((row, issue))
    by_unit: _Groups = {}
    for group in alike.values():
        first_row, _ = group[0]
        by_unit.setdefault(first_row.unit_path, []).append(group)
    return by_unit


def _format_group(row: "Row", group: "_Group") -> Iterator[str]:
    """Return the lines of a finding, with its other places at the end, or their number if there are many."""
    first = group[0][1]
    grade = f" ({safe(first.how_known)})" if first.read_by else ""
    places: dict[str, None] = {}
    for other, issue in group:
        for place in issue.places:
            is_in_this_unit = other.unit_path == row.unit_path and not place.file.startswith("../")
            places[format_place(place, "" if is_in_this_unit else other.path)] = None
    _, *others = places
    text = f"({len(places):,} places)" if len(others) > _MAX_PLACES else f"(also {', '.join(others)})"
    also = " " + click.style(text, dim=True) if others else ""
    mark = click.style("[*] ", fg="cyan") if first.id in row.fixable else ""
    return format_issue(row.path, first, mark, after=grade + also)


def _format_summary(row: "Row") -> str:
    count = len(_list_issues(row))
    counted_findings = f"{count} finding{'s' * (count != 1)}"
    parts = [format_gate(row.score, row.gate), f"{counted_findings}{format_severity_counts(row.issues)}"]
    for status, word in ((IssueStatus.SUPPRESSED, "suppressed"), (IssueStatus.REJECTED, "rejected by the judge")):
        if number := sum(issue.status is status for issue in row.issues):
            parts.append(f"{number} {word}")
    if row.fixable:
        parts.append(f"{len(row.fixable)} fixable [*]: tune-skill run {quote_path(str(row.unit_path))}")
    return ", ".join(parts)


FORMAT = Format("concise", {Diagnosis: format_diagnosis})
