"""Loops that cannot end: by their own parsed text, whatever the calls in them do."""

from collections.abc import Iterator
from dataclasses import dataclass

from tree_sitter import Node

from actions.code.tree import BASH, Code, below

_LOOPS = ("while_statement", "do_statement", "for_statement")
_EXITS = frozenset(
    "break_statement return_statement throw_statement raise_statement yield_expression yield await_expression await".split()
)
_FUNCTIONS = frozenset(
    "function_definition function_declaration function_expression arrow_function method_definition lambda class_definition"
    " generator_function_declaration".split()
)
_LEAVING_CALLS = ("exit", "quit", "abort", "die", "panic", "fail", "_exit", "execv")
_LEAVING_COMMANDS = frozenset({"break", "exit", "return", "exec"})


@dataclass(frozen=True)
class EndlessLoop:
    """A loop whose condition is always true, or never changes, and that nothing leaves."""

    line: int
    line_end: int
    condition: str
    node: Node
    names: tuple[str, ...]


def endless_loops(code: Code) -> Iterator[EndlessLoop]:
    """Return the loops without an exit: a constant condition, or one of names that nothing in the loop can change."""
    for node in code.nodes(*_LOOPS):
        condition, body = node.child_by_field_name("condition"), node.child_by_field_name("body")
        if body is None or (node.type == "for_statement" and code.language in (BASH, "python")):
            continue
        names = () if _is_empty(code, node, condition) else _names(code, condition)
        if names is None or _leaves(code, body) or any(_changes(code, node, name) for name in names):
            continue
        yield EndlessLoop(code.line(node), code.line_end(node), " ".join(code.said(condition).split()), node, names)


def _is_empty(code: Code, node: Node, condition: Node | None) -> bool:
    return node.type == "for_statement" and code.said(condition).strip(" ;") == ""


def _names(code: Code, condition: Node | None) -> tuple[str, ...] | None:
    """Return the names of a condition that only they decide; empty for a constant true one, None for any other."""
    if condition is None:
        return None
    text = code.said(condition).strip("() ;\n").lower()
    if text in ("true", "1", ":"):
        return ()
    if code.language == BASH:
        return None
    names = []
    for node in below(condition):
        if node.type == "identifier":
            names.append(code.said(node))
        elif node.is_named and node.type not in _PLAIN:
            return None
    return tuple(names) or None


_PLAIN = frozenset(
    "parenthesized_expression unary_expression not_operator binary_expression comparison_operator boolean_operator true false"
    " number integer float string string_fragment string_start string_content string_end".split()
)


def _leaves(code: Code, body: Node) -> bool:
    """Return whether something in a loop may leave it; a function that is only defined there does not."""
    waiting = [body]
    while waiting:
        node = waiting.pop()
        if node.type in _EXITS or node.is_error or node.is_missing:
            return True
        if node.type in ("call", "call_expression"):
            name = code.said(node.child_by_field_name("function")).lower()
            if any(word in name for word in _LEAVING_CALLS):
                return True
        if node.type == "command" and code.said(node.child_by_field_name("name")) in _LEAVING_COMMANDS:
            return True
        if node.type not in _FUNCTIONS:
            waiting.extend(node.children)
    return False


def _changes(code: Code, loop: Node, name: str) -> bool:
    """Return whether a loop may give a name another value."""
    for node in below(loop):
        if node.type in ("assignment", "assignment_expression", "augmented_assignment", "augmented_assignment_expression",
                         "update_expression", "variable_declarator", "named_expression"):  # fmt: skip
            target = node.child_by_field_name("left") or node.child_by_field_name("name") or node.child_by_field_name("argument")
            if name in _words(code, target or node):
                return True
        elif node.type in ("global_statement", "nonlocal_statement"):
            return True
    return False


def _words(code: Code, node: Node) -> set[str]:
    return {code.said(one) for one in below(node) if one.type == "identifier"}
