"""Add the lists of redundancies and conflicts to the docs diagnosis."""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from actions.patterns.page import CUSTOM, find_page
from actions.scoring.scan import Scan
from actions.skill import Skill
from actions.skill.states import find_state_shapes
from schemas.issues import Issue
from schemas.records import Conflict, Definition, DiagnosisResult, Redundancy
from schemas.vocabulary import Family, IssueStatus

_KIND_BY_PATTERN = {"DOC-RED-002": "strategy_mapping", "DOC-RED-003": "type_definition"}
_CONFLICTING_RULES = "DOC-CON-003"


def add_docs_details(result: DiagnosisResult, issues: Sequence[Issue], scan: Scan, skill: Skill) -> DiagnosisResult:
    """Add the redundancies and conflicts to a result.

    The id of an entry looks like the id of a pattern. To avoid confusion, 100 is added to the issue's number in it.
    """
    subjects = {finding.fingerprint: finding.subject for finding in scan.findings}
    open_issues = [issue for issue in issues if issue.status is IssueStatus.OPEN and issue.pattern != CUSTOM]
    return replace(
        result,
        redundancies=tuple(_make_redundancy(issue, skill) for issue in open_issues if issue.type is Family.REDUNDANCY),
        conflicts=tuple(
            _make_conflict(issue, subjects, skill) for issue in open_issues if issue.type is Family.CONFLICT
        ),
    )


def _make_redundancy(issue: Issue, skill: Skill) -> Redundancy:
    line, shapes = issue.location.line_start or 0, find_state_shapes(skill)
    is_state_schema = any(
        shape.file == issue.location.file and shape.line <= line <= shape.line_end for shape in shapes
    )
    kind = "state_schema" if is_state_schema else _KIND_BY_PATTERN.get(issue.pattern, "other")
    severity = "high" if issue.severity == "critical" else issue.severity.value
    advice = find_page(issue.pattern)["Instead"]
    return Redundancy(_make_id(issue), kind, _list_files(issue), issue.description, severity, advice)


def _make_conflict(issue: Issue, subjects: Mapping[str, str], skill: Skill) -> Conflict:
    """Return the conflict of an issue. Its key is the name of the setting or, without one, the heading above."""
    key, _, stated = subjects.get(issue.fingerprint, "").partition(" = ")
    places = _list_places(issue)
    values = [text for _, _, text in places]
    if stated:
        values = [stated, *(text.rpartition(" = ")[2] for text in values[1:])]
    definitions = tuple(
        Definition(place[0], value, f"{place[0]}:{place[1]}") for place, value in zip(places, values, strict=True)
    )
    rows = {(file.path, str(row.line)) for file in skill.instructions for row in file.doc.rows}
    kind = "mapping" if any(place[:2] in rows for place in places) else "definition"
    kind = "priority" if issue.pattern == _CONFLICTING_RULES else kind
    name = key or _find_heading(issue, skill)
    return Conflict(_make_id(issue), kind, _list_files(issue), name, definitions, find_page(issue.pattern)["Instead"])


def _find_heading(issue: Issue, skill: Skill) -> str:
    file = skill.by_path.get(issue.location.file)
    title = file.doc.section_at(issue.location.line_start or 0).title if file and file.is_markdown else ""
    return title or issue.location.file


def _make_id(issue: Issue) -> str:
    return f"{issue.pattern.rpartition('-')[0]}-{100 + int(issue.id.rpartition('-')[2])}"


def _list_places(issue: Issue) -> list[tuple[str, str, str]]:
    """Return (file, line, text) of an issue and of the other places in its evidence."""
    first = (issue.location.file, str(issue.location.line_start), issue.evidence[0])
    rest = [(part[0], part[1], part[2].strip()) for part in (e.split(":", 2) for e in issue.evidence[1:]) if part[2:]]
    return [first, *rest]


def _list_files(issue: Issue) -> tuple[str, ...]:
    return tuple(dict.fromkeys(file for file, _, _ in _list_places(issue)))
