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
from pygls.lsp.server import LanguageServer
from pygls.workspace import TextDocument

from orchestrator.errors import TuneSkillError, one_line, reason
from orchestrator.servers.lsp.diagnostics import list_diagnostics, list_notes
from orchestrator.servers.lsp.open_buffers import OpenBuffers, Shown, path_of, read_buffers
from orchestrator.servers.lsp.snapshot import Listings, OpenUnit, Snapshot
from orchestrator.servers.lsp.worker import MainThread
from orchestrator.version import version

T = TypeVar("T")
_LOG = logging.getLogger("tune-skill")
_AROUND = "**/*.{md,json,sh,py,js,mjs,ts}"


class Server(LanguageServer):
    """The language server of one editor."""

    def __init__(self, worker: MainThread) -> None:
        super().__init__("tune-skill", version(), types.TextDocumentSyncKind.Full)
        self.buffers = OpenBuffers()
        self.listings = Listings()
        self.is_shut_down = False
        self._worker = worker
        self._tasks: set[asyncio.Task[None]] = set()
        self._watched: set[Path] = set()

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Log a failure; the server continues."""
        _LOG.error("%s: %s", type(error).__name__, one_line(reason(error)))

    def supports(self, capability: str) -> bool:
        """Return whether the editor supports a capability."""
        return bool(get_capability(self.client_capabilities, capability, False))

    async def work(self, job: Callable[..., T], *arguments: Any) -> T:
        """Run a job in the main thread."""
        return await asyncio.get_running_loop().run_in_executor(self._worker, partial(job, *arguments))

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        """Start work in the background; a failure is logged."""
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
        """Return an open file; None if it is not open."""
        found: TextDocument | None = self.workspace.text_documents.get(unquote(uri))
        return found

    def is_open(self, file: Path) -> bool:
        """Return whether a file is open."""
        return any(path_of(uri) == file for uri in self.workspace.text_documents)

    async def refresh(self, place: Path, pause: float = 0) -> None:
        """Scan a unit and publish the findings in all its files, unless a later scan is requested meanwhile."""
        turn = self.buffers.begin_scan(place)
        await asyncio.sleep(pause)
        if not self.buffers.is_latest_scan(place, turn):
            return
        unit = read_buffers(self.workspace, place)
        if not any(path.is_relative_to(place) for path in unit.documents):
            self._forget(place)
            return
        try:
            found = await self.work(self._scan, unit, turn)
        except (TuneSkillError, OSError) as error:
            if self.buffers.is_latest_scan(place, turn):
                self._show_error(unit, error)
            return
        if self.buffers.is_latest_scan(place, turn):
            self._publish_all(*found) if found else self._forget(place)
            if found:
                await self._add_hints(found[0])

    async def _add_hints(self, seen: Snapshot) -> None:
        """Read the sessions of a unit that was opened, and publish its findings again if there are any.

        Sessions that cannot be read are logged; the findings are shown without them.
        """
        try:
            has_sessions: bool = await self.work(self.listings.read_sessions, seen)
        except (TuneSkillError, OSError) as error:
            self.report_server_error(error, None)
            return
        if has_sessions:
            await self.refresh(seen.unit.place)

    def _scan(self, unit: OpenUnit, turn: int) -> tuple[Snapshot, Shown] | None:
        """Scan a unit, in the main thread; None if it is not a unit, or a later scan was requested."""
        if not self.buffers.is_latest_scan(unit.place, turn):
            return None
        seen = self.listings.take_snapshot(unit, self.workspace.position_codec, self._worker.limit_time)
        related = self.supports("text_document.publish_diagnostics.related_information")
        return (seen, list_diagnostics(seen, related=related)) if seen else None

    def _publish_all(self, seen: Snapshot, found: Shown) -> None:
        """Publish findings, and clear files that have none any more."""
        place = seen.unit.place
        self.buffers.known.add(place)
        self._watch_around(seen)
        self.buffers.snapshots[place] = seen
        self._publish(place, found)
        for note in self.buffers.update_notes(place, list_notes(seen)):
            message = one_line(f"{place.name}: {note}")
            self.window_log_message(types.LogMessageParams(types.MessageType.Info, message))

    def _publish(self, place: Path, found: Shown) -> None:
        for uri, shown in self.buffers.update_shown(place, found).items():
            document = self.document(uri)
            version = document.version if document else None
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, shown, version))

    def _clear(self, place: Path) -> None:
        self.buffers.snapshots.pop(place, None)
        self._publish(place, {})

    def _show_error(self, unit: OpenUnit, error: Exception) -> None:
        """Clear the findings of a unit that cannot be read, and show why, once."""
        self._clear(unit.place)
        self.buffers.known.add(unit.place)
        if unit.exists():
            is_known = self.buffers.has_note(reason(error))
            self.buffers.notes[unit.place] = (reason(error),)
            if not is_known:
                self.show(reason(error), types.MessageType.Warning)

    def _forget(self, place: Path) -> None:
        self._clear(place)
        self.listings.forget_sessions(place)
        self.buffers.notes.pop(place, None)

    def _watch_around(self, seen: Snapshot) -> None:
        """Watch the folder of a skill, and what other units of a project may name."""
        files = "**/*" if seen.root == seen.unit.place else _AROUND
        if seen.root not in self._watched:
            self._watched.add(seen.root)
            self.watch(str(seen.root), types.RelativePattern(seen.root.as_uri(), files))

    def watch(self, name: str, pattern: types.GlobPattern) -> None:
        """Ask the editor to report files that other programs change."""
        can = "workspace.did_change_watched_files"
        relative = isinstance(pattern, types.RelativePattern)
        if not self.supports(f"{can}.dynamic_registration") or (
            relative and not self.supports(f"{can}.relative_pattern_support")
        ):
            return
        options = types.DidChangeWatchedFilesRegistrationOptions([types.FileSystemWatcher(pattern)])
        registration = types.Registration(name, types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)
        self.client_register_capability(types.RegistrationParams([registration]))
