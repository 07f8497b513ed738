"""Read the files that a task or a prompt brings into the project of its run, and refuse those that Claude Code obeys.

Claude Code runs the hooks and the `apiKeyHelper` of a project's settings without asking, and calls git there, which
runs what the configuration of a repository names. Only `setup`, which needs consent, may write such files.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from orchestrator.errors import BadInput, Refused
from orchestrator.fs import nofollow
from orchestrator.fs.paths import real, resolve_inside
from orchestrator.tuning.trial.formats import Source

_MAX_FILE, _MAX_NAME, _MAX_PATH = 10_000_000, 255, 1_000
"""Limits in bytes: of a file, of a name that file systems allow, and of a path."""

_OBEYED_ANYWHERE = frozenset({".claude", ".mcp.json"})
_OBEYED_NAME = "head"
"""`HEAD` makes the folder around it a bare repository of git."""


def ensure_inside(source: Source, file: str, pointer: str) -> None:
    """Raise BadInput, with the line, for a path that leads out of the folder of the tasks."""
    try:
        resolve_inside(real(source.root), file)
    except Refused:
        raise BadInput(f"{source.locate(pointer)}: {file!r} is outside the folder; give a file inside it") from None


def read_files(source: Source, names: Sequence[str], pointer: str) -> tuple[tuple[str, bytes], ...]:
    """Return the name (without folders) and bytes of each file that a task or a prompt names. Raises BadInput."""
    files = tuple(_read_file(source, name, f"{pointer}/files/{n}") for n, name in enumerate(names))
    if len({name for name, _ in files}) < len(files):
        raise BadInput(
            f"{source.locate(f'{pointer}/files')}: two files with the same name are copied to one folder; rename one"
        )
    return files


def read_project(source: Source, value: Mapping[str, Any], pointer: str) -> Iterator[tuple[str, bytes]]:
    """Yield path and content of the files that the task itself contains. Raises BadInput."""
    for path, text in value.get("project", {}).items():
        ensure_inside(source, path, f"{pointer}/project")
        _ensure_harmless(source, path, f"{pointer}/project")
        yield path, text.encode()


def ensure_separate(source: Source, paths: Iterable[str], pointer: str) -> None:
    """Raise BadInput, with the line, for a path that is a file and a folder, on some file systems at least."""
    names = {path.casefold() for path in paths}
    for name in names:
        for parent in PurePosixPath(name).parents:
            if str(parent) in names:
                raise BadInput(f"{source.locate(pointer)}: {str(parent)!r} is a file and a folder; rename one")


def _read_file(source: Source, file: str, pointer: str) -> tuple[str, bytes]:
    ensure_inside(source, file, pointer)
    _ensure_harmless(source, Path(file).name, pointer)
    try:
        return Path(file).name, nofollow.read(str(resolve_inside(real(source.root), file)), _MAX_FILE)
    except OSError as error:
        raise BadInput(f"{source.locate(pointer)}: {file}: {error.strerror}; put the file there") from None


def _ensure_harmless(source: Source, path: str, pointer: str) -> None:
    """Raise BadInput, with the line, for a path that is too long, or that Claude Code or git would obey."""
    parts = path.casefold().split("/")
    if len(path.encode()) > _MAX_PATH or any(len(part.encode()) > _MAX_NAME for part in path.split("/")):
        raise BadInput(f"{source.locate(pointer)}: {path[:40]!r}… is too long for a file name; shorten it")
    if not _OBEYED_ANYWHERE.isdisjoint(parts) or parts[-1] == _OBEYED_NAME:
        raise BadInput(
            f"{source.locate(pointer)}: {path!r} can start commands in a run; write it in `setup`, which needs consent"
        )
