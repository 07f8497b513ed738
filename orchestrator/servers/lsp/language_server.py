"""Scan units and publish findings to an editor. `features.py` handles the editor's requests."""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from functools import partial
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import unquote

from lsprotocol import types
from pygls.capabilities import get_capability
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol
from pygls.workspace import TextDocument

from actions.code.languages import EXTENSIONS
from orchestrator.engine.main_thread import MainThread
from orchestrator.errors import TuneSkillError, one_line, reason
from orchestrator.servers.lsp.diagnostics import list_diagnostics, list_notes
from orchestrator.servers.lsp.snapshot import OpenUnit, ProjectCache, Snapshot
from orchestrator.servers.lsp.unit_states import DiagnosticsByUri, UnitStates, parse_uri, read_open_unit
from orchestrator.version import version

T = TypeVar("T")
_LOG = logging.getLogger("tune-skill")
_EXTENSIONS = sorted({"md", "json", *(extension.removeprefix(".") for extension in EXTENSIONS)})
PROJECT_FILES = f"**/*.{{{','.join(_EXTENSIONS)}}}"
"""The files of a project whose changes can affect findings: Markdown, JSON, and scripts in a parsed language."""


class _Protocol(LanguageServerProtocol):
    """The protocol of pygls, which also answers requests with invalid parameters with an error."""

    def structure_message(self, data: dict[str, Any]) -> Any:
        """Parse a message. Raises JsonRpcException if it is invalid, after answering it if it is a request."""
        try:
            return super().structure_message(data)
        except JsonRpcException as error:
            if "method" in data and isinstance(data.get("id"), int | str):
                self._send_response(data["id"], error=error.to_response_error())
            raise


