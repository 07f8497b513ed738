"""Scan skills and publish findings to an editor. `features.py` handles the editor's requests."""

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

from actions.skill.paths import MAIN
from orchestrator.errors import TuneSkillError, one_line, reason
from orchestrator.servers.lsp.diagnostics import list_diagnostics, list_notes
from orchestrator.servers.lsp.open_buffers import OpenBuffers, find_root, read_buffers
from orchestrator.servers.lsp.snapshot import OpenSkill, Snapshot, take_snapshot
from orchestrator.servers.lsp.worker import MainThread
from orchestrator.version import version

T = TypeVar("T")
Diagnostics = dict[str, list[types.Diagnostic]]
_LOG = logging.getLogger("tune-skill")


class Server(LanguageServer):
    """The language server of one editor."""

    def __init__(self, worker: MainThread) -> None:
        super().__init__("tune-skill", version(), types.TextDocumentSyncKind.Full)
        self.buffers = OpenBuffers()
        self.is_shut_down = False
        self._worker = worker
        self._tasks: set[asyncio.Task[None]] = set()

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

    def find_root(self, uri: str) -> Path | None:
        """Return the skill that holds a file; None if none does, or the file cannot be read."""
        try:
            return find_root(uri)
        except (TuneSkillError, OSError):
            return None

    async def refresh(self, root: Path, pause: float = 0) -> None:
        """Scan a skill and publish the findings in all its files, unless a later scan is requested meanwhile."""
        turn = self.buffers.next_turn(root)
        await asyncio.sleep(pause)
        if not self.buffers.is_turn(root, turn):
            return
        skill = read_buffers(self.workspace, root)
        if not skill.texts:
            self._forget(root)
            return
        if root not in self.buffers.known:
            self.buffers.known.add(root)
            self.watch(str(root), types.RelativePattern(root.as_uri(), "**/*"))
        try:
            seen = await self.work(self._scan, skill, turn)
        except (TuneSkillError, OSError) as error:
            if self.buffers.is_turn(root, turn):
                self._show_error(root, error)
            return
        if seen and self.buffers.is_turn(root, turn):
            self._publish_all(*seen)

    def _scan(self, skill: OpenSkill, turn: int) -> tuple[Snapshot, Diagnostics] | None:
        """Scan a skill, in the main thread; None if a later scan was requested."""
        if not self.buffers.is_turn(skill.root, turn):
            return None
        seen = take_snapshot(skill, self.workspace.position_codec, self._worker.limit_time)
        return seen, list_diagnostics(
            seen, related=self.supports("text_document.publish_diagnostics.related_information")
        )

    def _publish_all(self, seen: Snapshot, found: Diagnostics) -> None:
        """Publish findings, and clear files that have none any more."""
        root, skill = seen.skill.root, seen.skill
        by_uri = {skill.uri(path): shown for path, shown in found.items()}
        for uri in sorted(self.buffers.published.get(root, set()) - by_uri.keys()):
            self._publish(uri, [])
        for uri, shown in by_uri.items():
            self._publish(uri, shown)
        self.buffers.snapshots[root], self.buffers.published[root] = seen, set(by_uri)
        for note in self.buffers.update_notes(root, list_notes(seen)):
            message = one_line(f"{root.name}: {note}")
            self.window_log_message(types.LogMessageParams(types.MessageType.Info, message))

    def _publish(self, uri: str, shown: list[types.Diagnostic]) -> None:
        document = self.document(uri)
        self.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(uri, shown, document.version if document else None)
        )

    def _clear(self, root: Path) -> None:
        self.buffers.snapshots.pop(root, None)
        for uri in self.buffers.published.pop(root, set()):
            self._publish(uri, [])

    def _show_error(self, root: Path, error: Exception) -> None:
        """Clear the findings of a skill that cannot be read, and show why, once."""
        self._clear(root)
        if (root / MAIN).exists():  # else it is no longer a skill
            is_known = self.buffers.has_note(reason(error))
            self.buffers.notes[root] = (reason(error),)
            if not is_known:
                self.show(reason(error), types.MessageType.Warning)

    def _forget(self, root: Path) -> None:
        self._clear(root)
        self.buffers.notes.pop(root, None)

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
