"""Define the result of a scan: one row for each unit, and its JSON."""

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from actions.case import Case
from actions.fixes.proposals import find_fixable
from actions.project.units import Unit
from actions.reporting.hints import NOT_ASKED, note_unasked
from actions.reporting.unread_files import list_unread_files
from actions.review.scan_notes import describe_rejections, list_scan_notes, list_unused_suppressions
from actions.scoring.causes import Cause, find_shared_cause
from actions.scoring.quality import count_tokens, is_unread, measure
from actions.scoring.scan import Scan
from actions.scoring.suppression import UnusedSuppression
from schemas.codec import to_json
from schemas.issues import Cost, Issue, SeverityCounts, Tokens
from schemas.sessions import SessionRecord
from schemas.vocabulary import SCHEMA_VERSION, DiagnosisStatus, Gate, IssueStatus, UnitKind

if TYPE_CHECKING:
    from schemas.records import State, TargetSkill

_NO_TOKENS, _NO_COUNTS, _NO_COST = Tokens(), SeverityCounts(), Cost()


class Row(msgspec.Struct, frozen=True):
    """A unit with its findings and its score, or with an `error` if it could not be read.

    - `path`: the folder of a skill; for another `unit`, the root of its project, to which locations are relative.
    - `judge`: the model that was asked, at `cost`.
    - `unasked`: the number of patterns that only a model can find, if no model has read all of the unit.
    - `must_read`: whether a model was to read the unit.
    - `fixable`: the ids of the issues that a strategy can fix without a model.
    - `unused_suppressions`: the project's suppressions that suppress nothing in this unit.
    - `failed`: the errors of failed checks, by pattern id.
    - `unchecked`: why the unit was not checked, or "".
    - `causes`: the causes that other units of the project could share, by issue id.
    - `folder`: the folder of a skill, relative to the project's root.
    - `digest`: the hash of the skill's files, equal for copies.
    """

    path: str
    name: str = ""
    execution_mode: str = ""
    tokens: Tokens = _NO_TOKENS
    issues: tuple[Issue, ...] = ()
    counts: SeverityCounts = _NO_COUNTS
    score: int = 0
    gate: Gate = Gate.FAIL
    notes: tuple[str, ...] = ()
    sessions: tuple[SessionRecord, ...] = ()
    judge: str | None = None
    cost: Cost = _NO_COST
    unasked: int = 0
    must_read: bool = False
    fixable: tuple[str, ...] = ()
    unused_suppressions: tuple[UnusedSuppression, ...] = ()
    failed: Mapping[str, str] = msgspec.field(default_factory=dict)
    unchecked: str = ""
    error: str | None = None
    unit: Unit | None = None
    causes: Mapping[str, Cause] = msgspec.field(default_factory=dict)
    folder: str = ""
    digest: str = ""

    @property
    def unit_path(self) -> Path:
        """The folder of a skill, or the file of another unit."""
        return Path(self.path, self.unit.path) if self.unit else Path(self.path)

    @property
    def is_unread(self) -> bool:
        """Whether a model was to read the unit and has not read all of it."""
        return self.must_read and self.unasked > 0

    @property
    def is_incomplete(self) -> bool:
        """Whether there may be more findings, because a check failed or a model did not read all."""
        return bool(self.failed or self.unchecked or self.is_unread)

    def with_issues(self, issues: tuple[Issue, ...]) -> "Row":
        """Return the row with other issues, and with the score and fixable issues that follow from them."""
        counts, score, gate = measure(issues, unknown=self.is_incomplete)
        open_ids = {issue.id for issue in issues if issue.status is IssueStatus.OPEN}
        fixable = tuple(id for id in self.fixable if id in open_ids)
        return replace(self, issues=issues, counts=counts, score=score, gate=gate, fixable=fixable)

    @property
    def title(self) -> str:
        """The name, followed by the kind of unit if users do not call such units by name."""
        is_called = self.unit is None or self.unit.kind not in (UnitKind.HOOKS, UnitKind.MANIFEST, UnitKind.MCP)
        return self.name if is_called or self.unit is None else f"{self.name} ({self.unit.kind.value})"

    @property
    def open_issues(self) -> list[Issue]:
        """The open issues."""
        return [issue for issue in self.issues if issue.status is IssueStatus.OPEN]

    @property
    def suppressed(self) -> list[Issue]:
        """The issues that are not open: suppressed, covered by another issue, rejected or resolved."""
        return [issue for issue in self.issues if issue.status is not IssueStatus.OPEN]


