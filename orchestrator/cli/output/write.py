"""Write a result to the file that the user names, or print it."""

import os
from pathlib import Path

import click

from orchestrator.cli.input.terminal import is_started_by_model
from orchestrator.cli.output.registry import format_result, print_result
from orchestrator.errors import BadInput
from orchestrator.fs import durable, nofollow

_SUFFIXES = {"markdown": (".md",), "text": (".txt",), "sarif": (".sarif", ".json")}
"""The file suffixes of formats, except formats whose name is the suffix."""
_AGENT_FILE_NAMES = frozenset(
    "agent agents claude conventions copilot-instructions gemini hooks launch marketplace mcp memory package plugin "
    "qwen readme settings skill tasks warp".split()
)
"""Names, up to the first dot, of files that agents and other tools load automatically, such as `CLAUDE.local.md`."""
_AGENT_FOLDERS = frozenset({"commands", "agents", "output-styles", "rules"})
"""Folders (for example of a plugin) whose files become instructions."""
_HARMLESS_FOLDERS = frozenset({(".workflow",), (".claude", "worktrees")})
"""Hidden folders that no tool loads automatically: the work dirs of tune-skill, and the work trees of Claude Code."""
output_option = click.option("-o", "--output", metavar="FILE", help="Write to FILE instead of stdout.")


def write_result(result: object, format_: str, output: str | None) -> None:
    """Write a result to the file `output`, or to stdout if None. Raises BadInput if the file is not allowed."""
    if output is None:
        print_result(result, format_)
        return
    text = format_result(result, format_)
    check_output(format_, output)
    _write_file(Path(output), text.encode() if isinstance(text, str) else text)


def check_output(format_: str, output: str | None) -> None:
    """Raise BadInput if a result cannot be written to the file `output`. Call this before anything is paid for."""
    if output is None:
        return
    path = Path(output)
    if os.path.lexists(output) and is_started_by_model():
        raise BadInput(f"cannot write {output}: the file exists; when run by Claude Code, choose a new file")
    check_file_of_model(path, _SUFFIXES.get(format_, (f".{format_}",)))
    if linked := nofollow.find_link(output):
        raise BadInput(
            f"cannot write {path}: {linked} is a link, and links in a project are not followed; choose another file"
        )
    if not path.parent.is_dir():
        raise BadInput(f"cannot write {path}: no such folder {path.parent}; create it, or choose another file")
    if path.is_dir():
        raise BadInput(f"cannot write {path}: it is a folder; choose a file in it")


def check_file_of_model(path: Path, suffixes: tuple[str, ...]) -> None:
    """Raise BadInput if a model started this command to write a file that other programs read automatically.

    A model may call `tune-skill report` without the user's request, because the skill under review tells it to.
    """
    if not is_started_by_model():
        return
    if path.suffix not in suffixes or path.name.startswith("."):
        endings = " or ".join(suffixes)
        raise BadInput(f"cannot write {path}: when run by Claude Code, the file name must end with {endings}")
    if path.name.partition(".")[0].casefold() in _AGENT_FILE_NAMES:
        raise BadInput(f"cannot write {path}: agents read files of this name; Claude Code must use another name")
    ensure_ordinary_folder(path.parent)


def ensure_ordinary_folder(folder: Path) -> None:
    """Raise BadInput if other programs could read the files in a folder: a hidden folder, or one that agents load."""
    for path in (Path(os.path.normpath(folder.absolute())), folder.resolve()):
        names = path.parts
        for index, name in enumerate(names):
            is_harmless = names[index : index + 1] in _HARMLESS_FOLDERS or names[index : index + 2] in _HARMLESS_FOLDERS
            is_hidden = name.startswith(".") and not is_harmless
            is_for_agents = index >= len(names) - 2 and name.casefold() in _AGENT_FOLDERS
            if is_hidden or is_for_agents:
                raise BadInput(
                    f"cannot write into {folder}: agents may read files in {name}; Claude Code must use another folder"
                )


def _write_file(path: Path, text: bytes) -> None:
    """Replace a file, or write into a pipe or device. Call `check_output` first. Raises BadInput."""
    if not path.exists() or path.is_file():
        durable.write_bytes(Path(os.path.realpath(path)), text)
        return
    try:
        fd = os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)  # do not wait for a reader of a pipe
        os.set_blocking(fd, True)
        with os.fdopen(fd, "wb") as target:
            target.write(text)
    except OSError as error:
        raise BadInput(f"cannot write {path}: {error.strerror}; choose another file") from error
