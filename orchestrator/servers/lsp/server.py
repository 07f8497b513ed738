"""The server: looks at skills and shows what is found. What an editor asks of it stands in `features.py`."""

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
from orchestrator.servers.lsp.diagnostics import diagnostics, notes
from orchestrator.servers.lsp.look import Look, Subject, look
from orchestrator.servers.lsp.open_buffers import Desk, root_of, subject_of
from orchestrator.servers.lsp.worker import MainThread
from orchestrator.version import version

T = TypeVar("T")
Shown = dict[str, list[types.Diagnostic]]
_LOG = logging.getLogger("tune-skill")


class Server(LanguageServer):
    """The language server of one editor."""

    def __init__(self, worker: MainThread) -> None:
        super().__init__("tune-skill", version(), types.TextDocumentSyncKind.Full)
        self.desk = Desk()
        self.said_goodbye = False
        self._worker = worker
        self._tasks: set[asyncio.Task[None]] = set()

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Log what failed: the server goes on."""
        _LOG.error("%s: %s", type(error).__name__, one_line(reason(error)))

    def can(self, capability: str) -> bool:
        """Return whether the editor says that it can something."""
        return bool(get_capability(self.client_capabilities, capability, False))

    async def work(self, job: Callable[..., T], *given: Any) -> T:
        """Do a job in the main thread."""
        return await asyncio.get_running_loop().run_in_executor(self._worker, partial(job, *given))

    def later(self, work: Coroutine[Any, Any, None]) -> None:
        """Do something that nobody waits for; what fails is logged."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and isinstance(error := task.exception(), Exception):
            self.report_server_error(error, None)

    def tell(self, sentence: str, kind: types.MessageType) -> None:
        """Show a sentence to the user."""
        self.window_show_message(types.ShowMessageParams(kind, one_line(f"tune-skill: {sentence}")))

    def document(self, uri: str) -> TextDocument | None:
        """Return an open file."""
        found: TextDocument | None = self.workspace.text_documents.get(unquote(uri))
        return found

    def root_of(self, uri: str) -> Path | None:
        """Return the skill that holds a file; a file that cannot be looked at is in none."""
        try:
            return root_of(uri)
        except (TuneSkillError, OSError):
            return None

    async def refresh(self, root: Path, pause: float = 0) -> None:
        """Look at a skill and show what is found in all its files, unless a later look is asked for meanwhile."""
        turn = self.desk.next_turn(root)
        await asyncio.sleep(pause)
        if not self.desk.is_turn(root, turn):
            return
        subject = subject_of(self.workspace, root)
        if not subject.texts:
            self._forget(root)
            return
        if root not in self.desk.known:
            self.desk.known.add(root)
            self.watch(str(root), types.RelativePattern(root.as_uri(), "**/*"))
        try:
            seen = await self.work(self._look, subject, turn)
        except (TuneSkillError, OSError) as error:
            if self.desk.is_turn(root, turn):
                self._unusable(root, error)
            return
        if seen and self.desk.is_turn(root, turn):
            self._show(*seen)

    def _look(self, subject: Subject, turn: int) -> tuple[Look, Shown] | None:
        """Look at a skill, in the main thread; None where a later look was asked for."""
        if not self.desk.is_turn(subject.root, turn):
            return None
        seen = look(subject, self.workspace.position_codec, self._worker.limited)
        return seen, diagnostics(seen, related=self.can("text_document.publish_diagnostics.related_information"))

    def _show(self, seen: Look, found: Shown) -> None:
        """Publish findings; files that have none any more are cleared."""
        root, subject = seen.subject.root, seen.subject
        by_uri = {subject.uri(path): shown for path, shown in found.items()}
        for uri in sorted(self.desk.shown.get(root, set()) - by_uri.keys()):
            self._publish(uri, [])
        for uri, shown in by_uri.items():
            self._publish(uri, shown)
        self.desk.looks[root], self.desk.shown[root] = seen, set(by_uri)
        for note in self.desk.news(root, notes(seen)):
            message = one_line(f"{root.name}: {note}")
            self.window_log_message(types.LogMessageParams(types.MessageType.Info, message))

    def _publish(self, uri: str, shown: list[types.Diagnostic]) -> None:
        document = self.document(uri)
        self.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(uri, shown, document.version if document else None)
        )

    def _clear(self, root: Path) -> None:
        self.desk.looks.pop(root, None)
        for uri in self.desk.shown.pop(root, set()):
            self._publish(uri, [])

    def _unusable(self, root: Path, error: Exception) -> None:
        """Show nothing of a skill that cannot be looked at, and say why, once."""
        self._clear(root)
        if (root / MAIN).exists():  # else it is no skill any more
            known = self.desk.has_told(reason(error))
            self.desk.told[root] = (reason(error),)
            if not known:
                self.tell(reason(error), types.MessageType.Warning)

    def _forget(self, root: Path) -> None:
        self._clear(root)
        self.desk.told.pop(root, None)

    def watch(self, name: str, pattern: types.GlobPattern) -> None:
        """Ask to hear of files that something else changes."""
        can = "workspace.did_change_watched_files"
        relative = isinstance(pattern, types.RelativePattern)
        if not self.can(f"{can}.dynamic_registration") or (
            relative and not self.can(f"{can}.relative_pattern_support")
        ):
            return
        options = types.DidChangeWatchedFilesRegistrationOptions([types.FileSystemWatcher(pattern)])
        registration = types.Registration(name, types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)
        self.client_register_capability(types.RegistrationParams([registration]))
