"""Find the proven findings in a version of a skill: all findings, or only those that a newer version fixed."""

from collections.abc import Iterable, Mapping

from orchestrator.engine.scan import scan_named
from orchestrator.engine.units import ScanOptions
from orchestrator.fs.temp_folder import create_temp_folder
from orchestrator.tuning.trial.versions import Version
from schemas.issues import Issue
from schemas.vocabulary import IssueStatus


def find_fixed_issues(name: str, before: Version, after: Version) -> list[Issue]:
    """Return the open issues of the old version that the new version does not have, worst first.

    name: the name of the skill's folder.
    """
    old, new = _scan(name, before), _scan(name, after)
    return _sort(old[key] for key in old.keys() - new.keys())


def find_open_issues(name: str, version: Version) -> list[Issue]:
    """Return the open issues of a version, worst first. name: the name of the skill's folder."""
    return _sort(_scan(name, version).values())


def _sort(issues: Iterable[Issue]) -> list[Issue]:
    return sorted(issues, key=lambda issue: (issue.priority, issue.id))


def _scan(name: str, version: Version) -> Mapping[str, Issue]:
    with create_temp_folder("version") as place:
        folder = place / name
        version.write(folder)
        row = scan_named(str(folder), ScanOptions())
    return {issue.fingerprint: issue for issue in row.issues if issue.status is IssueStatus.OPEN}
