"""Format an issue as a line, and count the issues that are left out; shared by several formats and questions."""

import os
from collections import Counter
from collections.abc import Iterator, Sequence

import click

from orchestrator.cli.output.text import format_severity, safe
from orchestrator.cli.output.wrap import fit
from schemas.issues import Issue, Location

HANG = 4
"""Indent of an issue's continuation lines, in columns."""
_MAX_PATTERNS = 4
"""Maximum number of patterns that are listed with their counts when issues are left out."""


def get_sort_key(issue: Issue) -> tuple[int, str, int, str]:
    """Return the sort key of an issue: worst first, then by file and line."""
    return issue.severity.rank, issue.location.file, issue.location.line_start or 0, issue.pattern


def format_issue(
    root: str, issue: Issue, mark: str = "", *, before: str = "", after: str = "", err: bool = False
) -> Iterator[str]:
    """Yield the line of an issue in the skill at `root`, wrapped if the terminal is narrow.

    mark: text before the description. before, after: text around the whole line. err: the line goes to stderr.
    """
    head = click.style(f"{format_place(issue.location, root)}:", bold=True)
    text = f"{format_severity(issue.severity)} {issue.pattern} {mark}{safe(issue.description)}{after}"
    return fit(f"{before}{head} ", text, HANG, err=err)


def format_place(place: Location, root: str = "") -> str:
    """Return `file:line`, which terminals and editors can open. The line is 1 if the place is the whole file.

    root: the folder that the file is relative to. It becomes part of the path. A place outside it is in another unit.
    """
    path = os.path.normpath(f"{relative_path(root)}/{place.file}") if root else place.file
    return f"{safe(path)}:{place.line_start or 1}"


def relative_path(path: str) -> str:
    """Return a path relative to the current folder. A path outside this folder is returned unchanged."""
    try:
        relative = os.path.relpath(path)
    except (OSError, ValueError):
        return path
    return path if relative.startswith("..") else relative


def quote_path(path: str) -> str:
    """Return a path quoted for a shell."""
    from shlex import quote  # imported late: few outputs have a command

    return quote(safe(relative_path(path)))


def count_left_out(issues: Sequence[Issue], hint: str, *, err: bool = False) -> Iterator[str]:
    """Yield a line with the number of issues that are not shown, and how to see them.

    If the issues belong to only a few patterns, the number is given for each pattern. err: the line goes to stderr.
    """
    if not issues:
        return
    counts = Counter(issue.pattern for issue in issues).most_common()
    if len(counts) == 1:
        patterns = f" {counts[0][0]}"
    elif len(counts) <= _MAX_PATTERNS:
        patterns = f" ({', '.join(f'{count:,} {pattern}' for pattern, count in counts)})"
    else:
        patterns = f" of {len(counts)} patterns"
    yield from fit("", f"… and {len(issues):,} more{patterns}, none of higher severity: {hint}", HANG, err=err)
