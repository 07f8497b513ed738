"""Track the skills with open files, and the last snapshot of each."""

import os
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote_to_bytes, urlsplit

from pygls.workspace import Workspace

from orchestrator.fs.project_root import REPOSITORY, find_marked_folder
from orchestrator.project.skill_finder import find_skill_above
from orchestrator.servers.lsp.snapshot import OpenSkill, Snapshot


def path_of(uri: str) -> Path | None:
    """Return the file of a URI; None if it names no file, such as a new buffer or an old version from git."""
    parts = urlsplit(uri)
    path = os.fsdecode(unquote_to_bytes(parts.path)) if parts.scheme == "file" else ""
    return Path(path) if path.startswith("/") and "\0" not in path else None


class OpenBuffers:
    """The skills with files that are or were open; `published` holds URIs with diagnostics, `notes` the last notes."""

    def __init__(self) -> None:
        self.known: set[Path] = set()
        self.snapshots: dict[Path, Snapshot] = {}
        self.published: dict[Path, set[str]] = {}
        self.notes: dict[Path, tuple[str, ...]] = {}
        self._turns: dict[Path, int] = {}

    def next_turn(self, root: Path) -> int:
        """Return the number of a new scan of a skill."""
        self._turns[root] = self._turns.get(root, 0) + 1
        return self._turns[root]

    def is_turn(self, root: Path, turn: int) -> bool:
        """Return whether no later scan of a skill was requested."""
        return self._turns.get(root) == turn

    def update_notes(self, root: Path, notes: tuple[str, ...]) -> tuple[str, ...]:
        """Replace the notes on a skill; return those that are new."""
        before, self.notes[root] = self.notes.get(root, ()), notes
        return tuple(note for note in notes if note not in before)

    def has_note(self, note: str) -> bool:
        """Return whether any skill has a note, so that a shared one is shown once."""
        return any(note in notes for notes in self.notes.values())


def find_root(uri: str) -> Path | None:
    """Return the real folder of the skill that holds a file; None if none does. Raises BadInput for a link out."""
    path = path_of(uri)
    if path is None:
        return None
    found = find_skill_above(path)
    return Path(os.path.realpath(found)) if found else None


def read_buffers(workspace: Workspace, root: Path) -> OpenSkill:
    """Return a skill with its open files."""
    texts, uris = {}, {}
    for document in workspace.text_documents.values():
        name = path_in(root, document.uri)
        if name:
            texts[name], uris[name] = document.source.lstrip("\ufeff"), document.uri
    return OpenSkill(root, _find_project(workspace, root), texts, uris)


def path_in(root: Path, uri: str) -> str:
    """Return the path of a file in a skill; "" if the file is outside."""
    path = path_of(uri)
    real = Path(os.path.realpath(path)) if path else None
    return real.relative_to(root).as_posix() if real and real.is_relative_to(root) else ""


def _find_project(workspace: Workspace, root: Path) -> Path:
    """Return where a command would run for a skill: its workspace folder, else its repository, else its parent."""
    around = [folder for folder in _folders(workspace) if root.is_relative_to(folder)]
    if around:
        return max(around, key=lambda folder: len(folder.parts))
    return Path(find_marked_folder(str(root.parent), REPOSITORY) or root.parent)


def _folders(workspace: Workspace) -> Iterator[Path]:
    for uri in (*(folder.uri for folder in workspace.folders.values()), workspace.root_uri):
        path = path_of(uri) if uri else None
        if path:
            yield Path(os.path.realpath(path))
