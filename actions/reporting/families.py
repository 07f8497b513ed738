"""Findings counted by family and severity."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from schemas.issues import Issue
from schemas.vocabulary import Family, IssueStatus, Severity


@dataclass(frozen=True)
class FamilyRow:
    """How many findings of a family are open and how many are mended, by severity."""

    family: Family
    open: Counter[Severity]
    mended: Counter[Severity]

    @property
    def total(self) -> int:
        """All of them."""
        return self.open.total() + self.mended.total()


def family_rows(issues: Sequence[Issue]) -> tuple[FamilyRow, ...]:
    """Return a row for each family that has findings, the fullest first."""
    rows = (_row(family, [i for i in issues if i.type is family]) for family in Family)
    return tuple(sorted((row for row in rows if row.total), key=lambda row: -row.total))


def _row(family: Family, issues: Sequence[Issue]) -> FamilyRow:
    of_skill = [i for i in issues if i.source != "session"]
    counts = (IssueStatus.OPEN, IssueStatus.RESOLVED)
    opened, mended = (Counter(i.severity for i in of_skill if i.status is status) for status in counts)
    return FamilyRow(family, opened, mended)
