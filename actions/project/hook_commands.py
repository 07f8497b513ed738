"""List the commands that a hook runs, each with its words: also those inside `if`, `&&`, `(...)` and `bash -c`."""

import posixpath
from collections.abc import Iterator, Sequence, Set

import msgspec

from actions.code.calls import Command, find_commands
from actions.code.languages import BASH
from actions.code.tree import Code
from actions.project.hook_scripts import list_codes
from actions.project.hooks_file import Hook, split_command
from actions.regex import regex

_ASSIGNMENT = regex(r"\w+=")
_INTERPRETER = regex(r"(?:.*/)?(?:(?:ba|da|z|k)?sh|python[\d.]*|node|bun|deno|ruby|perl)")
_QUOTE = regex(r"[\"']")
_PROJECT_FOLDER = regex(
    r"\$(?:CLAUDE_PROJECT_DIR|\{CLAUDE_PROJECT_DIR(?::?-[^{}]*)?\}|\(git rev-parse --show-toplevel[^()]*\))"
)
"""The project's folder as hooks write it. Claude Code always sets the variable."""
_PLUGIN_FOLDER = regex(r"\$\{CLAUDE_PLUGIN_ROOT:?-[^{}]*\}")
_TEST = regex(r"(?:\[|\btest\b)[^\]\n;&|]*?\s-[defrsx]\s+(\"[^\"]*\"|'[^']*'|[^\s\];&|]+)")
_TESTING = frozenset("test [ ls stat find command type which".split())
"""Commands that only show whether a file exists."""
_OTHER = frozenset("mkdir touch tee rm rmdir mv cp ln install echo printf cd pushd export".split())
"""Commands whose files need not exist before, or that use none."""
_MOVES = frozenset({"cd", "pushd"})
_HIDING = frozenset({"true", ":", "exit", "echo", "printf", "return"})
"""Commands after `||` that hide a failure, but do nothing instead."""


class CommandWord(msgspec.Struct, frozen=True):
    """A word of a command without quotes.

    `may_be_missing` means that the hook tests whether the file exists, or has another command as the alternative.
    `written` is the word with its quotes, or "" if no shell reads it, or another one than bash.
    """

    text: str
    may_be_missing: bool = False
    written: str = ""


def list_commands(hook: Hook) -> Iterator[Sequence[CommandWord]]:
    """Yield the words of each command that a hook runs, the program first. Commands that test or create are left out.

    A command for another shell, or that cannot be parsed, counts as one command.
    """
    if hook.args is not None:
        yield [*map(CommandWord, (hook.command, *hook.args))]
        return
    codes = [*list_codes(Code(BASH, hook.command))]
    if hook.settings.get("shell", "bash") != "bash" or any(code.root.has_error for code in codes):
        yield [*map(CommandWord, split_command(hook.command))]
        return
    tested = {word for code in codes for word in _list_tested(code)}
    for code in codes:
        for command in find_commands(code):
            words, has_alternative = _list_words(command), _has_alternative(code, command)
            written = (command.name, *map(code.text_of, command.node.children_by_field_name("argument")))
            if words[0] not in _TESTING | _OTHER:
                missing = [has_alternative or _is_tested(word, tested) for word in words]
                yield [*map(CommandWord, words, missing, written)]


def find_program(words: Sequence[str]) -> int:
    """Return the position of the program of a command, after assignments."""
    return next((n for n, word in enumerate(words) if not _ASSIGNMENT.match(word)), 0)


def find_place(words: Sequence[str]) -> int:
    """Return the position of the file that a command starts, directly or by an interpreter."""
    program = find_program(words)
    starts_other = program + 1 < len(words) and _INTERPRETER.fullmatch(words[program])
    return program + 1 if starts_other else program


def leaves_project(hook: Hook) -> bool:
    """Return whether a hook changes to another folder than the project's."""
    moves = (command for code in list_codes(Code(BASH, hook.command)) for command in find_commands(code))
    return any(
        command.name in _MOVES and not _PROJECT_FOLDER.fullmatch(_QUOTE.sub("", " ".join(command.words)))
        for command in moves
    )


def expand_folder(word: str) -> str:
    """Return a word with the folder of the project or the plugin as a plain variable, without a default."""
    return _PLUGIN_FOLDER.sub("${CLAUDE_PLUGIN_ROOT}", _PROJECT_FOLDER.sub("$CLAUDE_PROJECT_DIR", word))


def _list_words(command: Command) -> Sequence[str]:
    return [_QUOTE.sub("", word) for word in (command.name, *command.words)]


def _list_tested(code: Code) -> Iterator[str]:
    """Yield the files that `[ -f FILE ]` tests, and the words of other commands that only show what exists."""
    yield from (_QUOTE.sub("", word) for word in _TEST.findall(code.text))
    for command in find_commands(code):
        program, *words = _list_words(command)
        yield from words if program in _TESTING else ()


def _is_tested(word: str, tested: Set[str]) -> bool:
    """Return whether a test names a file or a folder above it, by the same path or by the same name."""
    name = posixpath.basename(word)
    return any(word.startswith(f"{path}/") or (name and name == posixpath.basename(path)) for path in tested)


def _has_alternative(code: Code, command: Command) -> bool:
    """Return whether another command runs if this one fails: `sh a.sh || sh b.sh`."""
    node, parent = command.node, command.node.parent
    while parent is not None and parent.type in ("redirected_statement", "pipeline"):
        node, parent = parent, parent.parent
    if parent is None or parent.type != "list" or parent.children[0] != node:
        return False
    operator, other = code.text_of(parent.children[1]), code.text_of(parent.children[-1])
    scripts = [word for word in _list_words(command) if "/" in word]
    return operator == "||" and other.split()[0] not in _HIDING and not any(word in other for word in scripts)
