"""State fields in code: `state.x` that is set, grown, tested or read; keys that a literal declares; declared values."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from tree_sitter import Node

from actions.code.calls import object_pairs
from actions.code.literals import literal
from actions.code.tree import PYTHON, Code

_SPREADS = re.compile("spread_element|dictionary_splat")
_GROW = frozenset({"push", "append", "unshift", "extend", "concat"})


class Act(StrEnum):
    """What is done with a field."""

    SET = "set"
    GROWN = "grown"
    TESTED = "tested"
    READ = "read"


@dataclass(frozen=True)
class FieldUse:
    """`owner.name` in code. `value` is the literal that it is set to or compared with, where it is one."""

    owner: str
    name: str
    act: Act
    line: int
    node: Node
    value: str | None = None


def field_uses(code: Code, owners: frozenset[str] = frozenset({"state"})) -> Iterator[FieldUse]:
    """Return the uses of fields of the named objects, in order."""
    kind = "attribute" if code.language == PYTHON else "member_expression"
    for node in code.nodes(kind, *(("subscript",) if code.language == PYTHON else ("subscript_expression",))):
        owner, name = _parts(code, node)
        if owner in owners and name:
            act, value = _act(code, node)
            yield FieldUse(owner, name, act, code.line(node), node, value)


def object_names(code: Code) -> dict[str, tuple[frozenset[str], int]]:
    """Return the variables that are only ever given one object literal without a spread, with its keys and its line."""
    found: dict[str, tuple[frozenset[str], int] | None] = {}
    for node in code.nodes("variable_declarator", "assignment_expression", "assignment"):
        target = node.child_by_field_name("name") or node.child_by_field_name("left")
        value = node.child_by_field_name("value") or node.child_by_field_name("right")
        if target is not None and target.type == "identifier":
            name = code.said(target)
            whole = value is not None and value.type in ("object", "dictionary") and name not in found
            closed = (
                whole and value is not None and not any(_SPREADS.match(child.type) for child in value.named_children)
            )
            found[name] = (
                (frozenset(object_pairs(code, value)), code.line(node)) if closed and value is not None else None
            )
    return {name: given for name, given in found.items() if given}


def _parts(code: Code, node: Node) -> tuple[str, str]:
    if node.type in ("attribute", "member_expression"):
        owner = code.said(node.child_by_field_name("object"))
        return owner, code.said(node.child_by_field_name("attribute") or node.child_by_field_name("property"))
    owner = code.said(node.child_by_field_name("value") or node.child_by_field_name("object"))
    return owner, literal(code, node.child_by_field_name("subscript") or node.child_by_field_name("index")) or ""


def _act(code: Code, node: Node) -> tuple[Act, str | None]:
    parent = node.parent
    if parent is None:
        return Act.READ, None
    if parent.type in ("assignment", "assignment_expression") and parent.child_by_field_name("left") == node:
        return Act.SET, literal(code, parent.child_by_field_name("right"))
    if parent.type in ("augmented_assignment", "augmented_assignment_expression", "update_expression"):
        return Act.SET, None
    if parent.type in ("attribute", "member_expression"):
        called = parent.parent is not None and parent.parent.type in ("call", "call_expression")
        method = code.said(parent.child_by_field_name("attribute") or parent.child_by_field_name("property"))
        return (Act.GROWN if called and method in _GROW else Act.READ), None
    if parent.type in ("binary_expression", "comparison_operator"):
        return _compared(code, parent, node)
    return Act.READ, None


def _compared(code: Code, parent: Node, node: Node) -> tuple[Act, str | None]:
    """Return the literal that a field is compared with for equality."""
    signs = {child.type for child in parent.children if not child.is_named}
    other = next((child for child in parent.named_children if child != node), None)
    value = literal(code, other)
    return (Act.TESTED, value) if signs & {"==", "===", "!=", "!=="} and value is not None else (Act.READ, None)


def declared_values(code: Code) -> Iterator[tuple[str, frozenset[str], int]]:
    """Return (field, its allowed literals, line) of TypeScript unions: `status: 'a' | 'b'`."""
    for node in code.nodes("property_signature"):
        union = list(_literal_types(node))
        values = frozenset(filter(None, (literal(code, n.named_children[0]) for n in union if n.named_children)))
        only = all(n.named_children and n.named_children[0].type == "string" for n in union)
        if len(values) > 1 and only and _is_union(node):
            yield code.said(node.child_by_field_name("name")), values, code.line(node)


def _is_union(node: Node) -> bool:
    """Return whether a property's type is a union of literals and nothing else."""
    given = node.child_by_field_name("type")
    waiting = list(given.named_children) if given is not None else []
    while waiting:
        one = waiting.pop()
        if one.type == "union_type":
            waiting.extend(one.named_children)
        elif one.type != "literal_type":
            return False
    return given is not None


def _literal_types(node: Node) -> Iterator[Node]:
    waiting = [node]
    while waiting:
        one = waiting.pop()
        if one.type == "literal_type":
            yield one
        else:
            waiting.extend(one.named_children)
