"""Read a repository as a `Project`: its tracked and unignored files. Without git, a limited walk finds the files."""

import os
import stat
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from functools import cache, partial
from pathlib import Path

from actions.project.links import resolve_links
from actions.project.plugins import MANIFEST, MARKETPLACE
from actions.project.project import Project, ProjectFile
from actions.skill.paths import find_loading_folder
from orchestrator.errors import BadInput
from orchestrator.fs import nofollow
from orchestrator.fs.git import ask_git, find_working_tree
from orchestrator.fs.project_root import is_foreign
from orchestrator.fs.walk import walk_folders
from orchestrator.project.ignore_files import build_matcher
from orchestrator.project.outside_skill import LEFT_OUT, select_folders

MAX_FILES = 50_000
"""Maximum number of files of a project. Markdown and JSON files come first, because units are of these types."""
_MAX_BYTES = 8_000_000
"""Maximum size of a file that is read."""
_UNTRACKED_PREFIX = b"? "
_IS_WINDOWS = os.name == "nt"
MARKS = (".claude", MANIFEST, MARKETPLACE)
"""The files and folders that mark a project without git."""


def find_project_folder(path: Path) -> Path:
    """Return the root of the project around a path.

    This is the root of its git repository. Without git it is the outermost folder that contains one of MARKS, or
    else the path itself. A repository at the home folder is ignored unless the path is the home folder: otherwise a
    model could look up all of the user's files.
    """
    folder = path if path.is_dir() else path.parent
    real, home = folder.resolve(), Path(os.environ.get("HOME", "/")).resolve()
    with suppress(BadInput):
        tree = find_working_tree(folder)
        if tree == real or tree.resolve() != home:
            return tree
    marked = (
        parent for parent in (real, *real.parents) if parent != home and any((parent / mark).exists() for mark in MARKS)
    )
    own = [parent for parent in marked if not is_foreign(str(parent), str(real))]
    return own[-1] if own else real


def read_project(root: Path) -> Project:
    """Return the project at `root`. Its files are listed now and read on demand. Links are not followed.

    A link to a listed file is known by its text, so that a unit behind it is read at the path of the file.
    """
    ignored, is_listed = frozenset[str](), True
    try:
        names, ignored = _list_files(root), _list_ignored(root)
    except BadInput:  # not a repository, or git failed
        names, is_listed = dict.fromkeys(_walk(root)), not os.path.lexists(root / ".git")
    listed = sorted((name for name in names if not _is_vendored(name)), key=_get_sort_key)
    entries = ((name, _stat(f"{root}/{name}")) for name in sorted(listed[:MAX_FILES]))
    infos = {name: info for name, info in entries if info and stat.S_ISREG(info.st_mode) and name.isprintable()}
    modes = {name: names[name] or _is_executable(info) for name, info in infos.items()}
    if any(modes[name] and names[name] is False for name in infos) and _ignores_modes(root):
        modes |= {name: is_executable for name in infos if (is_executable := names[name]) is not None}
    files = {name: ProjectFile(name, info.st_size, modes[name], info.st_mtime_ns) for name, info in infos.items()}

    is_project = cache(nofollow.is_project)

    def read(path: str) -> bytes | None:
        return _read(f"{root}/{path}", is_project) if files[path].size <= _MAX_BYTES else None

    unlisted = max(0, len(listed) - MAX_FILES)
    unread = frozenset(names.keys() - files.keys())
    links = resolve_links(dict(_read_links(root, unread)), files)
    return Project(root.name, files, read, ignored, unread, is_listed, unlisted, _match_ignored(files, read), links)


def _read_links(root: Path, names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield each link among the paths that may be a unit, with its text. The links are read, but not followed."""
    for name in names:
        with suppress(OSError):
            if name.endswith(".md") and name.isprintable():
                yield name, str(Path(root, name).readlink())


def _match_ignored(names: Collection[str], read: Callable[[str], bytes | None]) -> Callable[[str], bool]:
    """Return the matcher of the .gitignore files, which is built at the first use."""
    build = cache(partial(build_matcher, names, read))
    return lambda path: build()(path)


def _list_files(root: Path) -> dict[str, bool | None]:
    """Return the files of a repository, with whether git's index marks them as executable (None: untracked)."""
    listed = ask_git(root, "ls-files", "-t", "--stage", "--cached", "--others", "--exclude-standard", "-z").split(b"\0")
    tracked = (entry.partition(b"\t") for entry in listed if entry and not entry.startswith(_UNTRACKED_PREFIX))
    others = (entry.removeprefix(_UNTRACKED_PREFIX) for entry in listed if entry.startswith(_UNTRACKED_PREFIX))
    modes = {os.fsdecode(name): fields.split()[1] == b"100755" for fields, _, name in tracked}
    return modes | {os.fsdecode(name): None for name in others}


def _list_ignored(root: Path) -> frozenset[str]:
    listed = ask_git(root, "ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z")
    return frozenset(os.fsdecode(name).rstrip("/") for name in listed.split(b"\0") if name)


def _ignores_modes(root: Path) -> bool:
    """Return whether git ignores file modes on disk, so that the modes in its index must be used."""
    try:
        return ask_git(root, "config", "--type=bool", "--default=true", "core.fileMode").strip() == b"false"
    except BadInput:
        return False


def _walk(root: Path) -> Iterator[str]:
    """Yield the paths of files below a folder, at most MAX_FILES + 1.

    Skips vendored folders and does not follow links.
    """
    count, start = 0, len(str(root))
    for parent, folders, names in walk_folders(root):
        folders[:] = select_folders(parent, folders)
        for name in (*names, *(name for name in folders if os.path.islink(f"{parent}/{name}"))):  # noqa: PTH114 - Path is slow
            count += 1
            if count > MAX_FILES + 1:  # the additional file shows that the limit is exceeded
                return
            yield f"{parent}/{name}"[start:].lstrip("/")  # `relpath` would double the time of the walk


def _get_sort_key(name: str) -> tuple[bool, str]:
    """Return the sort key of a file, by which files that can be units come first."""
    return not name.endswith((".md", ".json")), name


def _is_vendored(name: str) -> bool:
    return not LEFT_OUT.isdisjoint(name.split("/")) and find_loading_folder(name) is None


def _is_executable(info: os.stat_result) -> bool:
    return _IS_WINDOWS or bool(info.st_mode & stat.S_IXUSR)


def _stat(path: str) -> os.stat_result | None:
    try:
        return os.lstat(path)
    except OSError:
        return None


def _read(path: str, is_project: Callable[[str], bool]) -> bytes | None:
    """Return the beginning of a file, at most _MAX_BYTES, or None if the file cannot be read.

    is_project: a cached function that returns whether a folder is a project.
    """
    try:
        with os.fdopen(nofollow.open_file(path, os.O_RDONLY, is_project=is_project), "rb") as file:
            return file.read(min(os.fstat(file.fileno()).st_size, _MAX_BYTES))  # `read` allocates the requested size
    except OSError:
        return None
