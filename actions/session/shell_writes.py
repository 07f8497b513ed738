"""Find the files that the shell commands of a session may have created."""

from collections.abc import Iterable, Iterator

from actions.regex import regex
from actions.session.edits import classify_path
from actions.session.git import split_git
from actions.session.shell import INTERPRETERS, Command

_WRITERS = frozenset({"touch", "tee", "cp", "mv", "curl", "wget", "unzip", "tar", "rsync", "patch", "dd"})
_NAMING = frozenset({"touch", "tee", "cp", "mv"})
"""Writers whose arguments name the files that they create."""
_SAVES = regex(r"-[a-zA-Z]*[oOJ]|--(?:output|remote)")
"""Options with which curl writes a file."""
_GIT_WRITERS = frozenset({"mv", "apply", "am", "stash", "restore", "cherry-pick", "revert"})
_OPENS = regex(r"\bopen\(|\bwrite|\bshutil\b|File\.")
"""In code given to an interpreter that may write a file."""
_IN_PLACE = regex(r"-[a-zA-Z]*i|--in-place")
_NO_CODE = regex(r"\.(?:log|out|tmp)$")
_REDIRECTED = regex(r"^&?\d?>>?(?!&)")


def list_shell_writes(commands: Iterable[Command], root: str) -> Iterator[str]:
    """Yield the files of the project that commands may have created, by a redirection or a program that writes files.

    Paths are yielded as written in the command; "." stands for a file that it does not name. root: the project folder.
    """
    for command in commands:
        may_write = ">" in command.text or any(part[0] in _WRITERS or _writes(part, command) for part in command.parts)
        is_outside = False
        for part in command.parts if may_write and command.began else ():
            if part[0] == "cd":
                is_outside = "(" not in command.text and _leaves_project(part, root, was_outside=is_outside)
            for path in (*_list_targets(part), *(["."] if _writes(part, command) else [])):
                is_relative = not path.startswith(("/", "~", "$", "`"))
                if not (is_relative and is_outside) and classify_path(path, root) != "scratch":
                    yield path


def _writes(part: tuple[str, ...], command: Command) -> bool:
    """Return whether a simple command may write files that its words do not name."""
    if part[0] in INTERPRETERS:
        return ("-c" in part or "-e" in part or "<<" in command.text) and _OPENS.search(command.text) is not None
    return part[0] == "git" and split_git(part)[0] in _GIT_WRITERS


def may_change_code(commands: Iterable[Command], written: Iterable[str]) -> bool:
    """Return whether commands may have changed code of the project. written: the result of `list_shell_writes`."""
    if any(classify_path(path) == "code" and not _NO_CODE.search(path) for path in written):
        return True
    parts = (part for command in commands if command.began for part in command.parts)
    return any(part[0] in ("sed", "perl") and any(map(_IN_PLACE.match, part[1:])) for part in parts)


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
        yield from named[-1:] if part[0] in ("cp", "mv") else named
    elif part[0] in _WRITERS and (part[0] != "curl" or any(map(_SAVES.match, part))):
        yield "."


def _target(part: tuple[str, ...], n: int) -> str:
    """Return the file of a redirection: the rest of its word, or the next word."""
    rest = _REDIRECTED.sub("", part[n]).strip("'\"")
    path = rest or "".join(part[n + 1 : n + 2]).strip("'\"")
    return "" if path == "/dev/null" else path
