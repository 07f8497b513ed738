"""The baseline file: findings that someone has decided to live with, told apart from new ones by fingerprint."""

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
"""Of the file's own shape: what an issue looks like is no part of it."""

Baseline = Mapping[str, tuple[Accepted, ...]]
"""Entries by the skill's folder as the file names it: seen from the folder of the baseline file."""


def read_baseline(path: Path) -> Baseline:
    """Read a baseline. Raises BadInput in one line."""
    if link := nofollow.find_link(str(path)):
        raise BadInput(f"{link} is a link, and none is followed in a project; name the baseline itself")
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


def key_of(root: Path, path: Path) -> str:
    """Give the name by which the baseline at `path` calls the skill at `root`."""
    return Path(os.path.relpath(root.resolve(), path.resolve().parent)).as_posix()


def write_baseline(path: Path, found: Iterable[tuple[Path, Iterable[Issue]]]) -> int:
    """Write the open issues of skills as the baseline; give how many there are.

    Raises BadInput when the file would lie in one of the skills, WriteFailed when it cannot be written.
    """
    rows = []
    for root, issues in found:
        if path.resolve().is_relative_to(root.resolve()):
            raise BadInput(f"{path}: lies inside the skill {root}; diagnose never writes there: choose another place")
        opened = (i for i in issues if i.counts)
        rows += [{"skill": key_of(root, path), **asdict(_accepted(issue))} for issue in opened]
    rows.sort(key=lambda row: (row["skill"], row["file"], row["pattern"], row["fingerprint"]))
    lines = b",\n".join(map(durable.encode_value, rows))
    durable.write_bytes(path, b'{"schema_version":%d,"findings":[\n%s\n]}\n' % (_VERSION, lines))
    return len(rows)


def _accepted(issue: Issue) -> Accepted:
    return Accepted(issue.fingerprint, issue.pattern, issue.location.file, issue.evidence[0] if issue.evidence else "")
