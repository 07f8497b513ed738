"""Start the real server in a separate process, and connect the client of pygls through pipes."""

import asyncio
import os
import sys
from pathlib import Path

import pytest
from lsprotocol import types
from pygls.lsp.client import LanguageClient
from pygls.protocol import default_converter

ROOT = Path(__file__).parents[4]
PROGRAM = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from tune_skill import main; main()"
COMMAND = (sys.executable, "-c", PROGRAM, "lsp")


class Editor:
    """An editor with one project; its methods return after the server answered or published its findings."""

    def __init__(self, home, folders, encodings=None, **options):
        self.loop = asyncio.new_event_loop()
        self.client = LanguageClient("editor", "1", converter_factory=_make_converter)
        self.diagnostics, self.versions, self.messages, self.log_messages, self.registrations = {}, {}, [], [], []
        self._received = asyncio.Event()
        self._listen()
        env = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "CLAUDE_", "MACF_"))}
        env.pop("CI", None)  # An editor is not CI, so the settings of a skill apply.
        self.env = {**env, "HOME": str(home), "TUNE_SKILL_STRICT": "1"}
        self.run(self.client.start_io(*COMMAND, env=self.env, cwd=home))
        self.answer = self.run(self.client.initialize_async(_make_initialize_params(folders, encodings, options)))
        self.client.initialized(types.InitializedParams())

    def run(self, coroutine):
        return self.loop.run_until_complete(asyncio.wait_for(coroutine, 60))

    def _listen(self):
        feature = self.client.feature

        @feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def save_diagnostics(params):
            self.diagnostics[params.uri], self.versions[params.uri] = params.diagnostics, params.version
            self._received.set()

        @feature(types.WINDOW_SHOW_MESSAGE)
        def save_message(params):
            self.messages.append(params.message)
            self._received.set()

        @feature(types.WINDOW_LOG_MESSAGE)
        def save_log_message(params):
            self.log_messages.append(params.message)
            self._received.set()

        @feature(types.CLIENT_REGISTER_CAPABILITY)
        def save_registrations(params):
            self.registrations += params.registrations

    def wait_until(self, condition):
        """Wait until a condition on the published findings holds."""

        async def wait():
            while not condition():
                self._received.clear()
                await self._received.wait()

        self.run(wait())

    def wait_for_messages(self, path):
        """Wait for all pending messages about a file, by a hover, which is answered after them."""
        for _ in range(2):
            self.hover(path, 0)
            self.list_actions(path, 0)

    def open(self, path, text=None):
        text = path.read_bytes().decode() if text is None else text
        document = types.TextDocumentItem(path.as_uri(), "markdown", 1, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(document))
        self.wait_for_messages(path)

    def change(self, path, text, version=2):
        document = types.VersionedTextDocumentIdentifier(version, path.as_uri())
        change_of_document = types.TextDocumentContentChangeWholeDocument(text)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(document, [change_of_document]))

    def save(self, path):
        self.client.text_document_did_save(types.DidSaveTextDocumentParams(_identify(path)))
        self.wait_for_messages(path)

    def close(self, path):
        self.client.text_document_did_close(types.DidCloseTextDocumentParams(_identify(path)))
        self.wait_for_messages(path)

    def hover(self, path, line):
        params = types.HoverParams(_identify(path), types.Position(line, 0))
        return self.run(self.client.text_document_hover_async(params))

    def list_actions(self, path, line):
        position = types.Position(line, 0)
        diagnostics = [d for d in self.diagnostics.get(path.as_uri(), []) if d.range.start.line == line]
        params = types.CodeActionParams(
            _identify(path), types.Range(position, position), types.CodeActionContext(diagnostics)
        )
        return self.run(self.client.text_document_code_action_async(params)) or []

    def execute(self, command, meanwhile=lambda: None):
        """Execute a command, and do something before it has ended."""
        params = types.ExecuteCommandParams(command.command, command.arguments)

        async def execute_and_wait():
            answer = self.client.protocol.send_request(types.WORKSPACE_EXECUTE_COMMAND, params)
            meanwhile()
            return await asyncio.wrap_future(answer)

        return self.run(execute_and_wait())

    def report_changed_files(self, *paths):
        changes = [types.FileEvent(path.as_uri(), types.FileChangeType.Changed) for path in paths]
        self.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams(changes))

    def list_findings(self, path):
        """Return the pattern id and the line of each finding shown in a file."""
        return [(d.code, d.range.start.line) for d in self.diagnostics.get(path.as_uri(), [])]

    def shut_down(self):
        """Shut the server down; return the exit code."""
        self.run(self.client.shutdown_async(None))
        self.client.exit(None)
        return self.wait_for_exit()

    def wait_for_exit(self):
        code = self.run(self.client._server.wait())
        self.run(self.client.stop())
        self.loop.close()
        return code


def _make_converter():
    """Return the converter of pygls, extended to parse code actions with a command."""
    converter = default_converter()

    def structure_action(value, _):
        return converter.structure(value, types.Command if isinstance(value.get("command"), str) else types.CodeAction)

    converter.register_structure_hook(types.Command | types.CodeAction, structure_action)
    return converter


def _identify(path):
    return types.TextDocumentIdentifier(path.as_uri())


def _make_initialize_params(folders, encodings, options):
    text, work = types.TextDocumentClientCapabilities, types.WorkspaceClientCapabilities
    file_watching = types.DidChangeWatchedFilesClientCapabilities(True, relative_pattern_support=True)
    capabilities = types.ClientCapabilities(
        general=types.GeneralClientCapabilities(position_encodings=encodings),
        text_document=text(
            publish_diagnostics=types.PublishDiagnosticsClientCapabilities(related_information=True),
        ),
        workspace=work(
            did_change_watched_files=file_watching,
            workspace_edit=types.WorkspaceEditClientCapabilities(document_changes=True),
        ),
    )
    workspace_folders = [types.WorkspaceFolder(folder.as_uri(), folder.name) for folder in folders]
    return types.InitializeParams(capabilities, workspace_folders=workspace_folders, **options)


def apply_edit(text, action):
    """Return a text after the edit of a code action, applied as an editor with UTF-16 positions does."""
    (edit,) = action.edit.document_changes[0].edits
    lines = text.split("\n")
    line = lines[edit.range.start.line].encode("utf-16-le")
    offset = edit.range.start.character * 2
    lines[edit.range.start.line] = (line[:offset] + edit.new_text.encode("utf-16-le") + line[offset:]).decode(
        "utf-16-le"
    )
    return "\n".join(lines)


@pytest.fixture(scope="session")
def editor(tmp_path_factory):
    """Yield one server for many tests, each of which has its own skill."""
    home = tmp_path_factory.mktemp("editor-home")
    folder = tmp_path_factory.mktemp("workspace")
    shared_editor = Editor(home, [folder])
    shared_editor.folder = folder
    yield shared_editor
    assert shared_editor.shut_down() == 0


@pytest.fixture
def project(editor, tmp_path):
    """Return a separate project for this test, in the workspace of the editor."""
    folder = editor.folder / tmp_path.name
    folder.mkdir()
    return folder
