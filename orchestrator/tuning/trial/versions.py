"""Read a version of a skill for a trial, from a folder, a backup or a git commit."""

import hashlib
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import msgspec

from actions.skill.paths import MARKDOWN
from actions.skill.skill import MAIN
from orchestrator.errors import BadInput
from orchestrator.fs import nofollow
from orchestrator.fs.disk import wrap_os_errors
from orchestrator.fs.git import ask_git, find_commit, find_working_tree
from orchestrator.fs.home import parse_path
from orchestrator.fs.own_folders import read_trusted_skill
from orchestrator.fs.walk import walk_folders

_MAX_FILES, _MAX_BYTES = 10_000, 200_000_000
TASKS_FOLDER = "evals"
"""The folder of a skill with its tasks."""
_IGNORED_FOLDERS = frozenset({".git", "__pycache__", "node_modules", ".venv"})
_FORBIDDEN_COMPONENTS = frozenset({"", ".", "..", ".git"})
"""Path components that are refused. A git tree can contain them, but they lead out of the folder or control git."""
_MAX_COMPONENT, _MAX_PATH = 255, 2000
"""Maximum number of bytes of a path component, and of a path. Linux allows 4,096, including the trial's folder."""
_LINK_MODE, _SUBMODULE_MODE = b"120000", b"160000"


class VersionFile(NamedTuple):
    """A file of a version. path: relative to the skill."""

    path: str
    data: bytes
    is_executable: bool


class Version(msgspec.Struct, frozen=True):
    """One version of a skill: its name, and its files, sorted by path."""

    name: str
    files: tuple[VersionFile, ...]

    @property
    def digest(self) -> str:
        """The digest of all files."""
        digest = hashlib.sha256()
        for path, data, executable in self.files:
            digest.update(
                f"{path}\0{executable}\0{hashlib.sha256(data).hexdigest()}\n".encode("utf-8", "surrogateescape")
            )
        return digest.hexdigest()

    @property
    def text_digest(self) -> str:
        """The digest of all files except the tasks in `evals/`, which change nothing of what the skill does."""
        files = tuple(file for file in self.files if not file.path.startswith(f"{TASKS_FOLDER}/"))
        return msgspec.structs.replace(self, files=files).digest

    @property
    def program_digests(self) -> dict[str, str]:
        """The digests, by path, of all files except Markdown, because a command could start any of them."""
        files = ((path, data) for path, data, _ in self.files if not path.lower().endswith(MARKDOWN))
        return {path: hashlib.sha256(data).hexdigest() for path, data in files}

    @property
    def main(self) -> bytes:
        """The SKILL.md of this version."""
        return next(data for path, data, _ in self.files if path == MAIN)

    def write(self, folder: Path) -> None:
        """Write the files into a new folder.

        Raises BadInput if two paths conflict, and WriteFailed if a file cannot be written.
        """
        with wrap_os_errors(f"cannot write {self.name} of the skill into {folder}"):
            folder.mkdir(parents=True)
            for path, data, executable in self.files:
                self._write(folder, path, data, 0o755 if executable else 0o644)

    def _write(self, folder: Path, path: str, data: bytes, mode: int) -> None:
        file = folder / path
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            with file.open("xb") as new:
                new.write(data)
            file.chmod(mode)
        except (FileExistsError, NotADirectoryError):
            raise BadInput(f"{self.name}: duplicate path {path}; choose another version of the skill") from None


def read_version(folder: Path, name: str) -> Version:
    """Read the version in a folder. Skips links and unreadable files. Raises BadInput if there is no SKILL.md."""
    files, size = list[VersionFile](), 0
    for path in _list_files(folder):
        with suppress(OSError):
            mode = path.lstat().st_mode
            data = nofollow.read(str(path), _MAX_BYTES)
            size += len(data)
            files.append(VersionFile(path.relative_to(folder).as_posix(), data, bool(mode & stat.S_IXUSR)))
        _ensure_within_limits(len(files), size, folder)
    return _build_version(name, files)


