"""Offer code actions for a finding: fix it in a run, or suppress it with a comment."""

from collections.abc import Iterator

import msgspec
from lsprotocol import types
from msgspec.structs import replace

from actions.fixes.proposals import propose_drafts
from orchestrator.errors import one_line
from orchestrator.servers.lsp.diagnostics import get_range, list_places
from orchestrator.servers.lsp.ignore_comments import find_insertion
from orchestrator.servers.lsp.snapshot import Snapshot
from schemas.issues import Issue
from schemas.vocabulary import Risk

FIX = "tune-skill.fix"
_MAX_FINDINGS = 20
"""Maximum number of findings for which a request returns actions.

A whole file can be selected, and finding a place for an ignore comment is slow.
"""


class ActionRequest(msgspec.Struct, frozen=True):
    """A request for code actions on a range of lines.

    diagnostics: the diagnostics that the editor shows on these lines. version: the version of the document.
    supports_versions: whether the editor supports edits of a certain version of a document.
    """

    path: str
    range: types.Range
    diagnostics: list[types.Diagnostic]
    version: int | None
    supports_versions: bool


def find_issues_at(snapshot: Snapshot, path: str, first: int, last: int) -> list[Issue]:
    """Return the findings on the lines `first` to `last` of a file (counted from 0, as in LSP).

    A finding with several locations is returned with the one on these lines.
    """
    located = (replace(issue, location=place) for issue in snapshot.issues for place in list_places(issue))
    in_file = [issue for issue in located if issue.location.file == path]
    return [issue for issue in in_file if first <= get_range(snapshot, issue.location).start.line <= last]


def list_actions(snapshot: Snapshot, request: ActionRequest) -> list[types.CodeAction]:
    """Return the actions for the findings on the requested lines."""
    actions: list[types.CodeAction] = []
    first, last = request.range.start.line, request.range.end.line
    for issue in find_issues_at(snapshot, request.path, first, last)[:_MAX_FINDINGS]:
        key = (issue.pattern, get_range(snapshot, issue.location))
        diagnostics = [shown for shown in request.diagnostics if (shown.code, shown.range) == key]
        actions += _offer_fix(snapshot, issue, diagnostics)
        actions += _offer_ignore(snapshot, issue, diagnostics, request)
    return actions


def _offer_fix(snapshot: Snapshot, issue: Issue, diagnostics: list[types.Diagnostic]) -> Iterator[types.CodeAction]:
    """Yield the action that fixes a finding, if a strategy can fix it. diagnostics: those that the fix resolves."""
    draft = next(propose_drafts(issue, snapshot.case), None) if issue.id in snapshot.row.fixable else None
    if draft is None:
        return
    _, strategy, edit = draft
    risk = edit.risk or strategy.STRATEGY.risk
    hint = "; save first" if snapshot.unsaved else ""  # in the title, because editors hide disabled actions
    title = one_line(f"{issue.pattern}: {edit.description} (risk {risk}{hint})")
    yield types.CodeAction(
        title,
        kind=types.CodeActionKind.QuickFix,
        diagnostics=diagnostics,
        is_preferred=risk is Risk.LOW and not snapshot.unsaved,
        command=types.Command(title, FIX, arguments=[snapshot.unit.path.as_uri(), issue.fingerprint]),
    )


def _offer_ignore(
    snapshot: Snapshot, issue: Issue, diagnostics: list[types.Diagnostic], request: ActionRequest
) -> Iterator[types.CodeAction]:
    """Yield the action that inserts a comment to suppress a finding, unless no position is suitable."""
    text = snapshot.text(request.path)
    comment = find_insertion(snapshot.case, issue, text)
    if comment is None:
        return
    position = text.get_position(comment.offset)
    edit = types.TextEdit(types.Range(position, position), comment.text)
    yield types.CodeAction(
        f"{issue.pattern}: ignore here",
        kind=types.CodeActionKind.QuickFix,
        diagnostics=diagnostics,
        edit=_make_edit(snapshot.uri(request.path), edit, request),
    )


def _make_edit(uri: str, edit: types.TextEdit, request: ActionRequest) -> types.WorkspaceEdit:
    if not request.supports_versions:
        return types.WorkspaceEdit(changes={uri: [edit]})
    document = types.OptionalVersionedTextDocumentIdentifier(uri=uri, version=request.version)
    return types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(document, [edit])])
