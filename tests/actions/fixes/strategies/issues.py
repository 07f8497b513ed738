"""Make findings at any location, as a model or a pattern reports them."""

from schemas.issues import Issue, Location
from schemas.vocabulary import Family, Grade, Severity


def make_read_issue(pattern: str, file: str, line: int) -> Issue:
    """Return an issue that a model reports at a line."""
    return Issue(
        id="ISS-001",
        type=Family.CUSTOM,
        severity=Severity.LOW,
        priority=1,
        location=Location(file, line, line),
        description="Something is wrong here.",
        evidence=("",),
        root_cause="",
        impact="",
        suggested_fix="custom",
        pattern=pattern,
        grade=Grade.READ,
        fingerprint=f"{pattern} {file}:{line}",
    )
