"""What an editor tells and asks. Nothing is written but by the command of a fix that a user chose."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.capabilities import get_capability

from actions.skill.settings import FILE
from orchestrator.errors import TuneSkillError, reason
from orchestrator.servers.lsp.actions import FIX, Asked, actions, issues_at
from orchestrator.servers.lsp.diagnostics import page_of
from orchestrator.servers.lsp.fixes import mend
from orchestrator.servers.lsp.look import Look
from orchestrator.servers.lsp.open_buffers import name_in, path_of
from orchestrator.servers.lsp.server import Server

PAUSE = 0.3
"""Seconds without a key after which what is unsaved is looked at."""


def ready(ls: Server, params: types.InitializedParams) -> None:
    """Ask to hear of settings that change."""
    ls.watch(FILE, f"**/{FILE}")


def did_open(ls: Server, params: types.DidOpenTextDocumentParams) -> None:
    """Look at the skill of a file that was opened."""
    _changed(ls, [params.text_document.uri])


def did_change(ls: Server, params: types.DidChangeTextDocumentParams) -> None:
    """Look at a skill when the user pauses."""
    _changed(ls, [params.text_document.uri], PAUSE)


def did_save(ls: Server, params: types.DidSaveTextDocumentParams) -> None:
    """Look at a skill that was saved."""
    _changed(ls, [params.text_document.uri])


def did_close(ls: Server, params: types.DidCloseTextDocumentParams) -> None:
    """Forget what was not saved, and a skill of which nothing is open any more."""
    _changed(ls, [params.text_document.uri])


def did_change_files(ls: Server, params: types.DidChangeWatchedFilesParams) -> None:
    """Look at the skills in which something else changed files."""
    _changed(ls, [change.uri for change in params.changes], PAUSE)


def _changed(ls: Server, uris: Sequence[str], pause: float = 0) -> None:
    roots = {root for uri in uris if (root := ls.root_of(uri))}
    roots |= {root for uri in uris for root in ls.desk.known if name_in(root, uri)}
    if any((path_of(uri) or Path()).name == FILE for uri in uris):
        roots |= ls.desk.known
    for root in sorted(roots):
        ls.later(ls.refresh(root, pause))


def _seen(ls: Server, uri: str) -> tuple[Look, str] | None:
    """Return what was seen of the skill of a file, and the file's path in it."""
    root = ls.root_of(uri)
    seen = ls.desk.looks.get(root) if root else None
    return (seen, name_in(seen.subject.root, uri)) if seen else None


async def hover(ls: Server, params: types.HoverParams) -> types.Hover | None:
    """Show the pages of the patterns that are found on a line."""
    seen, line = _seen(ls, params.text_document.uri), params.position.line
    issues = issues_at(*seen, line, line) if seen else []
    if not issues:
        return None
    kinds = get_capability(ls.client_capabilities, "text_document.hover.content_format") or ()
    plain = kinds and types.MarkupKind.Markdown not in kinds
    kind = types.MarkupKind.PlainText if plain else types.MarkupKind.Markdown
    return types.Hover(types.MarkupContent(kind, await ls.work(page_of, issues)))


async def code_action(ls: Server, params: types.CodeActionParams) -> list[types.CodeAction]:
    """Offer what can be done about the findings on some lines."""
    uri, only = params.text_document.uri, params.context.only
    if only and not {types.CodeActionKind.Empty, types.CodeActionKind.QuickFix} & set(only):
        return []
    seen = await _seen_now(ls, uri)
    document = ls.document(uri)
    if seen is None or document is None:
        return []
    asked = Asked(
        seen[1], params.range, list(params.context.diagnostics), document.version,
        versioned=ls.can("workspace.workspace_edit.document_changes"),
    )  # fmt: skip
    return await ls.work(actions, seen[0], asked)


async def _seen_now(ls: Server, uri: str) -> tuple[Look, str] | None:
    """Return as `_seen` does what was seen of the text as it stands; where it is newer, it is looked at first."""
    for _ in range(2):
        seen, document = _seen(ls, uri), ls.document(uri)
        if seen and document and seen[0].subject.texts.get(seen[1]) == document.source.lstrip("\ufeff"):
            return seen
        if root := ls.root_of(uri):
            await ls.refresh(root)
    return None


async def fix(ls: Server, root: str, fingerprint: str) -> dict[str, Any]:
    """Mend a finding that the user chose, and say what came of it."""
    folder = path_of(root)
    if folder in ls.desk.looks:
        await ls.refresh(folder)
    seen = ls.desk.looks.get(folder) if folder else None
    if seen is None:
        return _told(ls, "no file of this skill is open any more; nothing is changed")
    if seen.unsaved:
        return _told(ls, f"save {', '.join(seen.unsaved)} first: a fix is made on the disk")
    try:
        done = await ls.work(mend, seen.subject, fingerprint)
    except (TuneSkillError, OSError) as error:
        return _told(ls, reason(error))
    ls.tell(done.sentence, types.MessageType.Info if done.applied else types.MessageType.Warning)
    await ls.refresh(seen.subject.root)
    return {"applied": done.applied, "run": done.run}


def _told(ls: Server, sentence: str) -> dict[str, Any]:
    ls.tell(sentence, types.MessageType.Warning)
    return {"applied": False, "run": ""}


def goodbye(ls: Server, params: None) -> None:
    """Note that the editor ends in order."""
    ls.said_goodbye = True


_FEATURES: dict[str, Callable[..., Any]] = {
    types.INITIALIZED: ready,
    types.TEXT_DOCUMENT_DID_OPEN: did_open,
    types.TEXT_DOCUMENT_DID_CHANGE: did_change,
    types.TEXT_DOCUMENT_DID_SAVE: did_save,
    types.TEXT_DOCUMENT_DID_CLOSE: did_close,
    types.WORKSPACE_DID_CHANGE_WATCHED_FILES: did_change_files,
    types.TEXT_DOCUMENT_HOVER: hover,
    types.SHUTDOWN: goodbye,
}


def add_features(server: Server) -> None:
    """Let a server answer."""
    for name, handler in _FEATURES.items():
        server.feature(name)(handler)
    options = types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix])
    server.feature(types.TEXT_DOCUMENT_CODE_ACTION, options)(code_action)
    server.command(FIX)(fix)
