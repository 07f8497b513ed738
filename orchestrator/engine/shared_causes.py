"""Report a cause that several units of a project have once, with all its places."""

import os
from collections.abc import Iterator, Sequence

from actions.grouping import group_by_key
from actions.scoring.causes import SharedIssue, join_issues
from orchestrator.engine.rows import Row


def join_rows(rows: Sequence[Row]) -> list[Row]:
    """Return the rows; of the issues with the same cause in a project one stays open, and the others name it."""
    found = list(rows)
    for _, numbers in group_by_key((_find_root(row), n) for n, row in enumerate(rows) if row.causes).items():
        changed = join_issues([one for n in numbers for one in _list_shared(rows[n], n)])
        for n in {n for n, _ in changed}:
            found[n] = rows[n].with_issues(tuple(changed.get((n, issue.id), issue) for issue in rows[n].issues))
    return found


def _find_root(row: Row) -> str:
    """Return the root of the unit's project."""
    path = os.path.realpath(row.path)
    return path.removesuffix(f"/{row.folder}") if row.folder else path


def _list_shared(row: Row, number: int) -> Iterator[SharedIssue]:
    for issue in row.open_issues:
        if issue.id in row.causes:
            yield SharedIssue(number, row.folder, issue, row.causes[issue.id])
