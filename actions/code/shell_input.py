"""Find the commands of shell code that may read its standard input."""

from collections.abc import Iterator

from tree_sitter import Node

from actions.code.calls import Command, find_commands
from actions.code.tree import Code, list_ancestors
from actions.regex import regex

_ALWAYS = frozenset({"read", "mapfile", "readarray", "tee", "xargs", "eval", "source", ".", "exec", "parallel"})
"""Commands that read their input, or may do anything."""
_WITHOUT_FILE = frozenset({"cat", "head", "tail", "sort", "uniq", "wc", "tr", "base64", "column", "fold", "less"})
_WITH_EXPRESSION = frozenset({"jq", "yq", "gron", "grep", "egrep", "rg", "sed", "awk", "gawk", "perl"})
"""Commands that read their input unless another word than their expression names a file."""
_INTERPRETERS = frozenset(
    "sh bash zsh dash ksh python python2 python3 node nodejs deno bun tsx ts-node ruby php pwsh powershell osascript"
    " uv uvx npx pnpm yarn poetry pipenv".split()
)
_PREFIXES = frozenset("timeout gtimeout env exec nohup sudo time command nice stdbuf builtin".split())
_INLINE = frozenset({"-c", "-e", "-p", "--eval", "--print", "-lc", "-ec", "-Command"})
_FILE_MODULES = frozenset(
    "autopep8 bandit black compileall flake8 isort mypy py_compile pylint pytest ruff unittest".split()
)
"""Modules for `python -m` that read files, but not their input."""
_INPUT_WORD = regex(
    r"stdin|(?<!\$)(?<!\$\{)STDIN|\binput\(|readFileSync\(0|open\(0|/dev/fd/0|fileinput|\[Console\]::In|<>"
)
_SCRIPT = regex(r"[\w./$\{\}~:@\"'-]*\.(?:sh|bash|zsh|py|m?js|cjs|ts|rb|pl|php|ps1)[\"']?")
_PLAIN_PROGRAM = regex(r"(?:.*/)?(?:\.bin|s?bin)/[\w.-]+|[\w.+@-]+")
_INPUT_REDIRECTS = ("<", "<<", "<<-", "<<<", "<&")


def find_input_readers(code: Code) -> Iterator[Command]:
    """Yield the commands that get the input of the code and may read it, among them the scripts that it starts.

    A command gets other input if it is a later part of a pipeline, or if its input is redirected. A program that is not
    known to read its input counts as one that does not.
    """
    for command in find_commands(code):
        if _may_read(command) and not _has_other_input(code, command.node):
            yield command


def starts_script(command: Command) -> bool:
    """Return whether a command starts a script, and not the code in one of its words."""
    name = command.name.strip("\"'")
    if name in _INTERPRETERS or name in _PREFIXES:
        return _INLINE.isdisjoint(command.words) and bool(command.words)
    return not _PLAIN_PROGRAM.fullmatch(name) or _SCRIPT.fullmatch(name) is not None


def _may_read(command: Command) -> bool:
    name, words = command.name.strip("\"'"), command.words
    files = [word for word in words if not word.startswith("-") or word == "-"]
    if name in _ALWAYS or any("/dev/stdin" in word or "/dev/fd/0" in word for word in words):
        return True
    if name in _WITHOUT_FILE:
        return all(word == "-" or word.isdigit() for word in files)
    if name in _WITH_EXPRESSION:
        is_other = name == "jq" and any(word in ("-n", "--null-input") for word in words)
        return not is_other and (len(files) < 2 or any(word.startswith("--arg") for word in words))
    if name in _PREFIXES:
        return any(
            word in _ALWAYS | _WITHOUT_FILE | _WITH_EXPRESSION | _INTERPRETERS or _SCRIPT.fullmatch(word)
            for word in words
        )
    if name in _INTERPRETERS:
        return _may_interpreter_read(name, words)
    return starts_script(command)


def _may_interpreter_read(name: str, words: tuple[str, ...]) -> bool:
    if not _INLINE.isdisjoint(words):
        return any(_INPUT_WORD.search(word) for word in words)
    if words[:1] == ("-m",) and words[1:2] and words[1] in _FILE_MODULES:
        return "-" in words
    if name in ("npx", "pnpm", "yarn", "uv", "uvx", "poetry", "pipenv", "bun", "deno"):
        return any(_SCRIPT.fullmatch(word) or word in _INTERPRETERS for word in words)
    return True


def _has_other_input(code: Code, node: Node) -> bool:
    inner = node
    if _has_input_redirect(node):
        return True
    for parent in list_ancestors(node):
        is_body = parent.child_by_field_name("body") == inner
        if parent.type == "redirected_statement" and is_body and _has_input_redirect(parent):
            return True
        if parent.type == "pipeline" and parent.named_children[0] != inner:
            return True
        inner = parent
    return False


def _has_input_redirect(node: Node) -> bool:
    kinds = ("herestring_redirect", "heredoc_redirect")
    return any(
        child.type in kinds
        or (child.type == "file_redirect" and any(c.type in _INPUT_REDIRECTS for c in child.children))
        for child in node.children
    )
