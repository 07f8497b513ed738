"""Read and write the baseline file, which has the fingerprints of accepted findings."""

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import schemas
from actions.grouping import group_by_key
from actions.scoring.causes import SAME_CAUSE
from actions.skill.settings import BaselineEntry
from orchestrator.errors import BadInput, reason
from orchestrator.fs import durable, nofollow
from schemas.issues import Issue
from schemas.vocabulary import IssueStatus

_VERSION = 2
"""The version of the file format, independent of the format of issues. Version 1 had one entry per finding."""

Baseline = Mapping[str, tuple[BaselineEntry, ...]]
"""Entries by unit path, relative to the folder of the baseline file."""


def read_baseline(path: Path) -> Baseline:
    """Read a baseline. Raises BadInput if the file cannot be read or is not a baseline."""
    if link := nofollow.find_link(str(path)):
        raise BadInput(f"{link} is a link, and links in a project are not followed; give the path of the file itself")
    try:
        data = json.loads(nofollow.read(os.path.realpath(path)))
        schemas.check("baseline", data)
    except FileNotFoundError:
        raise BadInput(f"{path}: no such file; write one with --write-baseline") from None
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror}; give a readable file") from None
    except (ValueError, RecursionError) as error:
        raise BadInput(
            f"{path}: not a baseline: {reason(error)}; remove it, and write a new one with --write-baseline"
        ) from None
    is_whole = data["schema_version"] == 1
    entries = group_by_key(
        (entry.pop("skill"), BaselineEntry(**entry, is_whole=is_whole)) for entry in data["findings"]
    )
    return {skill: tuple(accepted) for skill, accepted in entries.items()}


def get_baseline_key(root: Path, path: Path) -> str:
    """Return the key of a unit (a skill's folder or another unit's file) in the baseline at `path`."""
    return Path(os.path.relpath(root.resolve(), path.resolve().parent)).as_posix()


def write_baseline(path: Path, issues_by_unit: Iterable[tuple[Path, Iterable[Issue]]]) -> int:
    """Write the open issues of units to the baseline, one entry per location. Returns the number of issues.

    `issues_by_unit` has pairs of a unit's path and its issues. Raises BadInput if the file would be inside one of the
    skills, or if the file exists but is not a baseline. Raises WriteFailed if the file cannot be written.
    """
    if path.exists() and path.stat().st_size:
        read_baseline(path)
    rows, count = list[dict[str, str]](), 0
    for root, issues in issues_by_unit:
        if path.resolve().is_relative_to(root.resolve()):
            raise BadInput(f"{path} is inside the skill {root}, where diagnose never writes; choose another folder")
        accepted_issues = [issue for issue in issues if issue.counts or _is_covered(issue)]
        count += sum(issue.counts for issue in accepted_issues)
        entries = (entry for issue in accepted_issues for entry in _list_entries(issue, is_file=root.is_file()))
        rows += [{"skill": get_baseline_key(root, path), **entry} for entry in entries]
    rows.sort(key=lambda row: (row["skill"], row["file"], row["pattern"], row["fingerprint"]))
    lines = b",\n".join(map(durable.encode_value, rows))
    durable.write_bytes(path, b'{"schema_version":%d,"findings":[\n%s\n]}\n' % (_VERSION, lines))
    return count


def _is_covered(issue: Issue) -> bool:
    """Return whether an issue would be open if no other issue covered it."""
    is_covered = (issue.suppressed_by or "").startswith(("ISS-", SAME_CAUSE))
    return is_covered and not issue.is_from_session and issue.status is IssueStatus.SUPPRESSED


def _list_entries(issue: Issue, *, is_file: bool) -> Iterator[dict[str, str]]:
    """Yield an entry for each location of an issue, except in other units. `is_file`: the unit is a file."""
    for place in issue.places:
        if place.file == issue.location.file if is_file else not place.file.startswith("../"):
            fingerprint = place.fingerprint
            yield {"fingerprint": fingerprint, "pattern": issue.pattern, "file": place.file, "quote": place.quote}
