"""Handle the notifications and requests of an editor. Files are changed only by the command that applies a fix."""

import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.capabilities import get_capability

from actions.skill.settings import SETTINGS_FILE
from orchestrator.errors import TuneSkillError, reason
from orchestrator.servers.lsp.code_actions import FIX, ActionRequest, find_issues_at, list_actions
from orchestrator.servers.lsp.diagnostics import render_pages
from orchestrator.servers.lsp.language_server import Server
from orchestrator.servers.lsp.quick_fix import apply_fix, ask_to_save
from orchestrator.servers.lsp.snapshot import Snapshot
from orchestrator.servers.lsp.unit_states import (
    find_unit_paths,
    list_unsaved_files,
    parse_real_uri,
    parse_uri,
    read_open_unit,
)

PAUSE = 0.3
"""Unsaved text is scanned when it has not been changed for this number of seconds."""
_MAX_NEIGHBOURS = 20
"""Maximum number of other open units that are scanned after a change in their project."""


def on_initialized(ls: Server, params: types.InitializedParams) -> None:
    """Ask the editor to report changes of the settings files of tune-skill."""
    ls.watch(SETTINGS_FILE, f"**/{SETTINGS_FILE}")


def did_open(ls: Server, params: types.DidOpenTextDocumentParams) -> None:
    """Scan the units of an opened file."""
    ls.projects.forget()
    _rescan(ls, [params.text_document.uri])


def did_change(ls: Server, params: types.DidChangeTextDocumentParams) -> None:
    """Scan the units of a changed file as soon as the user stops typing."""
    _rescan(ls, [params.text_document.uri], PAUSE)


def did_save(ls: Server, params: types.DidSaveTextDocumentParams) -> None:
    """Scan the units of a saved file, then the other open units of the project, whose findings could change too."""
    _rescan(ls, [params.text_document.uri])
    _rescan_neighbours(ls, [params.text_document.uri])


def did_close(ls: Server, params: types.DidCloseTextDocumentParams) -> None:
    """Scan the units of a closed file without its unsaved text. A unit without an open file is forgotten."""
    _rescan(ls, [params.text_document.uri])
    _rescan_neighbours(ls, [params.text_document.uri])


def did_change_files(ls: Server, params: types.DidChangeWatchedFilesParams) -> None:
    """Scan the units whose files other programs changed, and the other open units of their projects."""
    _rescan(ls, [change.uri for change in params.changes], PAUSE)
    _rescan_neighbours(ls, [change.uri for change in params.changes])


def _rescan(ls: Server, uris: Sequence[str], pause: float = 0) -> None:
    """Scan the units of files after a pause (seconds), if a unit is known or the file is open.

    After a change of a settings file, scan all known units.
    """
    files = [file for uri in uris if (file := parse_uri(uri))]
    candidates = ((unit_path, file) for file in files for unit_path in find_unit_paths(file))
    unit_paths = {unit_path for unit_path, file in candidates if unit_path in ls.units.paths or ls.is_open(file)}
    if any(file.name == SETTINGS_FILE for file in files):
        unit_paths |= ls.units.paths
    for unit_path in sorted(unit_paths):
        ls.start(ls.refresh(unit_path, pause))


def _rescan_neighbours(ls: Server, uris: Sequence[str]) -> None:
    """Scan at most _MAX_NEIGHBOURS other open units in the projects of these files, when the user stops typing."""
    ls.projects.forget()
    files = [file for uri in uris if (file := parse_real_uri(uri))]
    own = {unit_path for file in files for unit_path in find_unit_paths(file)}
    neighbours = [unit_path for unit_path in ls.units.list_neighbours(files) if unit_path not in own]
    for unit_path in neighbours[:_MAX_NEIGHBOURS]:
        ls.start(ls.refresh(unit_path, PAUSE))


async def hover(ls: Server, params: types.HoverParams) -> types.Hover | None:
    """Return the text for a line: its findings, with the pages of their patterns."""
    line, snapshots = params.position.line, ls.units.find_snapshots(parse_uri(params.text_document.uri))
    issues = [issue for snapshot, path in snapshots for issue in find_issues_at(snapshot, path, line, line)]
    if not issues:
        return None
    kinds = get_capability(ls.client_capabilities, "text_document.hover.content_format") or ()
    is_plain = kinds and types.MarkupKind.Markdown not in kinds
    kind = types.MarkupKind.PlainText if is_plain else types.MarkupKind.Markdown
    return types.Hover(types.MarkupContent(kind, await ls.run_in_main_thread(render_pages, issues)))


async def code_action(ls: Server, params: types.CodeActionParams) -> list[types.CodeAction]:
    """Return the actions for the findings on the selected lines."""
    uri, only = params.text_document.uri, params.context.only
    if only and not {types.CodeActionKind.Empty, types.CodeActionKind.QuickFix} & set(only):
        return []
    document, file = ls.document(uri), parse_uri(uri)
    if document is None or file is None:
        return []
    supports_versions = ls.supports("workspace.workspace_edit.document_changes")
    actions: list[types.CodeAction] = []
    for unit_path in find_unit_paths(file):
        if snapshot := await _get_current_snapshot(ls, unit_path, file):
            diagnostics = list(params.context.diagnostics)
            path = snapshot.find_path(Path(os.path.realpath(file)))
            request = ActionRequest(path, params.range, diagnostics, document.version, supports_versions)
            actions += await ls.run_in_main_thread(list_actions, snapshot, request)
    return actions


async def _get_current_snapshot(ls: Server, unit_path: Path, file: Path) -> Snapshot | None:
    """Return a snapshot of the unit with the file's current text, scanning the unit again if necessary.

    Returns None if that fails.
    """
    real = Path(os.path.realpath(file))
    for _ in range(2):
        snapshot = ls.units.snapshots.get(unit_path)
        document = read_open_unit(ls.workspace, unit_path).documents.get(real)
        if snapshot and document and snapshot.text(snapshot.find_path(real)).text == document.text:
            return snapshot
        await ls.refresh(unit_path)
    return None


async def on_fix(ls: Server, uri: str, fingerprint: str) -> dict[str, Any]:
    """Fix the finding that the user chose, and show the result."""
    unit_path = parse_uri(uri)
    if unit_path in ls.units.snapshots:
        await ls.refresh(unit_path)
    snapshot = ls.units.snapshots.get(unit_path) if unit_path else None
    if snapshot is None:
        return _refuse(ls, "no file of this unit is open, so nothing was changed")
    if snapshot.unsaved:
        return _refuse(ls, ask_to_save(snapshot.unsaved))
    try:
        list_unsaved = partial(list_unsaved_files, ls.workspace, snapshot.unit.path)
        result = await ls.run_in_main_thread(apply_fix, snapshot, fingerprint, list_unsaved)
    except (TuneSkillError, OSError) as error:
        return _refuse(ls, reason(error))
    ls.show(result.message, types.MessageType.Info if result.applied else types.MessageType.Warning)
    ls.projects.forget()
    await ls.refresh(snapshot.unit.path)
    return {"applied": result.applied, "run": result.run}


def _refuse(ls: Server, message: str) -> dict[str, Any]:
    ls.show(message, types.MessageType.Warning)
    return {"applied": False, "run": ""}


def on_shutdown(ls: Server, params: None) -> None:
    """Record that the editor asked the server to shut down."""
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
