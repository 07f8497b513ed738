"""Handle the notifications and requests of an editor. Only the command of a chosen fix writes files."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.capabilities import get_capability

from actions.skill.settings import FILE
from orchestrator.errors import TuneSkillError, reason
from orchestrator.servers.lsp.code_actions import FIX, ActionRequest, find_issues_at, list_actions
from orchestrator.servers.lsp.diagnostics import render_pages
from orchestrator.servers.lsp.language_server import Server
from orchestrator.servers.lsp.open_buffers import path_in, path_of
from orchestrator.servers.lsp.quick_fix import apply_fix
from orchestrator.servers.lsp.snapshot import Snapshot

PAUSE = 0.3
"""Seconds without typing after which unsaved text is scanned."""


def on_initialized(ls: Server, params: types.InitializedParams) -> None:
    """Watch the settings files."""
    ls.watch(FILE, f"**/{FILE}")


def did_open(ls: Server, params: types.DidOpenTextDocumentParams) -> None:
    """Scan the skill of a file that was opened."""
    _rescan(ls, [params.text_document.uri])


def did_change(ls: Server, params: types.DidChangeTextDocumentParams) -> None:
    """Scan a skill when the user pauses."""
    _rescan(ls, [params.text_document.uri], PAUSE)


def did_save(ls: Server, params: types.DidSaveTextDocumentParams) -> None:
    """Scan a skill that was saved."""
    _rescan(ls, [params.text_document.uri])


def did_close(ls: Server, params: types.DidCloseTextDocumentParams) -> None:
    """Drop unsaved text, and a skill without open files."""
    _rescan(ls, [params.text_document.uri])


def did_change_files(ls: Server, params: types.DidChangeWatchedFilesParams) -> None:
    """Scan the skills in which other programs changed files."""
    _rescan(ls, [change.uri for change in params.changes], PAUSE)


def _rescan(ls: Server, uris: Sequence[str], pause: float = 0) -> None:
    roots = {root for uri in uris if (root := ls.find_root(uri))}
    roots |= {root for uri in uris for root in ls.buffers.known if path_in(root, uri)}
    if any((path_of(uri) or Path()).name == FILE for uri in uris):
        roots |= ls.buffers.known
    for root in sorted(roots):
        ls.start(ls.refresh(root, pause))


def _last_snapshot(ls: Server, uri: str) -> tuple[Snapshot, str] | None:
    """Return the last snapshot of the skill of a file, and the file's path in it."""
    root = ls.find_root(uri)
    seen = ls.buffers.snapshots.get(root) if root else None
    return (seen, path_in(seen.skill.root, uri)) if seen else None


async def hover(ls: Server, params: types.HoverParams) -> types.Hover | None:
    """Show the pages of the patterns with findings on a line."""
    seen, line = _last_snapshot(ls, params.text_document.uri), params.position.line
    issues = find_issues_at(*seen, line, line) if seen else []
    if not issues:
        return None
    kinds = get_capability(ls.client_capabilities, "text_document.hover.content_format") or ()
    plain = kinds and types.MarkupKind.Markdown not in kinds
    kind = types.MarkupKind.PlainText if plain else types.MarkupKind.Markdown
    return types.Hover(types.MarkupContent(kind, await ls.work(render_pages, issues)))


async def code_action(ls: Server, params: types.CodeActionParams) -> list[types.CodeAction]:
    """Offer actions for the findings on some lines."""
    uri, only = params.text_document.uri, params.context.only
    if only and not {types.CodeActionKind.Empty, types.CodeActionKind.QuickFix} & set(only):
        return []
    seen = await _current_snapshot(ls, uri)
    document = ls.document(uri)
    if seen is None or document is None:
        return []
    request = ActionRequest(
        seen[1], params.range, list(params.context.diagnostics), document.version,
        versioned=ls.supports("workspace.workspace_edit.document_changes"),
    )  # fmt: skip
    return await ls.work(list_actions, seen[0], request)


async def _current_snapshot(ls: Server, uri: str) -> tuple[Snapshot, str] | None:
    """Return the snapshot of the current text, scanning it first if it is newer than the last snapshot."""
    for _ in range(2):
        seen, document = _last_snapshot(ls, uri), ls.document(uri)
        if seen and document and seen[0].skill.texts.get(seen[1]) == document.source.lstrip("\ufeff"):
            return seen
        if root := ls.find_root(uri):
            await ls.refresh(root)
    return None


async def on_fix(ls: Server, root: str, fingerprint: str) -> dict[str, Any]:
    """Fix a finding that the user chose, and show the result."""
    folder = path_of(root)
    if folder in ls.buffers.snapshots:
        await ls.refresh(folder)
    seen = ls.buffers.snapshots.get(folder) if folder else None
    if seen is None:
        return _refuse(ls, "no file of this skill is open any more, so nothing has changed")
    if seen.unsaved:
        return _refuse(ls, f"save {', '.join(seen.unsaved)} first: a fix changes the files on disk")
    try:
        done = await ls.work(apply_fix, seen.skill, fingerprint)
    except (TuneSkillError, OSError) as error:
        return _refuse(ls, reason(error))
    ls.show(done.message, types.MessageType.Info if done.applied else types.MessageType.Warning)
    await ls.refresh(seen.skill.root)
    return {"applied": done.applied, "run": done.run}


def _refuse(ls: Server, message: str) -> dict[str, Any]:
    ls.show(message, types.MessageType.Warning)
    return {"applied": False, "run": ""}


def on_shutdown(ls: Server, params: None) -> None:
    """Note that the editor asked to shut down."""
    ls.is_shut_down = True


_FEATURES: dict[str, Callable[..., Any]] = {
    types.INITIALIZED: on_initialized,
    types.TEXT_DOCUMENT_DID_OPEN: did_open,
    types.TEXT_DOCUMENT_DID_CHANGE: did_change,
    types.TEXT_DOCUMENT_DID_SAVE: did_save,
    types.TEXT_DOCUMENT_DID_CLOSE: did_close,
    types.WORKSPACE_DID_CHANGE_WATCHED_FILES: did_change_files,
    types.TEXT_DOCUMENT_HOVER: hover,
    types.SHUTDOWN: on_shutdown,
}


def add_features(server: Server) -> None:
    """Register the handlers of a server."""
    for name, handler in _FEATURES.items():
        server.feature(name)(handler)
    options = types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix])
    server.feature(types.TEXT_DOCUMENT_CODE_ACTION, options)(code_action)
    server.command(FIX)(on_fix)
