"""Offer code actions for a finding: fix it in a run, or suppress it with a comment."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from lsprotocol import types

from actions.fixes.proposals import propose_drafts
from orchestrator.errors import one_line
from orchestrator.servers.lsp.diagnostics import get_range, list_places
from orchestrator.servers.lsp.ignore_comments import find_insertion
from orchestrator.servers.lsp.snapshot import Snapshot
from schemas.issues import Issue
from schemas.vocabulary import Risk

FIX = "tune-skill.fix"
_MAX_FINDINGS = 20
"""Maximum number of findings with actions per answer: each comment is tried, and a selection may be a whole file."""


@dataclass(frozen=True)
class ActionRequest:
    """A request for code actions: path and lines, the diagnostics shown there, and the version of the document.

    versioned: the editor supports versioned edits.
    """

    path: str
    range: types.Range
    shown: list[types.Diagnostic]
    version: int | None
    versioned: bool


def find_issues_at(snapshot: Snapshot, path: str, first: int, last: int) -> list[Issue]:
    """Return the findings on lines `first` to `last` of a file (as in LSP, from 0), each with its location there."""
    here = ((issue, at) for issue in snapshot.issues for at in list_places(issue) if at.file == path)
    return [replace(issue, location=at) for issue, at in here if first <= get_range(snapshot, at).start.line <= last]


def list_actions(snapshot: Snapshot, request: ActionRequest) -> list[types.CodeAction]:
    """Return the actions for the findings on the requested lines."""
    found: list[types.CodeAction] = []
    first, last = request.range.start.line, request.range.end.line
    for issue in find_issues_at(snapshot, request.path, first, last)[:_MAX_FINDINGS]:
        about = [d for d in request.shown if d.code == issue.pattern and d.range == get_range(snapshot, issue.location)]
        found += _offer_fix(snapshot, issue, about)
        found += _offer_ignore(snapshot, issue, about, request)
    return found


def _offer_fix(snapshot: Snapshot, issue: Issue, about: list[types.Diagnostic]) -> Iterator[types.CodeAction]:
    draft = next(propose_drafts(issue, snapshot.case), None) if issue.id in snapshot.row.fixable else None
    if draft is None:
        return
    _, strategy, edit = draft
    risk = edit.risk or strategy.STRATEGY.risk
    first = "; save first" if snapshot.unsaved else ""  # editors hide disabled actions, so the title says it
    title = one_line(f"{issue.pattern}: {edit.description} (risk {risk}{first})")
    yield types.CodeAction(
        title,
        kind=types.CodeActionKind.QuickFix,
        diagnostics=about,
        is_preferred=risk is Risk.LOW and not snapshot.unsaved,
        command=types.Command(title, FIX, arguments=[snapshot.unit.path.as_uri(), issue.fingerprint]),
    )


def _offer_ignore(
    snapshot: Snapshot, issue: Issue, about: list[types.Diagnostic], request: ActionRequest
) -> Iterator[types.CodeAction]:
    text = snapshot.text(request.path)
    comment = find_insertion(snapshot.case, issue, text)
    if comment is None:
        return
    at = text.get_position(comment.offset)
    edit = types.TextEdit(types.Range(at, at), comment.text)
    yield types.CodeAction(
        f"{issue.pattern}: ignore here",
        kind=types.CodeActionKind.QuickFix,
        diagnostics=about,
        edit=_make_edit(snapshot.uri(request.path), edit, request),
    )


def _make_edit(uri: str, edit: types.TextEdit, request: ActionRequest) -> types.WorkspaceEdit:
    if not request.versioned:
        return types.WorkspaceEdit(changes={uri: [edit]})
    document = types.OptionalVersionedTextDocumentIdentifier(uri=uri, version=request.version)
    return types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(document, [edit])])
