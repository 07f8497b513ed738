"""A diagnosis with one line a finding, `path:line: severity PATTERN sentence`, as compilers and linters print it."""

import os
import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from orchestrator.cli.output.evidence import evidence_lines
from orchestrator.cli.output.text import by_severity, gate_word, safe, severity_mark
from orchestrator.cli.output.wrap import fitted
from schemas.issues import Issue
from schemas.vocabulary import IssueStatus, Severity

if TYPE_CHECKING:
    from orchestrator.engine.rows import Row

_MOST = 60
"""Findings of one skill that are shown, the worst first; the others are counted."""
HANG = 4
"""Columns before what does not fit on the line of a finding."""
_PLACES = 4
"""Further places of one and the same sentence that are named."""
_KINDS = 4
"""Patterns of which it is told how many findings are not shown."""


def concise(row: "Row") -> Iterator[str]:
    """Give the lines that tell of one skill: its findings, what else is to be told, the sum."""
    found = [issue for issue in row.opened if not issue.is_from_session]
    groups = _alike(found)
    for group in groups[:_MOST]:
        yield from _lines(row, group)
    yield from and_more([issue for group in groups[_MOST:] for issue in group], "--format full shows all")
    yield from evidence_lines(row.sessions, row.issues) if row.sessions else ()
    hidden = sum(issue.status is IssueStatus.SUPPRESSED for issue in row.issues)
    rejected = sum(issue.status is IssueStatus.REJECTED for issue in row.issues)
    counts = [
        f"{count} {word}" for count, word in ((hidden, "suppressed"), (rejected, "rejected by the judge")) if count
    ]
    for note in row.notes:
        yield from fitted("note: ", safe(note))
    yield from fitted(f"{click.style(safe(row.name), bold=True)}: ", _sum(row, len(found), counts), HANG)


def is_silent(row: "Row") -> bool:
    """Return whether there is nothing to be told of a skill but that all is well."""
    return not (row.opened or row.notes or row.sessions)


def _alike(issues: Sequence[Issue]) -> list[list[Issue]]:
    """Give the issues, those that say the same together; the worst first, then by file and line."""
    groups: dict[tuple[Severity, str, str], list[Issue]] = {}
    for issue in sorted(issues, key=order):
        groups.setdefault((issue.severity, issue.pattern, issue.description), []).append(issue)
    return list(groups.values())


def order(issue: Issue) -> tuple[int, str, int, str]:
    """Return where a finding stands among others: the worst first, then by file and line."""
    return issue.severity.rank, issue.location.file, issue.location.line_start or 0, issue.pattern


def _lines(row: "Row", group: Sequence[Issue]) -> Iterator[str]:
    """Tell of a finding; the places at which the same is said stand behind it."""
    first, *rest = group
    how = f" ({safe(first.known)})" if first.read_by else ""
    also = ", ".join(_place(issue) for issue in rest[:_PLACES])
    more = f", {len(rest) - _PLACES} more" if len(rest) > _PLACES else ""
    alike = " " + click.style(f"(also {also}{more})", dim=True) if rest else ""
    mark = click.style("[*] ", fg="cyan") if first.id in row.fixable else ""
    return finding(row.path, first, mark, after=how + alike)


def finding(
    root: str, issue: Issue, mark: str = "", *, before: str = "", after: str = "", err: bool = False
) -> Iterator[str]:
    """Tell of one finding in the skill at `root`: in one line, which goes on below where a terminal is narrow.

    `mark` stands before its sentence, `before` and `after` around all. err: it goes to stderr.
    """
    head = click.style(f"{safe(shown_path(root))}/{_place(issue)}:", bold=True)
    said = f"{severity_mark(issue.severity)} {issue.pattern} {mark}{safe(issue.description)}{after}"
    return fitted(f"{before}{head} ", said, HANG, err=err)


def _place(issue: Issue) -> str:
    at = issue.location
    return f"{safe(at.file)}:{at.line_start or 1}"


def shown_path(path: str) -> str:
    """Give a path as seen from where the user stands, where it lies below; else as it is."""
    try:
        near = os.path.relpath(path)
    except (OSError, ValueError):
        return path
    return path if near.startswith("..") else near


def and_more(left: Sequence[Issue], where: str, *, err: bool = False) -> Iterator[str]:
    """Tell of the findings that are not shown, of which none is worse, and where all are; nothing where there is none.

    Few patterns are named, with their counts. err: it goes to stderr.
    """
    if not left:
        return
    kinds = Counter(issue.pattern for issue in left).most_common()
    named = f" ({', '.join(f'{count:,} {pattern}' for pattern, count in kinds)})"
    what = f" {kinds[0][0]}" if len(kinds) == 1 else named if len(kinds) <= _KINDS else f" of {len(kinds)} patterns"
    yield from fitted("", f"… and {len(left):,} more{what}, none of them worse: {where}", HANG, err=err)


def typed_path(path: str) -> str:
    """Give a path as one types it in a shell; one that would steer the terminal is only told."""
    return shlex.quote(safe(shown_path(path)))


def _sum(row: "Row", count: int, others: Sequence[str]) -> str:
    told = [gate_word(row.score, row.gate), f"{count} finding{'s' * (count != 1)}{by_severity(row.issues)}", *others]
    if row.fixable:
        told.append(f"{len(row.fixable)} fixable [*]: tune-skill run {typed_path(row.path)}")
    return ", ".join(told)
