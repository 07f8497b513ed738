"""Functions whose own text decides what a caller gets: nothing, or only the news that they are not written."""

from collections.abc import Iterator
from dataclasses import dataclass

from tree_sitter import Node

from actions.code.calls import Call, calls
from actions.code.tree import BASH, PYTHON, Code

_DEFINITIONS = ("function_definition", "function_declaration")
_INNER = frozenset("function_definition lambda class_definition function_declaration function_expression arrow_function method_definition".split())
_HAS_VALUE = frozenset({"return_statement", "yield", "yield_expression"})


@dataclass(frozen=True)
class Function:
    """A named function that stands by itself, not in a class."""

    name: str
    line: int
    line_end: int
    node: Node
    body: Node


def functions(code: Code) -> Iterator[Function]:
    """Return the named functions of a code, methods left out."""
    if code.language == BASH:
        return
    for node in code.nodes(*_DEFINITIONS):
        body, name = node.child_by_field_name("body"), node.child_by_field_name("name")
        holder = node.parent.parent if node.parent is not None else None
        if body is not None and name is not None and not (holder is not None and holder.type == "class_definition"):
            yield Function(code.said(name), code.line(node), code.line_end(node), node, body)


def returns_nothing(function: Function) -> bool:
    """Return whether no way through a function gives a value. A body that is only `...` or raises says nothing of it."""
    if all(_is_hollow(child) for child in function.body.named_children):
        return False
    waiting = list(function.body.children)
    while waiting:
        node = waiting.pop()
        if node.type in _HAS_VALUE and (node.named_child_count or node.type != "return_statement"):
            return False
        if node.type not in _INNER:
            waiting.extend(node.children)
    return True


def used_results(code: Code, name: str) -> Iterator[Call]:
    """Return the calls of a plain name whose result a variable takes."""
    return (call for call in calls(code) if call.name == name and call.assigned is not None)


def _is_hollow(node: Node) -> bool:
    if node.type in ("comment", "pass_statement", "raise_statement", "throw_statement"):
        return True
    return node.type == "expression_statement" and node.named_child_count == 1 and node.named_children[0].type in ("ellipsis", "string")


def not_implemented(code: Code) -> Iterator[Function]:
    """Return the functions whose whole body says that they are not implemented."""
    for function in functions(code):
        parts = [n for n in function.body.named_children if n.type != "comment"]
        parts = parts[1:] if code.language == PYTHON and parts and _is_docstring(parts[0]) else parts
        abstract = function.node.parent is not None and function.node.parent.type == "decorated_definition"
        if len(parts) == 1 and not abstract and parts[0].type in ("raise_statement", "throw_statement"):
            said = code.said(parts[0]).lower().replace(" ", "").replace("_", "")
            if "notimplemented" in said:
                yield function


def _is_docstring(node: Node) -> bool:
    return node.type == "expression_statement" and node.named_child_count == 1 and node.named_children[0].type == "string"
