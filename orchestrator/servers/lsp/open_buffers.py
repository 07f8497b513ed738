"""Track the units with open files, and the last snapshot of each."""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import unquote_to_bytes, urlsplit

from lsprotocol import types
from pygls.workspace import Workspace

from actions.skill.paths import MAIN
from orchestrator.errors import TuneSkillError
from orchestrator.fs.project_root import REPOSITORY, find_marked_folder
from orchestrator.project.skill_finder import find_skill_above
from orchestrator.servers.lsp.snapshot import OpenDocument, OpenUnit, Snapshot

_SUFFIXES = (".md", ".json")
"""The extensions of the files of units other than skills."""

Shown = dict[str, list[types.Diagnostic]]
"""Diagnostics by URI."""


def path_of(uri: str) -> Path | None:
    """Return the file of a URI; None if it names no file, such as a new buffer or an old version from git."""
    parts = urlsplit(uri)
    path = os.fsdecode(unquote_to_bytes(parts.path)) if parts.scheme == "file" else ""
    return Path(path) if path.startswith("/") and "\0" not in path else None


def real_path_of(uri: str) -> Path | None:
    """Return the real file of a URI; None if it names no file."""
    path = path_of(uri)
    return Path(os.path.realpath(path)) if path else None


class OpenBuffers:
    """The units with files that are or were open, by their places; `notes` holds the last notes on each."""

    def __init__(self) -> None:
        self.known: set[Path] = set()
        self.snapshots: dict[Path, Snapshot] = {}
        self.notes: dict[Path, tuple[str, ...]] = {}
        self._shown: dict[Path, Shown] = {}
        self._turns: dict[Path, int] = {}

    def begin_scan(self, place: Path) -> int:
        """Begin a scan of a unit; return its number."""
        self._turns[place] = self._turns.get(place, 0) + 1
        return self._turns[place]

    def is_latest_scan(self, place: Path, turn: int) -> bool:
        """Return whether no later scan of a unit was requested."""
        return self._turns.get(place) == turn

    def update_shown(self, place: Path, shown: Shown) -> Shown:
        """Replace the diagnostics of a unit; return all those of the files that had or have some.

        A file may belong to a skill and be a unit of its own.
        """
        changed = sorted(self._shown.get(place, {}).keys() | shown.keys())
        self._shown[place] = shown
        return {uri: [one for unit in self._shown.values() for one in unit.get(uri, ())] for uri in changed}

    def update_notes(self, place: Path, notes: tuple[str, ...]) -> tuple[str, ...]:
        """Replace the notes on a unit; return those that are new."""
        before, self.notes[place] = self.notes.get(place, ()), notes
        return tuple(note for note in notes if note not in before)

    def has_note(self, note: str) -> bool:
        """Return whether any unit has a note, so that a shared one is shown once."""
        return any(note in notes for notes in self.notes.values())

    def find_snapshots(self, file: Path | None) -> list[tuple[Snapshot, str]]:
        """Return the last snapshots of the units that a file belongs to, each with its path for the file."""
        if file is None:
            return []
        real = Path(os.path.realpath(file))
        found = (seen for place in find_places(file) if (seen := self.snapshots.get(place)))
        return [(seen, seen.find_path(real)) for seen in found]

    def list_neighbours(self, files: list[Path]) -> list[Path]:
        """Return the units in whose project one of the real files is."""
        scanned = self.snapshots.items()
        return [place for place, seen in scanned if any(file.is_relative_to(seen.project) for file in files)]


def find_places(file: Path) -> list[Path]:
    """Return the places of the units that a file may belong to: the folder of its skill, and the real file itself."""
    found: list[Path] = []
    with suppress(TuneSkillError, OSError):  # a skill that is reached by a link out of its project
        skill = find_skill_above(file)
        found += [Path(os.path.realpath(skill))] if skill else []
    real = Path(os.path.realpath(file))
    is_main = bool(found) and real == found[0] / MAIN
    return [*found, *([real] if real.suffix in _SUFFIXES and not is_main else [])]


def read_buffers(workspace: Workspace, place: Path) -> OpenUnit:
    """Return a unit with all open files."""
    documents = {}
    for document in workspace.text_documents.values():
        if path := real_path_of(document.uri):
            documents[path] = OpenDocument(document.source.lstrip("\ufeff"), document.uri)
    return OpenUnit(place, _find_project(workspace, place), documents)


def _find_project(workspace: Workspace, place: Path) -> Path:
    """Return where a command would run for a unit: its workspace folder, else its repository, else its parent."""
    around = [folder for folder in _folders(workspace) if place.is_relative_to(folder)]
    if around:
        return max(around, key=lambda folder: len(folder.parts))
    return Path(find_marked_folder(str(place.parent), REPOSITORY) or place.parent)


def _folders(workspace: Workspace) -> Iterator[Path]:
    for uri in (*(folder.uri for folder in workspace.folders.values()), workspace.root_uri):
        path = real_path_of(uri) if uri else None
        if path:
            yield path
