"""Determine which files the commands of a session staged or removed. Only simple command forms are recognized."""

import posixpath
from collections.abc import Iterator
from itertools import takewhile

from actions.regex import regex
from actions.session.git import split_git
from actions.session.session import Session
from actions.session.shell import INTERPRETERS, MAX_COMMAND, Command
from actions.session.shell_writes import pops_foreign_stash

_GIT = regex(r"\bgit\b")
_READ_PROGRAMS = frozenset("echo printf cat grep rg ls cd head tail gh which".split())
_READ_SUBCOMMANDS = frozenset(
    "status diff log show branch push fetch rev-parse remote ls-files blame reset switch merge-base describe".split()
)
_READ_SUBSTITUTION = regex(r"\$\(git (?:branch --show-current|rev-parse [\w@{}/ -]+|merge-base [\w./ -]+)\)")
"""A command substitution with a read-only git command."""
_NO_MERGE_OUTPUT = ("Already up to date", "Already up-to-date", "Fast-forward")
_STACK_VERBS = frozenset({"create", "modify", "c", "m"})
_MESSAGE_OPTIONS = frozenset({"-m", "--message", "-F", "--file"})
_COMMIT_SWITCHES = frozenset("--amend --no-edit --no-verify -n -q --quiet -s --signoff -v --verbose".split())
_NOT_PLAIN_PATH = regex(r"[*?\[\]{}$`~]|^:|^-")
"""Matches a word that is not the plain path of one file."""
_REMOVE_OPTION = regex(r"-[rfv]+|--force|--")
_REDIRECTION = regex(r"\d?>&\d|[&\d]?>>?/dev/null")


def resolve_path(session: Session, word: str, folder: str = "") -> str:
    """Return the absolute path of the file that a word of a command names, or "" if it is unknown.

    `folder` is the working directory of the command, or "" for the project's root unless a command has left it.
    """
    path = word.strip("'\"")
    if _NOT_PLAIN_PATH.search(path) or not path:
        return ""
    if not posixpath.join(folder, path).startswith("/") and session.leaves_root:
        return ""
    return posixpath.normpath(posixpath.join(session.transcript.cwd, folder, path))


def list_first_command(session: Session, command: Command) -> Iterator[tuple[str, ...]]:
    """Yield the first simple command in a command, after any `cd` to the root, or nothing if there is none.

    The later simple commands may not have started.
    """
    moves = list(takewhile(lambda part: part[0] == "cd" and not session.is_other_folder(part), command.parts))
    yield from command.parts[len(moves) : len(moves) + 1]


def map_removed_paths(session: Session) -> dict[str, int]:
    """Map each path that commands certainly removed to the record of the last such command."""
    removed_paths: dict[str, int] = {}
    for command in session.commands:
        result = command.result
        if result is None or result.is_refused or result.is_error or command.hides_exit_codes:
            continue
        for part in list_first_command(session, command):
            program, words = (part[1], part[2:]) if part[:1] == ("git",) and part[1:] else (part[0], part[1:])
            if program not in ("rm", "mv"):
                continue
            words = tuple(word for word in words if not _REDIRECTION.fullmatch(word))
            words = words if program == "rm" else words[:-1]
            if all(_REMOVE_OPTION.fullmatch(word) or not word.startswith("-") for word in words):
                removed_paths |= dict.fromkeys((resolve_path(session, word) for word in words), command.record)
    return removed_paths


def list_staged_paths(session: Session) -> frozenset[str]:
    """Return the absolute paths that commands staged, and "" if they may have staged unknown files."""
    commands = [command for command in session.commands if command.may_have_run]
    unknown = [""] if pops_foreign_stash(commands) else []
    return frozenset((*unknown, *(path for command in commands for path in _list_paths_staged_by(session, command))))


def _list_paths_staged_by(session: Session, command: Command) -> Iterator[str]:
    """Yield the absolute paths that a command staged, and "" if it may have staged unknown files."""
    if "git" not in command.text and "gt" not in command.text:
        return
    runs_document = "<<" in command.text and any(part[0] in INTERPRETERS for part in command.parts)
    if _GIT.search(command.text) and (runs_document or len(command.text) > MAX_COMMAND):
        yield ""
    folder = _find_folder(session, command)
    for part in command.parts:
        arguments = (word for word in part if ">" not in word or not _REDIRECTION.fullmatch(word))
        words = tuple(_READ_SUBSTITUTION.sub("", word) if "$" in word else word for word in arguments)
        if any(("$(" in word or "`" in word) and _GIT.search(word) for word in words):
            yield ""
        elif words[:1] == ("git",):
            yield from _list_paths_staged_by_git(session, words, folder, command.output)
        elif part[0] == "gt":
            yield from ("" for verb in part[1:2] if verb in _STACK_VERBS)
        elif part[0] not in _READ_PROGRAMS and any("git" in word and _GIT.search(word) for word in words):
            yield ""


def _find_folder(session: Session, command: Command) -> str:
    """Return the root if a command begins with `cd` to the root and enters no other folder, otherwise ""."""
    moves = [part for part in command.parts if part[0] in ("cd", "pushd", "popd")]
    is_in_root = bool(moves) and moves[0] == command.parts[0] and not any(map(session.is_other_folder, moves))
    return session.transcript.cwd if is_in_root else ""


def _list_paths_staged_by_git(session: Session, words: tuple[str, ...], folder: str, output: str) -> Iterator[str]:
    """Yield the paths that a git call stages, and "" if it may stage unknown files. `folder`: see `resolve_path`."""
    if words[1:2] == ("-C",):
        folder, words = resolve_path(session, "".join(words[2:3]), folder), ("git", *words[3:])
        if not folder:
            yield ""
    verb, rest = split_git(words)
    if words[1:2] != (verb,):
        yield ""
    elif verb in ("add", "stage"):
        yield from (resolve_path(session, word, folder) for word in rest if word != "--")
    elif verb in ("rm", "mv"):  # these stage only files that the session removes or moves
        paths = (word for word in rest if not _REMOVE_OPTION.fullmatch(word))
        yield from ("" for path in paths if not resolve_path(session, path, folder))
    elif verb == "commit":
        values = {index + 1 for index, word in enumerate(rest) if word in _MESSAGE_OPTIONS}
        yield from (
            ""
            for index, word in enumerate(rest)
            if index not in values and word not in _MESSAGE_OPTIONS | _COMMIT_SWITCHES
        )
    elif not (verb in _READ_SUBCOMMANDS or _stages_nothing(verb, rest, output)):
        yield ""


def _stages_nothing(verb: str, rest: tuple[str, ...], output: str) -> bool:
    """Return whether a git call stages nothing, because it only switches branches or stashes changes."""
    if verb == "checkout":  # a path after a branch would be staged
        return rest[:1] == ("-b",) or (len(rest) == 1 and not rest[0].startswith("-"))
    if verb == "pull":
        return any(map(output.__contains__, _NO_MERGE_OUTPUT))
    return verb == "stash" and rest[:1] != ("branch",)
