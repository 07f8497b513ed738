"""Find commands of hooks, status lines and servers whose `~` nothing replaces, so that their file is not found.

Source: the CLI 2.1.332; `tests/e2e/facts` asks it. A shell replaces `~` at the start of a word without quotes. No shell
reads the command of a server, or that of a hook with `args`; in a server, Claude Code replaces `${HOME}`.
"""

from collections.abc import Iterator

import msgspec

from actions.project.hook_commands import find_place, list_commands
from actions.project.hooks_file import Hook, find_hooks
from actions.project.mcp_file import find_servers
from actions.project.project import Project
from actions.project.status_lines import find_status_lines
from actions.project.units import Unit
from actions.regex import regex

_DOUBLE = regex(r'"~/')
_SINGLE = regex(r"'~/([^'\"$`\\]*)'")


class UnexpandedHome(msgspec.Struct, frozen=True):
    """A file that is not found: the line, the word as written, and the word that the author meant, or "".

    `disables_hook` means that a hook or a server does nothing at all without the file.
    """

    line: int
    word: str
    intended: str
    disables_hook: bool


def find_unexpanded_homes(project: Project, unit: Unit) -> Iterator[UnexpandedHome]:
    """Yield the files below `~` that the hooks and status lines of a unit start, but do not find."""
    for hook in project.list_for_unit(find_hooks, unit.path):
        yield from _find_in_hook(hook)
    for status_line in find_status_lines(project, unit):
        for home in _find_in_hook(status_line):
            yield UnexpandedHome(home.line, home.word, home.intended, False)


def find_unexpanded_server_homes(project: Project, unit: Unit) -> Iterator[UnexpandedHome]:
    """Yield the programs and scripts below `~` that the servers of a unit start, but do not find."""
    for server in project.list_for_unit(find_servers, unit.path):
        words = [word for _, word in server.words]
        place = find_place(words) if words else 0
        if place < len(words) and words[place].startswith("~/"):
            yield UnexpandedHome(server.words[place][0], words[place], f"${{HOME}}{words[place][1:]}", True)


def _find_in_hook(hook: Hook) -> Iterator[UnexpandedHome]:
    commands = [*list_commands(hook)]
    for words in commands:
        place = find_place([word.text for word in words])
        word = words[place] if place < len(words) else None
        if word is None or word.may_be_missing or not word.text.startswith("~/"):
            continue
        if hook.args is not None:
            yield UnexpandedHome(hook.line, word.text, "", True)
        elif intended := _expand(word.written):
            is_in_place = word.written in hook.command
            yield UnexpandedHome(hook.line, word.written, intended if is_in_place else "", len(commands) == 1)


def _expand(written: str) -> str:
    """Return a word with `$HOME` for a `~` that quotes protect from the shell, or "" if they do not."""
    if single := _SINGLE.fullmatch(written):
        return f'"$HOME/{single[1]}"'
    return _DOUBLE.sub('"$HOME/', written, count=1) if _DOUBLE.match(written) else ""
