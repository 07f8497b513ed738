"""Scan a unit with the unsaved text that the editor has of the unit and its project."""

import os
from collections.abc import Mapping
from contextlib import chdir
from functools import cached_property
from pathlib import Path

import msgspec
from pygls.workspace import PositionCodec

from actions.case import Case, Limited
from actions.session.transcript import Transcript
from actions.skill.paths import MAIN
from orchestrator.engine.cache import open_cache
from orchestrator.engine.recorded_sessions import read_sessions
from orchestrator.engine.rows import Row
from orchestrator.engine.scan import scan_unit
from orchestrator.engine.units import LoadedUnit, ScanOptions, read_unit, read_unit_in_project
from orchestrator.fs.project_root import REPOSITORY
from orchestrator.project.exclusion import Exclusions
from orchestrator.project.project_reader import MARKS
from orchestrator.project.projects import Projects
from orchestrator.project.unit_finder import LocatedUnit
from orchestrator.run.workspace.pending import add_note
from orchestrator.servers.lsp.positions import Text
from schemas.issues import Issue
from schemas.options import Options
from schemas.vocabulary import LOADED_KINDS, IssueStatus, UnitKind

_BYTE_ORDER_MARK = "\ufeff"


class OpenDocument(msgspec.Struct, frozen=True):
    """A file that is open in the editor."""

    text: str
    uri: str


class OpenUnit(msgspec.Struct, frozen=True):
    """A path that can be a unit, with the open files of the editor.

    path: the folder of a skill, or the file of another unit. Links in it are resolved. folder: the working directory
    for commands on the unit. documents: all open files of the editor, by path. Links in these paths are resolved.
    """

    path: Path
    folder: Path
    documents: Mapping[Path, OpenDocument]

    def exists(self) -> bool:
        """Return whether the file of the unit still exists."""
        return (self.path / MAIN if self.path.is_dir() else self.path).exists()

    def list_texts_below(self, root: Path) -> dict[str, str]:
        """Return the texts of the open files below the folder `root`, by their path relative to it."""
        inside = (path for path in self.documents if path.is_relative_to(root))
        return {path.relative_to(root).as_posix(): self.documents[path].text for path in inside}


class Snapshot(msgspec.Struct, frozen=True, dict=True):
    """A scanned unit.

    root: the folder that the paths in findings are relative to. For a skill it is the skill folder, for other units the
    root of the project. project: the root of the unit's project. unsaved: the paths of files whose text in the editor
    differs from the file on disk. hints: findings from recorded sessions that point to lines of the unit.
    """

    unit: OpenUnit
    root: Path
    project: Path
    case: Case
    row: Row
    unsaved: tuple[str, ...]
    codec: PositionCodec
    hints: tuple[Issue, ...] = ()

    @property
    def target(self) -> Path | LocatedUnit:
        """The unit as `start_run` expects it."""
        if self.case.skill.kind is UnitKind.SKILL:
            return self.unit.path
        return LocatedUnit(self.root, self.case.project, self.case.unit)

    @cached_property
    def issues(self) -> list[Issue]:
        """The findings that the editor shows: first those of the scan, worst first, then the hints."""
        return [*(issue for issue in self.row.open_issues if not issue.is_about_session), *self.hints]

    @cached_property
    def _texts(self) -> dict[str, Text]:
        return {}

    def has(self, path: str) -> bool:
        """Return whether the editor can show findings in the file at a path."""
        is_other = self.case.skill.kind is not UnitKind.SKILL
        return path in self.case.skill.by_path or (is_other and path in self.case.project.files)

    def text(self, path: str) -> Text:
        """Return the text of a file of the unit or, if the unit is not a skill, of a file of its project."""
        if path not in self._texts:
            file = self.case.skill.by_path.get(path)
            raw = b"" if file or not self.has(path) else self.case.project.read_bytes(path) or b""
            self._texts[path] = Text(file.text if file else raw.decode("utf-8", "replace"), self.codec)
        return self._texts[path]

    def uri(self, path: str) -> str:
        """Return the URI of a file. For an open file, this is the editor's URI."""
        document = self.unit.documents.get(self.root / path)
        return document.uri if document else (self.root / path).as_uri()

    def find_path(self, file: Path) -> str:
        """Return the path of a file relative to `root`, as in findings. Returns "" if the file is not below `root`.

        file: a path without links.
        """
        return file.relative_to(self.root).as_posix() if file.is_relative_to(self.root) else ""


