"""A diagnosis as Markdown or SARIF; `orchestrator.engine.rows` gives it as JSON."""

from collections.abc import Iterable, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from actions.evidence.issues import format_unknown_rate, open_session_issues
from actions.patterns.page import find_page
from actions.review.verdicts import rejected
from orchestrator.cli.output.sarif import Subject, sarif
from orchestrator.engine.rows import Row, split_shared_notes
from orchestrator.project.settings import current_project
from orchestrator.version import version
from schemas.vocabulary import IssueStatus
from templates import render


def as_markdown(rows: Sequence[Row]) -> str:
    """Give rows as a Markdown page in which nothing of a skill is markup."""
    facts = ("path", "name", "error", "tokens", "score", "gate", "counts", "notes", "sessions")
    rows, left = split_shared_notes(rows)
    shown = [
        {
            **{name: getattr(row, name) for name in facts},
            "groups": list(_groups(row)),
            "rejected": rejected(row.issues),
            "suppressed": [i for i in row.suppressed if i.status is IssueStatus.SUPPRESSED],
            "shown": open_session_issues(row.issues),
            "rate": format_unknown_rate(row.sessions),
        }
        for row in rows
    ]
    return render("diagnose.md", rows=shown, unasked=left)


def as_sarif(rows: Iterable[Row]) -> dict[str, Any]:
    """Give rows as SARIF: addresses are relative to the project, or to the skill where it lies elsewhere."""
    project = current_project().resolve()
    bases: dict[str, str] = {}
    subjects = []
    for number, row in enumerate(rows, 1):
        root = Path(row.path).resolve()
        inside = root.is_relative_to(project)
        name = "PROJECT" if inside else f"SKILL-{number}"
        bases[name] = f"{(project if inside else root).as_uri()}/"
        folder = root.relative_to(project).as_posix() if inside else "."
        subjects.append(Subject(name, "" if folder == "." else folder, row.issues, row.notes, row.error))
    return sarif(version(), bases, subjects)


def _groups(row: Row) -> Iterable[dict[str, Any]]:
    of_skill = (issue for issue in row.opened if not issue.is_from_session)
    ordered = sorted(of_skill, key=lambda issue: (issue.severity.rank, issue.pattern))
    for (_, id), group in groupby(ordered, lambda issue: (issue.severity.rank, issue.pattern)):
        issues = list(group)
        told = find_page(id)
        yield {
            "pattern": id,
            "title": told["title"],
            "instead": told["Instead"],
            "severity": issues[0].severity,
            "issues": issues,
        }
