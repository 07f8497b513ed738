"""Offer code actions for a finding: fix it in a run, or suppress it with a comment."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from lsprotocol import types

from actions.fixes.proposals import propose_drafts
from orchestrator.errors import one_line
from orchestrator.servers.lsp.diagnostics import list_lines, range_of
from orchestrator.servers.lsp.ignore_comments import find_insertion
from orchestrator.servers.lsp.snapshot import Snapshot
from schemas.issues import Issue
from schemas.vocabulary import Risk

FIX = "tune-skill.fix"
_MOST = 20
"""The most findings with actions in one answer: each comment is tried, and a selection may span a whole file."""


@dataclass(frozen=True)
class ActionRequest:
    """A request for code actions: path of the file, lines, diagnostics shown there, and what the editor supports."""

    path: str
    range: types.Range
    shown: list[types.Diagnostic]
    version: int | None
    versioned: bool


def find_issues_at(seen: Snapshot, path: str, first: int, last: int) -> list[Issue]:
    """Return the findings that a file shows on lines `first` to `last` of the editor (from 0), each located there."""
    here = ((issue, at) for issue in seen.issues for at in list_lines(issue) if at.file == path)
    return [replace(issue, location=at) for issue, at in here if first <= range_of(seen, at).start.line <= last]


def list_actions(seen: Snapshot, request: ActionRequest) -> list[types.CodeAction]:
    """Return the actions for the findings on the requested lines."""
    found: list[types.CodeAction] = []
    for issue in find_issues_at(seen, request.path, request.range.start.line, request.range.end.line)[:_MOST]:
        about = [d for d in request.shown if d.code == issue.pattern and d.range == range_of(seen, issue.location)]
        found += _offer_fix(seen, issue, about)
        found += _offer_ignore(seen, issue, about, request)
    return found


def _offer_fix(seen: Snapshot, issue: Issue, about: list[types.Diagnostic]) -> Iterator[types.CodeAction]:
    draft = next(propose_drafts(issue, seen.case), None) if issue.id in seen.row.fixable else None
    if draft is None:
        return
    _, strategy, edit = draft
    risk = edit.risk or strategy.STRATEGY.risk
    first = "; save first" if seen.unsaved else ""  # editors hide disabled actions, so the title says it
    title = one_line(f"{issue.pattern}: {edit.description} (risk {risk}{first})")
    yield types.CodeAction(
        title,
        kind=types.CodeActionKind.QuickFix,
        diagnostics=about,
        is_preferred=risk is Risk.LOW and not seen.unsaved,
        command=types.Command(title, FIX, arguments=[seen.unit.place.as_uri(), issue.fingerprint]),
    )


def _offer_ignore(
    seen: Snapshot, issue: Issue, about: list[types.Diagnostic], request: ActionRequest
) -> Iterator[types.CodeAction]:
    text = seen.text(request.path)
    place = find_insertion(seen.case, issue, text)
    if place is None:
        return
    at = text.position(place.offset)
    edit = types.TextEdit(types.Range(at, at), place.text)
    yield types.CodeAction(
        f"{issue.pattern}: ignore here",
        kind=types.CodeActionKind.QuickFix,
        diagnostics=about,
        edit=_make_edit(seen.uri(request.path), edit, request),
    )


def _make_edit(uri: str, edit: types.TextEdit, request: ActionRequest) -> types.WorkspaceEdit:
    if not request.versioned:
        return types.WorkspaceEdit(changes={uri: [edit]})
    document = types.OptionalVersionedTextDocumentIdentifier(uri=uri, version=request.version)
    return types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(document, [edit])])
