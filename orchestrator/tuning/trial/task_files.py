"""Read the files that a task or a prompt adds to the project of its run. Rejects files that can start commands.

Claude Code runs the hooks and the `apiKeyHelper` in a project's settings without asking. It also calls git there,
which runs the commands in a repository's configuration. Only a task's `setup`, which needs consent, can write such
files.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from orchestrator.errors import BadInput, Refused
from orchestrator.fs import nofollow
from orchestrator.fs.paths import resolve_inside, resolve_links
from orchestrator.tuning.trial.formats import Source

_MAX_FILE, _MAX_NAME, _MAX_PATH = 10_000_000, 255, 1_000
"""Limits in bytes: of the content of a file, of its name (which file systems limit too), and of its path."""

_UNSAFE_COMPONENTS = frozenset({".claude", ".mcp.json"})
_BARE_REPOSITORY_FILE = "head"
"""The lower-case name of the file that makes its folder a bare git repository."""


def ensure_inside(source: Source, file: str, pointer: str) -> None:
    """Raise BadInput, with the line number, if a path leads out of the folder of the tasks."""
    try:
        resolve_inside(resolve_links(source.root), file)
    except Refused:
        raise BadInput(f"{source.locate(pointer)}: {file!r} is outside the folder; name a file inside it") from None


def read_files(source: Source, names: Sequence[str], pointer: str) -> tuple[tuple[str, bytes], ...]:
    """Return the name (without folders) and the bytes of each file of a task or a prompt.

    Raises BadInput if a file cannot be read or is not allowed.
    """
    files = tuple(_read_file(source, name, f"{pointer}/files/{n}") for n, name in enumerate(names))
    if len({name for name, _ in files}) < len(files):
        raise BadInput(
            f"{source.locate(f'{pointer}/files')}: two files with the same name are copied to one folder; rename one"
        )
    return files


def read_project(source: Source, value: Mapping[str, Any], pointer: str) -> Iterator[tuple[str, bytes]]:
    """Yield the path and the content of the files in the task's own text. Raises BadInput for an invalid path."""
    for path, text in value.get("project", {}).items():
        ensure_inside(source, path, f"{pointer}/project")
        _ensure_harmless(source, path, f"{pointer}/project")
        yield path, text.encode()


def ensure_separate(source: Source, paths: Iterable[str], pointer: str) -> None:
    """Raise BadInput if a path would be both a file and a folder, ignoring case.

    Some file systems also ignore case.
    """
    names = {path.casefold() for path in paths}
    for name in names:
        for parent in PurePosixPath(name).parents:
            if str(parent) in names:
                raise BadInput(f"{source.locate(pointer)}: {str(parent)!r} is both a file and a folder; rename one")


def _read_file(source: Source, file: str, pointer: str) -> tuple[str, bytes]:
    ensure_inside(source, file, pointer)
    _ensure_harmless(source, Path(file).name, pointer)
    try:
        return Path(file).name, nofollow.read(str(resolve_inside(resolve_links(source.root), file)), _MAX_FILE)
    except OSError as error:
        raise BadInput(f"{source.locate(pointer)}: {file}: {error.strerror}; add the file") from None


def _ensure_harmless(source: Source, path: str, pointer: str) -> None:
    """Raise BadInput if a path is too long, or if Claude Code or git would run commands from the file."""
    parts = path.casefold().split("/")
    if len(path.encode()) > _MAX_PATH or any(len(part.encode()) > _MAX_NAME for part in path.split("/")):
        raise BadInput(f"{source.locate(pointer)}: {path[:40]!r}… is too long for a file name; shorten it")
    if not _UNSAFE_COMPONENTS.isdisjoint(parts) or parts[-1] == _BARE_REPOSITORY_FILE:
        raise BadInput(
            f"{source.locate(pointer)}: {path!r} can start commands in a run; write it in `setup`, which needs consent"
        )
