"""Read and write the baseline file: accepted findings, by their fingerprints, so that only new ones are reported."""

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path

import schemas
from actions.skill.settings import Accepted
from orchestrator.errors import BadInput, reason
from orchestrator.fs import durable, nofollow
from schemas.issues import Issue

_VERSION = 1
"""The version of the file's format, which does not depend on the format of an issue."""

Baseline = Mapping[str, tuple[Accepted, ...]]
"""Entries by the skill's folder, relative to the folder of the baseline file."""


def read_baseline(path: Path) -> Baseline:
    """Read a baseline. Raises BadInput."""
    if link := nofollow.find_link(str(path)):
        raise BadInput(f"{link} is a link, and links in a project are not followed; name the baseline itself")
    try:
        data = json.loads(nofollow.read(os.path.realpath(path)))
        schemas.check("baseline", data)
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror}; write one with --write-baseline") from None
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{path}: not a baseline: {reason(error)}; write it again with --write-baseline") from None
    found: dict[str, tuple[Accepted, ...]] = {}
    for entry in data["findings"]:
        skill = entry.pop("skill")
        found[skill] = (*found.get(skill, ()), Accepted(**entry))
    return found


def baseline_key(root: Path, path: Path) -> str:
    """Return the key of a skill (its folder) or another unit (its file) in the baseline at `path`."""
    return Path(os.path.relpath(root.resolve(), path.resolve().parent)).as_posix()


def write_baseline(path: Path, found: Iterable[tuple[Path, Iterable[Issue]]]) -> int:
    """Write the open issues of skills as the baseline; return their number.

    Raises BadInput if the file would be inside one of the skills, WriteFailed if it cannot be written.
    """
    rows = []
    for root, issues in found:
        if path.resolve().is_relative_to(root.resolve()):
            raise BadInput(f"{path}: it is inside the skill {root}, where diagnose never writes; choose another folder")
        opened = (i for i in issues if i.counts)
        rows += [{"skill": baseline_key(root, path), **asdict(_accept(issue))} for issue in opened]
    rows.sort(key=lambda row: (row["skill"], row["file"], row["pattern"], row["fingerprint"]))
    lines = b",\n".join(map(durable.encode_value, rows))
    durable.write_bytes(path, b'{"schema_version":%d,"findings":[\n%s\n]}\n' % (_VERSION, lines))
    return len(rows)


def _accept(issue: Issue) -> Accepted:
    return Accepted(issue.fingerprint, issue.pattern, issue.location.file, issue.evidence[0] if issue.evidence else "")
