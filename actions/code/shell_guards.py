"""Find shell code that never runs because its condition needs a value that a variable never has."""

from collections.abc import Collection

from tree_sitter import Node

from actions.code.tree import Code, list_ancestors
from actions.regex import regex

_VALUE = regex(r"[\"']?\$\{?(\w+)(?::?-)?\}?[\"']?")
_GLOB = regex(r"[^()\s]*[\w./-][^()\s]*")
"""A pattern that does not match the empty text. Patterns with groups are not read."""
_OPTIONAL = regex(r"\^\$|[?*]|\||\{0")
"""A part of a regular expression that may match nothing."""
_GROUP = regex(r"\((?:[\w-]+\|)+[\w-]+\)(?![?*{])")
"""A group of plain words, one of which must match."""
_EQUAL = frozenset({"==", "="})


def is_never_run(code: Code, node: Node, names: Collection[str]) -> bool:
    """Return whether a command runs only if one of these variables, all of which are empty, has a certain value."""
    inner = node
    for outer in list_ancestors(node):
        if _is_guarded(code, outer, inner, names):
            return True
        inner = outer
    return False


def _is_guarded(code: Code, outer: Node, inner: Node, names: Collection[str]) -> bool:
    if outer.type == "if_statement":
        condition = outer.child_by_field_name("condition")
        is_other = inner.type in ("else_clause", "elif_clause")
        return condition is not None and inner != condition and not is_other and _needs_value(code, condition, names)
    if outer.type == "list":
        return (
            _get_operator(code, outer) == "&&"
            and inner != outer.children[0]
            and _needs_value(code, outer.children[0], names)
        )
    if outer.type == "case_item" and outer.parent is not None:
        value = outer.parent.child_by_field_name("value")
        patterns = outer.children_by_field_name("value")
        return _is_empty(code, value, names) and all(_GLOB.fullmatch(code.text_of(pattern)) for pattern in patterns)
    return False


def _needs_value(code: Code, condition: Node, names: Collection[str]) -> bool:
    """Return whether a condition is false if the variables are empty."""
    if condition.type == "test_command":
        return len(condition.named_children) == 1 and _needs_value(code, condition.named_children[0], names)
    if condition.type not in ("list", "binary_expression"):
        return False
    first, operator, last = condition.children[0], _get_operator(code, condition), condition.children[-1]
    if operator in ("&&", "||"):
        sides = [_needs_value(code, side, names) for side in (first, last)]
        return any(sides) if operator == "&&" else all(sides)
    if not _is_empty(code, first, names):
        return False
    pattern = code.text_of(last)
    if operator == "=~":
        return "\\." in pattern and _OPTIONAL.search(_GROUP.sub("", pattern)) is None
    return operator in _EQUAL and _GLOB.fullmatch(pattern.strip("\"'")) is not None


def _get_operator(code: Code, node: Node) -> str:
    return code.text_of(node.children[1]) if len(node.children) > 2 else ""


def _is_empty(code: Code, node: Node | None, names: Collection[str]) -> bool:
    match = _VALUE.fullmatch(code.text_of(node)) if node is not None else None
    return match is not None and match[1] in names
