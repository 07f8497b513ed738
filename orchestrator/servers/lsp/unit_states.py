"""Store the last snapshot of each unit with open files, and find the units that a file belongs to."""

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
"""The extensions of files that can be units other than skills."""

DiagnosticsByUri = dict[str, list[types.Diagnostic]]
"""Diagnostics by URI."""


def parse_uri(uri: str) -> Path | None:
    """Return the path of a file URI. Returns None for other URIs, for example of a new buffer or of a git revision."""
    try:
        parts = urlsplit(uri)
        path = os.fsdecode(unquote_to_bytes(parts.path)) if parts.scheme == "file" else ""
    except ValueError:  # a lone surrogate, or an invalid host
        return None
    return Path(path) if path.startswith("/") and "\0" not in path else None


def parse_real_uri(uri: str) -> Path | None:
    """Return the path of a file URI without links. Returns None for other URIs."""
    path = parse_uri(uri)
    return Path(os.path.realpath(path)) if path else None


class UnitStates:
    """The last snapshot, diagnostics and notes of each unit, by the path of the unit.

    paths: the paths of all units that have had an open file.
    """

    def __init__(self) -> None:
        self.paths: set[Path] = set()
        self.snapshots: dict[Path, Snapshot] = {}
        self.notes: dict[Path, tuple[str, ...]] = {}
        self._shown: dict[Path, DiagnosticsByUri] = {}
        self._scan_numbers: dict[Path, int] = {}

    def begin_scan(self, unit_path: Path) -> int:
        """Begin a scan of a unit and return the number of this scan."""
        self._scan_numbers[unit_path] = self._scan_numbers.get(unit_path, 0) + 1
        return self._scan_numbers[unit_path]

    def is_latest_scan(self, unit_path: Path, number: int) -> bool:
        """Return whether no later scan has been requested for the unit."""
        return self._scan_numbers.get(unit_path) == number

    def update_shown(self, unit_path: Path, shown: DiagnosticsByUri) -> DiagnosticsByUri:
        """Replace the diagnostics of a unit. Return all diagnostics to publish, by file.

        A file is included if it had diagnostics of the unit before or has some now. The diagnostics of its other
        units are included, because a file can be part of a skill and also a unit itself.
        """
        changed = sorted(self._shown.get(unit_path, {}).keys() | shown.keys())
        self._shown[unit_path] = shown
        return {
            uri: [diagnostic for by_uri in self._shown.values() for diagnostic in by_uri.get(uri, ())]
            for uri in changed
        }

    def update_notes(self, unit_path: Path, notes: tuple[str, ...]) -> tuple[str, ...]:
        """Replace the notes on a unit. Returns the notes that the unit did not have before."""
        before, self.notes[unit_path] = self.notes.get(unit_path, ()), notes
        return tuple(note for note in notes if note not in before)

    def has_note(self, note: str) -> bool:
        """Return whether a unit already has this note, which then need not be shown again."""
        return any(note in notes for notes in self.notes.values())

    def find_snapshots(self, file: Path | None) -> list[tuple[Snapshot, str]]:
        """Return the last snapshots of the units to which a file belongs, each with the file's path in the unit."""
        if file is None:
            return []
        real = Path(os.path.realpath(file))
        found = (snapshot for unit_path in find_unit_paths(file) if (snapshot := self.snapshots.get(unit_path)))
        return [(snapshot, snapshot.find_path(real)) for snapshot in found]

    def list_neighbours(self, files: list[Path]) -> list[Path]:
        """Return the units whose project contains one of the files. files: paths without links."""
        snapshots = self.snapshots.items()
        return [path for path, snapshot in snapshots if any(file.is_relative_to(snapshot.project) for file in files)]


def find_unit_paths(file: Path) -> list[Path]:
    """Return the paths of the units that a file can belong to: a skill (by its folder) and the file itself."""
    paths: list[Path] = []
    real = Path(os.path.realpath(file))
    with suppress(TuneSkillError, OSError):  # a link leads out of the project
        if skill := find_skill_above(file):
            paths.append(Path(os.path.realpath(skill)))
    is_main = bool(paths) and real == paths[0] / MAIN
    if real.suffix in _SUFFIXES and not is_main:
        paths.append(real)
    return paths


def read_open_unit(workspace: Workspace, unit_path: Path) -> OpenUnit:
    """Return the unit at a path, with the text of all files that are open in the editor."""
    documents = {}
    for document in list(workspace.text_documents.values()):  # another thread may open a file
        if path := parse_real_uri(document.uri):
            documents[path] = OpenDocument(document.source.lstrip("\ufeff"), document.uri)
    return OpenUnit(unit_path, _find_working_directory(workspace, unit_path), documents)


def list_unsaved_files(workspace: Workspace, unit_path: Path) -> list[str]:
    """Return the names of the open files of a unit whose text in the editor differs from the file on disk now."""
    documents = read_open_unit(workspace, unit_path).documents
    below = sorted(path for path in documents if path.is_relative_to(unit_path))
    unsaved = (path for path in below if _read_text(path) != documents[path].text)
    return [path.name if path == unit_path else path.relative_to(unit_path).as_posix() for path in unsaved]


def _read_text(path: Path) -> str | None:
    """Return the text of a file without a byte order mark, or None if it cannot be read."""
    try:
        return path.read_bytes().decode().lstrip("\ufeff")
    except (OSError, UnicodeDecodeError):
        return None


def _find_working_directory(workspace: Workspace, unit_path: Path) -> Path:
    """Return the working directory for commands on a unit.

    This is the workspace folder that contains the unit, or else the root of its repository, or else its parent
    folder.
    """
    containing = [folder for folder in _list_folders(workspace) if unit_path.is_relative_to(folder)]
    if containing:
        return max(containing, key=lambda folder: len(folder.parts))
    return Path(find_marked_folder(str(unit_path.parent), REPOSITORY) or unit_path.parent)


def _list_folders(workspace: Workspace) -> Iterator[Path]:
    for uri in (*(folder.uri for folder in workspace.folders.values()), workspace.root_uri):
        path = parse_real_uri(uri) if uri else None
        if path:
            yield path