def find_version(skill: Path, against: str, runs: Sequence[Path] = ()) -> Version:
    """Read the version that the option `--against` names: `before`, a folder, or a commit.

    `before` is the backup of the newest run that tuned the skill. runs: the work dirs of this user's runs in the
    project. Raises BadInput if there is no such version.
    """
    if against == "before":
        return read_version(find_backup_run(skill, runs) / "backup", "before")
    if os.path.lexists(against) or against.startswith(("~", "/", "./", "../")):
        folder = parse_path(against)
        if not folder.is_dir():
            raise BadInput(f"--against {against}: no such folder; specify a folder, a commit, or `before`")
        return read_version(folder, against)
    return _read_commit(skill, against)


def find_backup_run(skill: Path, runs: Sequence[Path]) -> Path:
    """Return the work dir of the newest run that tuned the skill. Raises BadInput if there is none in `runs`."""
    for run in reversed(runs):
        if read_trusted_skill(run) == str(skill.resolve()) and (run / "backup" / MAIN).is_file():
            return run
    raise BadInput(
        f"--against before: no run of yours in this project has a backup of {skill.name}; specify a commit or a folder"
    )


def _list_files(folder: Path) -> Iterator[Path]:
    for parent, folders, names in walk_folders(folder):
        folders[:] = sorted(set(folders) - _IGNORED_FOLDERS)
        for name in sorted(names):
            path = Path(parent) / name
            with suppress(OSError):
                if stat.S_ISREG(path.lstat().st_mode):
                    yield path


def _read_commit(skill: Path, rev: str) -> Version:
    root = skill.resolve()
    try:
        top = find_working_tree(root)
    except BadInput as error:
        raise BadInput(f"--against {rev}: no such folder, and no commit: {error}") from None
    commit = find_commit(top, rev)
    if commit is None:
        raise BadInput(f"--against {rev}: no such folder, and unknown commit in {top}; name another")
    inner = root.relative_to(top).as_posix()
    tree = f"{commit}:" if inner == "." else f"{commit}:{inner}"
    entries = list(_list_entries(ask_git(top, "ls-tree", "-r", "-z", "--end-of-options", tree), rev))
    _ensure_within_limits(len(entries), 0, root)  # before git is started for each file
    files, size = list[VersionFile](), 0
    for path, blob, executable in entries:
        data = ask_git(top, "cat-file", "blob", blob)
        size += len(data)
        files.append(VersionFile(path, data, executable))
        _ensure_within_limits(len(files), size, root)
    return _build_version(rev, files)


def _list_entries(output: bytes, rev: str) -> Iterator[tuple[str, str, bool]]:
    """Yield each file in the output of `git ls-tree`: path, blob, and whether it is executable.

    Raises BadInput if a path is invalid or too long.
    """
    for entry in filter(None, output.split(b"\0")):
        fields, _, name = entry.partition(b"\t")
        mode, _, blob = fields.split()
        parts = os.fsdecode(name).split("/")
        if not _FORBIDDEN_COMPONENTS.isdisjoint(part.lower() for part in parts):
            raise BadInput(f"--against {rev}: invalid path {'/'.join(parts)!r} in the commit; name another")
        if len(name) > _MAX_PATH or max(map(len, name.split(b"/"))) > _MAX_COMPONENT:
            raise BadInput(f"--against {rev}: the path {'/'.join(parts)[:40]!r}… is too long; name another")
        if mode not in (_LINK_MODE, _SUBMODULE_MODE) and _IGNORED_FOLDERS.isdisjoint(parts):
            yield "/".join(parts), blob.decode(), mode == b"100755"


def _ensure_within_limits(files: int, size: int, folder: Path) -> None:
    if files > _MAX_FILES or size > _MAX_BYTES:
        limits = f"{_MAX_FILES:,} files or {_MAX_BYTES // 1_000_000} MB"
        raise BadInput(f"{folder}: more than {limits}; remove files that are not needed")


def _build_version(name: str, files: list[VersionFile]) -> Version:
    if not any(file.path == MAIN for file in files):
        raise BadInput(f"{name}: no {MAIN} found; name another version of the skill")
    return Version(name, tuple(sorted(files)))