class Server(LanguageServer):
    """The language server of one editor."""

    def __init__(self, worker: MainThread) -> None:
        super().__init__("tune-skill", version(), types.TextDocumentSyncKind.Full, protocol_cls=_Protocol)
        self.units = UnitStates()
        self.projects = ProjectCache()
        self.is_shut_down = False
        self._worker = worker
        self._tasks: set[asyncio.Task[None]] = set()
        self._watched: set[Path] = set()

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Log an error and let the server continue."""
        _LOG.error("%s: %s", type(error).__name__, one_line(reason(error)))

    def supports(self, capability: str) -> bool:
        """Return whether the editor supports a capability."""
        return bool(get_capability(self.client_capabilities, capability, False))

    async def run_in_main_thread(self, job: Callable[..., T], *arguments: Any) -> T:
        """Run a job in the main thread and return its result."""
        return await asyncio.get_running_loop().run_in_executor(self._worker, partial(job, *arguments))

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        """Start work in the background. Errors of the work are logged."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._finish)

    def _finish(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and isinstance(error := task.exception(), Exception):
            self.report_server_error(error, None)

    def show(self, message: str, kind: types.MessageType) -> None:
        """Show a message to the user."""
        self.window_show_message(types.ShowMessageParams(kind, one_line(f"tune-skill: {message}")))

    def document(self, uri: str) -> TextDocument | None:
        """Return the document of a file that is open in the editor, or None."""
        document: TextDocument | None = self.workspace.text_documents.get(unquote(uri))
        return document

    def is_open(self, file: Path) -> bool:
        """Return whether a file is open in the editor."""
        return any(parse_uri(uri) == file for uri in self.workspace.text_documents)

    async def refresh(self, unit_path: Path, pause: float = 0) -> None:
        """Scan a unit after a pause (in seconds), and publish its findings.

        Nothing is scanned if another scan of the unit is requested during the pause. A unit without an open file is
        forgotten.
        """
        number = self.units.begin_scan(unit_path)
        await asyncio.sleep(pause)
        if not self.units.is_latest_scan(unit_path, number):
            return
        unit = read_open_unit(self.workspace, unit_path)
        if not any(path.is_relative_to(unit_path) for path in unit.documents):
            self._forget(unit_path)
            return
        try:
            result = await self.run_in_main_thread(self._scan, unit, number)
        except (TuneSkillError, OSError) as error:
            if self.units.is_latest_scan(unit_path, number):
                self._show_error(unit, error)
            return
        if self.units.is_latest_scan(unit_path, number):
            if result is None:
                self._forget(unit_path)
                return
            snapshot, diagnostics = result
            self._publish_all(snapshot, diagnostics)
            await self._refresh_with_sessions(snapshot)

    async def _refresh_with_sessions(self, snapshot: Snapshot) -> None:
        """Read the sessions that used an opened unit. If there are any, publish the findings of the unit again.

        If the sessions cannot be read, log the error and keep the findings.
        """
        try:
            has_sessions: bool = await self.run_in_main_thread(self.projects.read_sessions, snapshot)
        except (TuneSkillError, OSError) as error:
            self.report_server_error(error, None)
            return
        if has_sessions:
            await self.refresh(snapshot.unit.path)

    def _scan(self, unit: OpenUnit, number: int) -> tuple[Snapshot, DiagnosticsByUri] | None:
        """Scan a unit in the main thread. Returns None if a later scan was requested or there is nothing to scan."""
        if not self.units.is_latest_scan(unit.path, number):
            return None
        snapshot = self.projects.take_snapshot(unit, self.workspace.position_codec, self._worker.run_limited)
        related = self.supports("text_document.publish_diagnostics.related_information")
        return (snapshot, list_diagnostics(snapshot, related=related)) if snapshot else None

    def _publish_all(self, snapshot: Snapshot, diagnostics: DiagnosticsByUri) -> None:
        """Publish the diagnostics of a unit, and clear files that no longer have diagnostics."""
        unit_path = snapshot.unit.path
        self.units.paths.add(unit_path)
        self._watch_project(snapshot)
        self.units.snapshots[unit_path] = snapshot
        self._publish(unit_path, diagnostics)
        for note in self.units.update_notes(unit_path, list_notes(snapshot)):
            message = one_line(f"{unit_path.name}: {note}")
            self.window_log_message(types.LogMessageParams(types.MessageType.Info, message))

    def _publish(self, unit_path: Path, diagnostics: DiagnosticsByUri) -> None:
        for uri, in_file in self.units.update_shown(unit_path, diagnostics).items():
            document = self.document(uri)
            version = document.version if document else None
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, in_file, version))

    def _clear(self, unit_path: Path) -> None:
        self.units.snapshots.pop(unit_path, None)
        self._publish(unit_path, {})

    def _show_error(self, unit: OpenUnit, error: Exception) -> None:
        """Clear the findings of a unit that cannot be read, and show the reason to the user once."""
        self._clear(unit.path)
        self.units.paths.add(unit.path)
        if unit.exists():
            was_shown = self.units.has_note(reason(error))
            self.units.notes[unit.path] = (reason(error),)
            if not was_shown:
                self.show(reason(error), types.MessageType.Warning)

    def _forget(self, unit_path: Path) -> None:
        self._clear(unit_path)
        self.projects.forget_sessions(unit_path)
        self.units.notes.pop(unit_path, None)

    def _watch_project(self, snapshot: Snapshot) -> None:
        """Watch the whole folder of a skill, or those files of a project that affect the findings of its units."""
        files = "**/*" if snapshot.root == snapshot.unit.path else PROJECT_FILES
        if snapshot.root not in self._watched:
            self._watched.add(snapshot.root)
            self.watch(str(snapshot.root), types.RelativePattern(snapshot.root.as_uri(), files))

    def watch(self, name: str, pattern: types.GlobPattern) -> None:
        """Ask the editor to report changes of files by other programs."""
        capability = "workspace.did_change_watched_files"
        is_relative = isinstance(pattern, types.RelativePattern)
        if not self.supports(f"{capability}.dynamic_registration"):
            return
        if is_relative and not self.supports(f"{capability}.relative_pattern_support"):
            return
        options = types.DidChangeWatchedFilesRegistrationOptions([types.FileSystemWatcher(pattern)])
        registration = types.Registration(name, types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)
        self.client_register_capability(types.RegistrationParams([registration]))
