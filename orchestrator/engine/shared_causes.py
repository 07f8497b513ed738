"""Merge findings of several units with a common cause into one finding with all its locations."""

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from actions.grouping import group_by_key
from actions.scoring.causes import SharedIssue, merge_issues
from orchestrator.engine.rows import Row


def join_rows(rows: Sequence[Row]) -> list[Row]:
    """Return the rows with one open issue for each cause that several units of a project share.

    This issue lists the locations of the other issues with the cause, which count as covered by it.
    """
    joined_rows = list(rows)
    indexes_by_project = ((_find_root(row), index) for index, row in enumerate(rows) if row.causes or row.digest)
    for _, indexes in group_by_key(indexes_by_project).items():
        copies = Counter(rows[index].digest for index in indexes)
        ordered_indexes = sorted(
            indexes, key=lambda index: rows[index].folder.count("/")
        )  # the original is nearest to the root
        shared_issues: list[SharedIssue] = []
        for index in ordered_indexes:
            shared_issues += _list_issues_to_share(rows[index], index, is_copied=copies[rows[index].digest] > 1)
        changed_issues = merge_issues(shared_issues)
        for index in {index for index, _ in changed_issues}:
            issues = (changed_issues.get((index, issue.id), issue) for issue in rows[index].issues)
            joined_rows[index] = rows[index].with_issues(tuple(issues))
    return joined_rows


def _find_root(row: Row) -> str:
    path = os.path.realpath(row.path)
    return path.removesuffix(f"/{row.folder}") if row.folder else path


def _find_shown_folder(row: Row) -> str:
    """Return the folder of a row, relative to the project's root: that of a link to the skill, if the row shows it."""
    root, path = _find_root(row), str(Path(row.path).absolute())
    return os.path.relpath(path, root) if row.folder and path.startswith(f"{root}{os.sep}") else row.folder


def _list_issues_to_share(row: Row, index: int, *, is_copied: bool) -> Iterator[SharedIssue]:
    """Yield the open issues of the row at `index` that may share their cause with issues of other rows.

    `is_copied` is true if another row has the same files, and therefore a copy of each issue.
    """
    folder = _find_shown_folder(row)
    for issue in row.open_issues:
        if cause := row.causes.get(issue.id):
            yield SharedIssue(index, folder, issue, cause)
        elif row.digest and is_copied:
            yield SharedIssue(index, folder, issue, (f"{row.digest} {issue.fingerprint}", ""))
