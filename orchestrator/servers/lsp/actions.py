"""What an editor offers at a finding: mend it by a run of its own, or ignore it by a comment."""

from collections.abc import Iterator
from dataclasses import dataclass

from lsprotocol import types

from actions.fixes.proposals import propose_drafts
from orchestrator.errors import one_line
from orchestrator.servers.lsp.diagnostics import range_of
from orchestrator.servers.lsp.ignoring import insertion
from orchestrator.servers.lsp.look import Look
from schemas.issues import Issue
from schemas.vocabulary import Risk

FIX = "tune-skill.fix"
_MOST = 20
"""Findings for which something is offered at once: each comment is tried, and a selection may hold a whole file."""


@dataclass(frozen=True)
class Asked:
    """What actions are asked for: the file by its path, the lines, what is shown there, and what the editor can do."""

    path: str
    range: types.Range
    shown: list[types.Diagnostic]
    version: int | None
    versioned: bool


def issues_at(look: Look, path: str, first: int, last: int) -> list[Issue]:
    """Return the findings of a file that are shown on some lines of the editor, which count from 0."""
    here = (issue for issue in look.issues if issue.location.file == path)
    return [issue for issue in here if first <= range_of(look, issue).start.line <= last]


def actions(look: Look, asked: Asked) -> list[types.CodeAction]:
    """Return what can be done about the findings on the lines that are asked for."""
    found: list[types.CodeAction] = []
    for issue in issues_at(look, asked.path, asked.range.start.line, asked.range.end.line)[:_MOST]:
        about = [d for d in asked.shown if d.code == issue.pattern and d.range == range_of(look, issue)]
        found += _fix(look, issue, about)
        found += _ignore(look, issue, about, asked)
    return found


def _fix(look: Look, issue: Issue, about: list[types.Diagnostic]) -> Iterator[types.CodeAction]:
    draft = next(propose_drafts(issue, look.case), None) if issue.id in look.row.fixable else None
    if draft is None:
        return
    _, strategy, edit = draft
    risk = edit.risk or strategy.STRATEGY.risk
    first = "; save first" if look.unsaved else ""  # editors hide what is disabled: the command says why it waits
    title = one_line(f"{issue.pattern}: {edit.description} (risk {risk}{first})")
    yield types.CodeAction(
        title,
        kind=types.CodeActionKind.QuickFix,
        diagnostics=about,
        is_preferred=risk is Risk.LOW and not look.unsaved,
        command=types.Command(title, FIX, arguments=[look.subject.root.as_uri(), issue.fingerprint]),
    )


def _ignore(look: Look, issue: Issue, about: list[types.Diagnostic], asked: Asked) -> Iterator[types.CodeAction]:
    text = look.text(asked.path)
    is_same = text.text == look.subject.texts.get(asked.path)  # else the editor holds what is not looked at
    place = insertion(look.case, issue, text) if is_same else None
    if place is None:
        return
    at = text.position(place.offset)
    edit = types.TextEdit(types.Range(at, at), place.text)
    yield types.CodeAction(
        f"{issue.pattern}: ignore here",
        kind=types.CodeActionKind.QuickFix,
        diagnostics=about,
        edit=_edit(look.subject.uri(asked.path), edit, asked),
    )


def _edit(uri: str, edit: types.TextEdit, asked: Asked) -> types.WorkspaceEdit:
    if not asked.versioned:
        return types.WorkspaceEdit(changes={uri: [edit]})
    document = types.OptionalVersionedTextDocumentIdentifier(uri=uri, version=asked.version)
    return types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(document, [edit])])
