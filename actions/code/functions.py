"""Functions whose own text decides that a caller gets nothing."""

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

from tree_sitter import Node

from actions.code.calls import Call, calls
from actions.code.names import identifiers
from actions.code.tree import BASH, FUNCTIONS, Code, above, is_inside

_DEFINITIONS = ("function_definition", "function_declaration")
_DEFINING = frozenset({"def", "function"})
_CALLING = frozenset({"call", "call_expression", "arguments", "argument_list", "attribute"})
_READING = frozenset(
    "attribute member_expression subscript subscript_expression arguments argument_list call call_expression"
    " for_statement for_in_statement interpolation template_substitution pair binary_operator return_statement"
    " comparison_operator binary_expression conditional_expression ternary_expression if_statement elif_clause"
    " while_statement not_operator boolean_operator unary_expression parenthesized_expression".split()
)
"""What holds a variable that is read as a value."""
_NOTHING = re.compile(r"\b(?:None|null|undefined)\b")
_DEFINED = re.compile(r"\b(?:def|function)\s+(\w+)")
_TAKEN = re.compile(r"=[\s(]*+(?:await[\s(]++)?+(\w++)\s*+\(")
_ELIDED = re.compile(r"\.\.\.|…|\b(?:your|implement|logic|todo|etc|code|here)\b", re.IGNORECASE)
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
    if code.language == BASH or code.words.isdisjoint(_DEFINING):
        return
    for node in code.nodes(*_DEFINITIONS):
        body, name = node.child_by_field_name("body"), node.child_by_field_name("name")
        holder = node.parent.parent if node.parent is not None else None
        if body is not None and name is not None and not (holder is not None and holder.type == "class_definition"):
            yield Function(code.said(name), code.line(node), code.line_end(node), node, body)


def returns_nothing(function: Function) -> bool:
    """Return whether no way through a function gives a value. A body that is only `...` or raises says nothing."""
    if all(_is_hollow(child) for child in function.body.named_children):
        return False
    waiting = list(function.body.children)
    while waiting:
        node = waiting.pop()
        if node.type in _HAS_VALUE and (node.named_child_count or node.type != "return_statement"):
            return False
        if node.type not in FUNCTIONS:
            waiting.extend(node.children)
    return True


def empty_results(code: Code, *, shown: bool) -> Iterator[tuple[Function, Call]]:
    """Return the functions that return nothing, with each call whose result is used; what is `shown` may be shortened.

    A name must mean the function alone. Code that takes no result of its own functions needs no tree.
    """
    if code.words.isdisjoint(_DEFINING) or set(_DEFINED.findall(code.text)).isdisjoint(_TAKEN.findall(code.text)):
        return
    for function in functions(code):
        wrapped = function.node.parent is not None and function.node.parent.type == "decorated_definition"
        if not wrapped and returns_nothing(function) and _is_only_name(code, function):
            used = _results_used(code, function) if not shown or _is_complete(code, function) else ()
            yield from ((function, call) for call in used)


def _is_complete(code: Code, function: Function) -> bool:
    """Return whether a body looks whole: no type of a result, no comment that ends it or stands for more."""
    parts = function.body.named_children
    notes = [code.said(part) for part in parts if part.type == "comment"]
    shortened = any(code.said(part).strip() in ("...", "…") for part in parts) or any(map(_ELIDED.search, notes))
    typed = function.node.child_by_field_name("return_type") is not None
    return bool(parts) and parts[-1].type != "comment" and not typed and not shortened


def _results_used(code: Code, function: Function) -> Iterator[Call]:
    """Return the calls of a function whose result a variable takes and the next use of that variable reads."""
    for call in (call for call in calls(code) if call.name == function.name and call.assigned):
        scope = next((node for node in above(call.node) if node.type in FUNCTIONS), code.root)
        uses = identifiers(code).get(call.assigned or "", ())
        place = bisect_left(uses, call.node.end_byte, key=lambda node: node.start_byte)
        use = uses[place] if place < len(uses) else None
        recursive = is_inside(call.node, function.node)
        if use is not None and is_inside(use, scope) and not recursive and _is_read(code, use):
            yield call


def _is_only_name(code: Code, function: Function) -> bool:
    """Return whether a name is defined once, and otherwise only called or handed on."""
    holders = [node.parent.type for node in identifiers(code).get(function.name, ()) if node.parent is not None]
    defined = [holder for holder in holders if holder in _DEFINITIONS]
    return len(defined) == 1 and all(holder in _DEFINITIONS or holder in _CALLING for holder in holders)


def _is_read(code: Code, node: Node) -> bool:
    """Return whether a variable is used as a value there, more than compared with nothing."""
    parent = node.parent
    if parent is None or parent.type not in _READING:
        return False
    if "for" in parent.type and parent.child_by_field_name("left") == node:
        return False
    compared = parent.type in ("comparison_operator", "binary_expression")
    return not (compared and _NOTHING.search(code.said(parent)))


def _is_hollow(node: Node) -> bool:
    if node.type in ("comment", "pass_statement", "raise_statement", "throw_statement"):
        return True
    held = [child.type in ("ellipsis", "string") for child in node.named_children]
    return node.type == "expression_statement" and held == [True]