class ProjectCache:
    """The projects of open files.

    The files of a project are listed again when a file is opened, saved, closed or changed.
    """

    def __init__(self) -> None:
        self._projects = Projects()
        self._sessions: dict[Path, tuple[Transcript, ...]] = {}

    def forget(self) -> None:
        """Forget the projects, so that their files are listed again."""
        self._projects = Projects()

    def forget_sessions(self, unit_path: Path) -> None:
        """Forget the sessions of a unit, so that they are read again when the unit is next opened."""
        self._sessions.pop(unit_path, None)

    def read_sessions(self, snapshot: Snapshot) -> bool:
        """Read the sessions that used a unit. Return whether some of them were not read before.

        The sessions are read once while the unit is open. Raises TuneSkillError or OSError if reading fails.
        """
        unit_path = snapshot.unit.path
        if unit_path in self._sessions or snapshot.case.skill.kind not in LOADED_KINDS:
            return False
        self._sessions[unit_path] = ()
        with chdir(snapshot.unit.folder):
            self._sessions[unit_path] = read_sessions(
                Options(sessions="discover"), snapshot.case, snapshot.root
            ).sessions
        return bool(self._sessions[unit_path])

    def _find_hints(self, read: LoadedUnit, row: Row, unit_path: Path) -> tuple[Issue, ...]:
        """Return the findings from a unit's sessions that point to its lines, or () if no sessions were read."""
        if not (sessions := self._sessions.get(unit_path)):
            return ()
        from orchestrator.engine.session_evidence import add_line_faults

        issues = add_line_faults(row.issues, read.case, sessions)
        return tuple(issue for issue in issues if issue.is_from_session and issue.status is IssueStatus.OPEN)

    def take_snapshot(self, unit: OpenUnit, codec: PositionCodec, time_limit: Limited) -> Snapshot | None:
        """Scan a unit in the same way as the command `diagnose`.

        Returns None if the settings exclude the unit, or if the path is a file that is not a unit. Raises
        TuneSkillError or OSError if the unit cannot be read.
        """
        projects, unit_path = self._projects, unit.path
        is_skill = unit_path.is_dir()
        project = projects.find_root(unit_path if is_skill else unit_path.parent)
        has_project = _has_project(project, unit_path)
        if not is_skill and not (_is_marked(project) and _find_unit(projects, project, unit_path)):
            return None
        if Exclusions().covers(unit_path):
            return None
        changes = {} if is_skill and not has_project else _list_changes(projects, project, unit)
        root = unit_path if is_skill else project
        with chdir(unit.folder):
            options = ScanOptions(
                cache=None if changes else open_cache(),
                time_limit=time_limit,
                projects=projects.with_files(project, changes) if has_project else Projects(),
            )
            read = _read_unit(unit, root, options)
            unsaved = read.unsaved if is_skill else tuple(path for path in read.case.skill.by_path if path in changes)
            row = add_note(scan_unit(read, options))
            hints = self._find_hints(read, row, unit_path)
            return Snapshot(unit, root, project, read.case, row, unsaved, codec, hints)


def _has_project(project: Path, unit_path: Path) -> bool:
    """Return whether a unit belongs to a project. The folder of a skill outside a repository does not."""
    return project != unit_path or os.path.lexists(project / ".git")


def _is_marked(folder: Path) -> bool:
    """Return whether a folder contains a mark of a project, for example `.git`.

    Only marked folders are listed, because an unmarked folder could be the user's home.
    """
    return any(os.path.lexists(folder / mark) for mark in (*REPOSITORY, *MARKS))


def _find_unit(projects: Projects, root: Path, file: Path) -> LocatedUnit | None:
    """Return the unit of a project whose file is `file`, unless it is a skill. None if the file is not a unit."""
    others = (located for located in projects.list_units(root) if located.unit.kind is not UnitKind.SKILL)
    return next((located for located in others if located.path == file), None)


def _list_changes(projects: Projects, root: Path, unit: OpenUnit) -> dict[str, bytes]:
    """Return the new content of the open files of a project whose text differs from the file on disk, by path."""
    project = projects.read(root)
    open_texts = unit.list_texts_below(root)
    texts = {path: text for path, text in open_texts.items() if path in project.files and "\0" not in text}
    raw = {path: text.encode("utf-8", "replace") for path, text in texts.items()}
    bom = _BYTE_ORDER_MARK.encode()
    return {path: new for path, new in raw.items() if (project.read_bytes(path) or b"").removeprefix(bom) != new}


def _read_unit(unit: OpenUnit, root: Path, options: ScanOptions) -> LoadedUnit:
    if root == unit.path:
        return read_unit(root, options, unit.list_texts_below(root))
    return read_unit_in_project(root, unit.path.relative_to(root).as_posix(), options)
