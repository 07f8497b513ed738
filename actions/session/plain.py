"""Read commands of the plain forms from which it follows what was staged, removed or started; others prove nothing."""

import posixpath
from collections.abc import Iterator
from itertools import takewhile

from actions.regex import regex
from actions.session.git import split_git
from actions.session.session import Session
from actions.session.shell import INTERPRETERS, LIMIT, Command

_GIT = regex(r"\bgit\b")
_READERS = frozenset("echo printf cat grep rg ls cd head tail gh which".split())
_READ_VERBS = frozenset("status diff log show branch push fetch rev-parse remote ls-files blame reset switch".split())
_STACKERS = frozenset({"create", "modify", "c", "m"})
_MESSAGES = frozenset({"-m", "--message", "-F", "--file"})
_COMMIT_SWITCHES = frozenset("--amend --no-edit --no-verify -n -q --quiet -s --signoff -v --verbose".split())
_OPEN = regex(r"[*?\[\]{}$`~]|^:|^-")
"""In a word that is not the plain path of one file."""
_REMOVES = regex(r"-[rfv]+|--force|--")
_REDIRECTION = regex(r"\d?>&\d|[&\d]?>>?/dev/null")


def resolve_path(session: Session, word: str, folder: str = "") -> str:
    """Return the absolute path that a word of a command means; "" if that is unknown.

    folder: where the command runs; "": in the root, if no command has left it.
    """
    path = word.strip("'\"")
    if _OPEN.search(path) or not path:
        return ""
    if not posixpath.join(folder, path).startswith("/") and session.leaves_root:
        return ""
    return posixpath.normpath(posixpath.join(session.transcript.cwd, folder, path))


def list_first(session: Session, command: Command) -> Iterator[tuple[str, ...]]:
    """Yield the simple commands that were surely started: the first one, after `cd` to the root."""
    start = list(takewhile(lambda part: part[0] == "cd" and not session.is_other_folder(part), command.parts))
    yield from command.parts[len(start) : len(start) + 1]


def list_removed(session: Session) -> dict[str, int]:
    """Return the paths that commands removed for sure, each with the record of the last such command."""
    gone: dict[str, int] = {}
    for command in session.commands:
        result = command.result
        if result is None or result.refused or result.error or command.joined:
            continue
        for part in list_first(session, command):
            words = part[1:] if part[0] == "rm" else part[2:] if part[:2] == ("git", "rm") else ()
            words = tuple(word for word in words if not _REDIRECTION.fullmatch(word))
            if all(_REMOVES.fullmatch(word) or not word.startswith("-") for word in words):
                gone |= dict.fromkeys((resolve_path(session, word) for word in words), command.record)
    return gone


def list_staged(session: Session) -> frozenset[str]:
    """Return the absolute paths that commands staged; one is "" if a command may have staged other files."""
    return frozenset(path for command in session.commands if command.began for path in _list_staged(session, command))


def _list_staged(session: Session, command: Command) -> Iterator[str]:
    runs_document = "<<" in command.text and any(part[0] in INTERPRETERS for part in command.parts)
    if _GIT.search(command.text) and (runs_document or len(command.text) > LIMIT):
        yield ""
    for part in command.parts:
        words = tuple(word for word in part if not _REDIRECTION.fullmatch(word))
        if any(_GIT.search(word) and ("$(" in word or "`" in word) for word in words):
            yield ""
        elif words[:1] == ("git",):
            yield from _list_of_git(session, words)
        elif part[0] == "gt":
            yield from ("" for verb in part[1:2] if verb in _STACKERS)
        elif part[0] not in _READERS and any(map(_GIT.search, words)):
            yield ""


def _list_of_git(session: Session, words: tuple[str, ...]) -> Iterator[str]:
    """Yield the paths that a call of git stages; "" if it may stage others."""
    folder = ""
    if words[1:2] == ("-C",):
        folder, words = resolve_path(session, "".join(words[2:3])), ("git", *words[3:])
        if not folder:
            yield ""
    verb, rest = split_git(words)
    if words[1:2] != (verb,):
        yield ""
    elif verb in ("add", "stage"):
        yield from (resolve_path(session, word, folder) for word in rest if word != "--")
    elif verb == "commit":
        valued = {n + 1 for n, word in enumerate(rest) if word in _MESSAGES}
        yield from ("" for n, word in enumerate(rest) if n not in valued and word not in _MESSAGES | _COMMIT_SWITCHES)
    elif verb not in _READ_VERBS:
        yield ""
