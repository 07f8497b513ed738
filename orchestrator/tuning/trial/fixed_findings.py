"""Find what a version of a skill fixed: the proven findings of the old version that the new one does not have."""

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from orchestrator.engine.scan import scan_named
from orchestrator.engine.units import ScanOptions
from orchestrator.tuning.trial.versions import Version
from schemas.issues import Issue
from schemas.vocabulary import IssueStatus


def find_fixed_issues(name: str, before: Version, after: Version) -> list[Issue]:
    """Return the open issues that only the old version has, worst first. name: the name of the skill's folder."""
    old, new = _scan(name, before), _scan(name, after)
    return sorted((old[key] for key in old.keys() - new.keys()), key=lambda issue: (issue.priority, issue.id))


def _scan(name: str, version: Version) -> Mapping[str, Issue]:
    with TemporaryDirectory(prefix="tune-skill-version-") as place:
        folder = Path(place) / name
        version.write(folder)
        row = scan_named(str(folder), ScanOptions())
    return {issue.fingerprint: issue for issue in row.issues if issue.status is IssueStatus.OPEN}
