"""Find the variables that shell code reads without a value of its own."""

from collections.abc import Collection, Iterator

import msgspec
from tree_sitter import Node

from actions.code.tree import Code, list_ancestors, walk
from actions.regex import regex

_DEFAULT_OPERATORS = frozenset({":-", "-", ":=", "="})
_OPERATORS = _DEFAULT_OPERATORS | {":+", "+"}
_NO_DATA = frozenset({"", "{", "{}", "[", "[]", "unknown", "none", "null"})
"""Defaults that only mean that there is no value. The parser ends `${X:-{}}` at its first brace."""
_IS_SET_TEST = regex(r"\[\[?\s+(?:!\s+)?-[nzv]\s+[\"']?\$?\{?\w+(?::?-)?\}?[\"']?\s+\]\]?")
_MESSAGE_COMMANDS = frozenset({"echo", "printf"})


class VariableRead(msgspec.Struct, frozen=True):
    """A place that reads a variable, and the variable for which it is the default, or "".

    `is_message` means that the value is only printed, not passed on to a program.
    """

    name: str
    line: int
    replaces: str
    is_message: bool


def find_variable_reads(code: Code, names: Collection[str]) -> Iterator[VariableRead]:
    """Yield the places that read one of these variables and have nothing to use instead.

    Yields nothing for a variable that the code assigns, and for a test whether a variable is set.
    """
    unset = {name for name in names if name in code.words and not assigns(code.text, name)}
    for node in walk(code.root) if unset else ():
        if node.type in ("simple_expansion", "expansion"):
            name = _get_name(code, node)
            if name in unset and _needs_value(code, node, unset):
                yield VariableRead(name, code.line(node), _get_replaced(code, node), _is_message(code, node))


def assigns(text: str, name: str) -> bool:
    """Return whether shell code gives a variable a value: `NAME=`, `read NAME`, `for NAME in`, `printf -v NAME`."""
    assignment = rf"(?<![\w$]){name}\+?=(?!=)|\b(?:read|for|mapfile|readarray|printf -v)\b[^\n;|&$]{{0,80}}\b{name}\b"
    return regex(assignment).search(text) is not None


def is_tested(text: str, name: str) -> bool:
    """Return whether shell code tests a variable, or has something to use instead: `[ -n "$NAME" ]`, `${NAME:-x}`."""
    return regex(rf"-[a-z]\s+[\"']?\$\{{?{name}\b|\$\{{{name}[:+?=-]|\bfor\b").search(text) is not None


def _get_name(code: Code, node: Node) -> str:
    return next((code.text_of(child) for child in node.children if child.type == "variable_name"), "")


def _needs_value(code: Code, node: Node, names: Collection[str]) -> bool:
    operator = next((n for n, child in enumerate(node.children) if child.type in _OPERATORS), 0)
    if operator and node.children[operator].type not in _DEFAULT_OPERATORS:
        return False
    if operator and not _is_no_data(code, node.children[operator + 1], names):
        return False
    return not any(_is_optional(code, parent, _get_name(code, node)) for parent in list_ancestors(node))


def _is_no_data(code: Code, default: Node, names: Collection[str]) -> bool:
    if default.type == "}":
        return True
    if default.type == "expansion":
        return _get_name(code, default) in names and _needs_value(code, default, names)
    return code.text_of(default).strip("\"'").lower() in _NO_DATA


def _is_optional(code: Code, outer: Node, name: str) -> bool:
    """Return whether code around a variable makes it optional: a test, `if` with `else`, the name of a program."""
    if outer.type == "if_statement":
        test = outer.child_by_field_name("condition")
        has_other_branch = any(child.type == "else_clause" for child in outer.children)
        return (
            has_other_branch and _IS_SET_TEST.fullmatch(code.text_of(test)) is not None and name in code.text_of(test)
        )
    return outer.type == "command_name" or (
        outer.type == "test_command" and _IS_SET_TEST.fullmatch(code.text_of(outer)) is not None
    )


def _get_replaced(code: Code, node: Node) -> str:
    """Return the first name of `${FIRST:-${NAME}}`, or ""."""
    outer = [parent for parent in list_ancestors(node) if parent.type == "expansion"]
    return _get_name(code, outer[-1]) if outer else ""


def _is_message(code: Code, node: Node) -> bool:
    """Return whether a command only prints the value, to the screen or into a file."""
    command = next((parent for parent in list_ancestors(node) if parent.type == "command"), None)
    if command is None or code.text_of(command.child_by_field_name("name")) not in _MESSAGE_COMMANDS:
        return False
    return {parent.type for parent in list_ancestors(command)}.isdisjoint(("pipeline", "command_substitution"))