def make_row(
    path: str,
    case: Case,
    scan_result: Scan,
    issues: tuple[Issue, ...],
    more_notes: Sequence[str] = (),
    sessions: tuple[SessionRecord, ...] = (),
    *,
    must_read: bool = False,
    is_read: bool = False,
) -> Row:
    """Build the row of the unit at `path` from a scan of its case.

    `issues` are the issues of the scan, which a model may have reviewed. `more_notes` are added to the scan's notes.
    `must_read` and `is_read` say whether a model was to read the unit, and whether it has read all of it.
    """
    skill = case.skill
    unasked = 0 if is_read else len(scan_result.model_only)
    unknown = scan_result.is_incomplete or (must_read and unasked > 0)
    counts, score, gate = measure(issues, unknown=unknown)
    rejections = describe_rejections(issues, unknown=unknown)
    fixable, untried = find_fixable(issues, case)
    more_fixes = f"{untried:,} more findings may be fixable: a round drafts only the first {len(fixable):,} fixes"
    notes = (
        *case.settings.notes,
        *(list_unread_files(skill) if skill.kind is UnitKind.SKILL else ()),
        *list_scan_notes(scan_result, issues),
        *more_notes,
        *([rejections] if rejections else []),
        *([more_fixes] if untried else []),
    )
    unused_suppressions = list_unused_suppressions(scan_result.unused, issues)
    return Row(
        path=path,
        name=skill.name if skill.kind is UnitKind.SKILL else case.unit.name,
        execution_mode=skill.execution_mode,
        tokens=count_tokens(skill),
        issues=issues,
        counts=counts,
        score=score,
        gate=gate,
        notes=notes,
        sessions=sessions,
        unasked=unasked,
        must_read=must_read,
        fixable=tuple(fixable),
        unused_suppressions=tuple(suppression for suppression in unused_suppressions if suppression.is_shared),
        failed=scan_result.failed,
        unchecked=scan_result.unchecked,
        unit=case.unit if skill.kind is not UnitKind.SKILL else None,
        causes=dict(_find_causes(scan_result, issues, skill.kind)),
        folder=case.unit.folder if skill.kind is UnitKind.SKILL else "",
        digest=skill.digest if issues and skill.kind is UnitKind.SKILL else "",
    )


def _find_causes(scan_result: Scan, issues: Sequence[Issue], kind: UnitKind) -> Iterator[tuple[str, Cause]]:
    """Yield the ids and causes of the open issues whose cause other units of the project could share."""
    cause_by_fingerprint = {
        finding.fingerprint: cause for finding in scan_result.open if (cause := find_shared_cause(finding, kind))
    }
    for issue in issues if cause_by_fingerprint else ():
        if issue.status is IssueStatus.OPEN and issue.fingerprint in cause_by_fingerprint:
            yield issue.id, cause_by_fingerprint[issue.fingerprint]


def describe_unit(target: "TargetSkill") -> dict[str, str]:
    """Return the kind, name and path of the unit that a run tunes, as in the output of `diagnose`."""
    path = posixpath.relpath(target.path or "", target.project or "")
    return {"kind": target.kind, "name": target.name or "", "path": path}


def build_run_row(state: "State") -> Row:
    """Build the row of the unit that a run tunes from the state of the run."""
    skill = state.target_skill
    return Row(
        path=skill.root,
        unit=Unit(skill.kind, describe_unit(skill)["path"], skill.name or "") if skill.project else None,
        name=skill.name or "",
        execution_mode=skill.execution_mode or "",
        tokens=state.tokens or _NO_TOKENS,
        issues=state.issues,
        counts=state.issues_by_severity,
        score=state.quality_score,
        gate=state.quality_gate,
        notes=state.notes,
        sessions=state.sessions,
        judge=state.judge or None,
        cost=state.cost,
        unasked=state.unasked,
        must_read=is_unread(state),
        unchecked=_describe_unchecked(state),
    )


def _describe_unchecked(state: "State") -> str:
    """Return why nothing follows from missing findings of a run if no diagnosis succeeded, else ""."""
    statuses = {result.status for result in state.diagnosis.results.values()}
    return f"{state.target_skill.name}: no diagnosis succeeded" if statuses == {DiagnosisStatus.FAILED} else ""


def split_shared_notes(rows: Sequence[Row]) -> tuple[list[Row], list[str]]:
    """Return the rows without their notes on patterns that need a model, and notes that replace them."""
    shared_notes = tuple(dict.fromkeys(note for row in rows for note in row.notes if note.startswith(NOT_ASKED)))
    rest = [replace(row, notes=tuple(note for note in row.notes if note not in shared_notes)) for row in rows]
    count, has_unread = max((row.unasked for row in rows), default=0), any(row.is_unread for row in rows)
    return rest, note_unasked("diagnose", count, shared_notes, is_unread=has_unread)


def format_json(row: Row) -> dict[str, Any]:
    """Return a row in the format of `diagnose.schema.json`."""
    if row.error is not None:
        return {"schema_version": SCHEMA_VERSION, "skill": {"path": row.path}, "error": row.error}
    skill = {"name": row.name, "path": row.path, "execution_mode": row.execution_mode}
    unit = {"kind": row.unit.kind, "name": row.unit.name, "path": row.unit.path} if row.unit else None
    return {
        "schema_version": SCHEMA_VERSION,
        **({"unit": unit} if unit else {"skill": skill}),
        "tokens": to_json(row.tokens),
        "issues": to_json(row.open_issues),
        "suppressed": to_json(row.suppressed),
        "issues_by_severity": to_json(row.counts),
        "sessions": to_json(row.sessions),
        "quality_score": row.score,
        "quality_gate": row.gate,
        "judge": row.judge,
        "cost": to_json(row.cost),
        "unasked": row.unasked,
        "fixable": list(row.fixable),
        "notes": list(row.notes),
    }
