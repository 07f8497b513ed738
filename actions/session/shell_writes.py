"""Find the files that the shell commands of a session may have created."""

from collections.abc import Iterable, Iterator

from actions.regex import regex
from actions.session.edits import classify_path
from actions.session.shell import Command

_WRITERS = frozenset({"touch", "tee", "cp", "curl", "wget", "unzip"})
_NAMING = frozenset({"touch", "tee", "cp"})
"""Writers whose arguments name the files that they create."""
_SAVES = regex(r"-[a-zA-Z]*[oOJ]|--(?:output|remote)")
"""Options with which curl writes a file."""
_REDIRECTED = regex(r"^&?\d?>>?(?!&)")


def list_shell_writes(commands: Iterable[Command], root: str) -> Iterator[str]:
    """Yield the files of the project that commands may have created, by a redirection or a program that writes files.

    Paths are yielded as written in the command; "." stands for a file that it does not name. root: the project folder.
    """
    for command in commands:
        may_write = ">" in command.text or any(part[0] in _WRITERS for part in command.parts)
        is_outside = False
        for part in command.parts if may_write and command.began else ():
            if part[0] == "cd":
                is_outside = "(" not in command.text and _leaves_project(part, root, was_outside=is_outside)
            for path in _list_targets(part):
                is_relative = not path.startswith(("/", "~", "$", "`"))
                if not (is_relative and is_outside) and classify_path(path, root) != "scratch":
                    yield path


def _leaves_project(part: tuple[str, ...], root: str, *, was_outside: bool) -> bool:
    """Return whether the session is in a temporary folder outside of the project after a `cd`."""
    folder = "".join(part[1:2]).strip("'\"")
    if folder.startswith("/"):
        return classify_path(f"{folder}/", root) == "scratch"
    return was_outside and bool(folder) and not folder.startswith(("~", "$", "-", "`")) and ".." not in folder


def _list_targets(part: tuple[str, ...]) -> Iterator[str]:
    """Yield the files that a simple command may create."""
    yield from filter(None, (_target(part, n) for n, word in enumerate(part) if _REDIRECTED.match(word)))
    named = [word.strip("'\"") for word in part[1:] if not word.startswith(("-", ">", "<"))]
    if part[0] in _NAMING and named:
        yield from named[-1:] if part[0] == "cp" else named
    elif part[0] in _WRITERS and (part[0] != "curl" or any(map(_SAVES.match, part))):
        yield "."


def _target(part: tuple[str, ...], n: int) -> str:
    """Return the file of a redirection: the rest of its word, or the next word."""
    rest = _REDIRECTED.sub("", part[n]).strip("'\"")
    path = rest or "".join(part[n + 1 : n + 2]).strip("'\"")
    return "" if path == "/dev/null" else path
