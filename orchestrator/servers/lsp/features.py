"""Handle the notifications and requests of an editor. Only the command of a chosen fix writes files."""

import os
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
from orchestrator.servers.lsp.open_buffers import find_places, path_of, read_buffers, real_path_of
from orchestrator.servers.lsp.quick_fix import apply_fix
from orchestrator.servers.lsp.snapshot import Snapshot

PAUSE = 0.3
"""Seconds without typing after which unsaved text is scanned."""
_MOST_NEIGHBOURS = 20
"""The most open units that are scanned after a change in the project around them."""


def on_initialized(ls: Server, params: types.InitializedParams) -> None:
    """Watch the settings files."""
    ls.watch(FILE, f"**/{FILE}")


def did_open(ls: Server, params: types.DidOpenTextDocumentParams) -> None:
    """Scan the units of a file that was opened."""
    ls.listings.forget()
    _rescan(ls, [params.text_document.uri])


def did_change(ls: Server, params: types.DidChangeTextDocumentParams) -> None:
    """Scan the units of a file when the user pauses."""
    _rescan(ls, [params.text_document.uri], PAUSE)


def did_save(ls: Server, params: types.DidSaveTextDocumentParams) -> None:
    """Scan the units of a file that was saved; then the open ones around them, which it may change."""
    _rescan(ls, [params.text_document.uri])
    _rescan_neighbours(ls, [params.text_document.uri])


def did_close(ls: Server, params: types.DidCloseTextDocumentParams) -> None:
    """Drop unsaved text, and a unit without open files."""
    _rescan(ls, [params.text_document.uri])
    _rescan_neighbours(ls, [params.text_document.uri])


def did_change_files(ls: Server, params: types.DidChangeWatchedFilesParams) -> None:
    """Scan the units in or around which other programs changed files."""
    _rescan(ls, [change.uri for change in params.changes], PAUSE)
    _rescan_neighbours(ls, [change.uri for change in params.changes])


def _rescan(ls: Server, uris: Sequence[str], pause: float = 0) -> None:
    files = [file for uri in uris if (file := path_of(uri))]
    places = {place for file in files for place in find_places(file) if place in ls.buffers.known or ls.is_open(file)}
    if any(file.name == FILE for file in files):
        places |= ls.buffers.known
    for place in sorted(places):
        ls.start(ls.refresh(place, pause))


def _rescan_neighbours(ls: Server, uris: Sequence[str]) -> None:
    """Scan other open units of the projects of some files, at most a few, when the user pauses."""
    ls.listings.forget()
    files = [file for uri in uris if (file := real_path_of(uri))]
    own = {place for file in files for place in find_places(file)}
    around = [place for place in ls.buffers.list_neighbours(files) if place not in own]
    for place in around[:_MOST_NEIGHBOURS]:
        ls.start(ls.refresh(place, PAUSE))


async def hover(ls: Server, params: types.HoverParams) -> types.Hover | None:
    """Show the pages of the patterns with findings on a line."""
    line, snapshots = params.position.line, ls.buffers.find_snapshots(path_of(params.text_document.uri))
    issues = [issue for seen, path in snapshots for issue in find_issues_at(seen, path, line, line)]
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
    document, file = ls.document(uri), path_of(uri)
    if document is None or file is None:
        return []
    versioned = ls.supports("workspace.workspace_edit.document_changes")
    found: list[types.CodeAction] = []
    for place in find_places(file):
        if seen := await _current_snapshot(ls, place, file):
            shown = list(params.context.diagnostics)
            path = seen.find_path(Path(os.path.realpath(file)))
            request = ActionRequest(path, params.range, shown, document.version, versioned)
            found += await ls.work(list_actions, seen, request)
    return found


async def _current_snapshot(ls: Server, place: Path, file: Path) -> Snapshot | None:
    """Return the snapshot of the current text, scanning it first if it is newer than the last snapshot."""
    real = Path(os.path.realpath(file))
    for _ in range(2):
        seen, now = ls.buffers.snapshots.get(place), read_buffers(ls.workspace, place).documents.get(real)
        if seen and now and seen.text(seen.find_path(real)).text == now.text:
            return seen
        await ls.refresh(place)
    return None


async def on_fix(ls: Server, uri: str, fingerprint: str) -> dict[str, Any]:
    """Fix a finding that the user chose, and show the result."""
    place = path_of(uri)
    if place in ls.buffers.snapshots:
        await ls.refresh(place)
    seen = ls.buffers.snapshots.get(place) if place else None
    if seen is None:
        return _refuse(ls, "no file of this unit is open any more, so nothing has changed")
    if seen.unsaved:
        return _refuse(ls, f"save {', '.join(seen.unsaved)} first: a fix changes the files on disk")
    try:
        done = await ls.work(apply_fix, seen, fingerprint)
    except (TuneSkillError, OSError) as error:
        return _refuse(ls, reason(error))
    ls.show(done.message, types.MessageType.Info if done.applied else types.MessageType.Warning)
    ls.listings.forget()
    await ls.refresh(seen.unit.place)
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
