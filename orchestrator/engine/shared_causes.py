"""Report a cause only once, with all its places, if several units of a project (or copies of one unit) share it."""

import os
from collections import Counter
from collections.abc import Iterator, Sequence

from actions.grouping import group_by_key
from actions.scoring.causes import SharedIssue, merge_issues
from orchestrator.engine.rows import Row


def join_rows(rows: Sequence[Row]) -> list[Row]:
    """Return the rows. If issues in a project have the same cause, one stays open and the others refer to it."""
    found = list(rows)
    found_in = ((_find_root(row), n) for n, row in enumerate(rows) if row.causes or row.digest)
    for _, numbers in group_by_key(found_in).items():
        copies = Counter(rows[n].digest for n in numbers)
        ordered = sorted(numbers, key=lambda n: rows[n].folder.count("/"))  # the original is nearer to the root
        changed = merge_issues(
            [one for n in ordered for one in _list_shared(rows[n], n, is_copied=copies[rows[n].digest] > 1)]
        )
        for n in {n for n, _ in changed}:
            found[n] = rows[n].with_issues(tuple(changed.get((n, issue.id), issue) for issue in rows[n].issues))
    return found


def _find_root(row: Row) -> str:
    """Return the root of the unit's project."""
    path = os.path.realpath(row.path)
    return path.removesuffix(f"/{row.folder}") if row.folder else path


def _list_shared(row: Row, number: int, *, is_copied: bool) -> Iterator[SharedIssue]:
    for issue in row.open_issues:
        if cause := row.causes.get(issue.id):
            yield SharedIssue(number, row.folder, issue, cause)
        elif row.digest and is_copied:
            yield SharedIssue(number, row.folder, issue, (f"{row.digest} {issue.fingerprint}", ""))
