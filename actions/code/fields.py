"""State fields in code: `state.x` that is set, grown, tested or read, and the values that a type declares."""

from collections.abc import Iterator
from dataclasses import dataclass

from tree_sitter import Node

from actions.code.literals import literal
from actions.code.tree import CALLS, PYTHON, Code, part

_GROW = frozenset({"push", "append", "unshift", "extend", "concat"})


@dataclass(frozen=True)
class FieldUse:
    """`state.name` in code, set or read. `value` is the literal that it is set to or compared with, where it is one."""

    name: str
    is_set: bool
    line: int
    language: str
    value: str | None = None


def field_uses(code: Code) -> Iterator[FieldUse]:
    """Return the uses of fields of an object named `state`, in order."""
    if "state" not in code.words:
        return
    python = code.language == PYTHON
    for node in code.nodes(*(("attribute", "subscript") if python else ("member_expression", "subscript_expression"))):
        holder = part(node, "object", "value")
        owner = code.said(holder) if holder is not None and holder.type == "identifier" else ""
        name = _name(code, node) if owner == "state" else ""
        if name:
            is_set, value = _act(code, node)
            yield FieldUse(name, is_set, code.line(node), code.language, value)


def _name(code: Code, node: Node) -> str:
    if node.type in ("attribute", "member_expression"):
        return code.said(part(node, "attribute", "property"))
    return literal(code, part(node, "subscript", "index")) or ""


def _act(code: Code, node: Node) -> tuple[bool, str | None]:
    parent = node.parent
    if parent is None:
        return False, None
    if parent.type in ("assignment", "assignment_expression") and parent.child_by_field_name("left") == node:
        return True, literal(code, parent.child_by_field_name("right"))
    if parent.type in ("augmented_assignment", "augmented_assignment_expression", "update_expression"):
        return True, None
    if parent.type in ("attribute", "member_expression"):
        called = parent.parent is not None and parent.parent.type in CALLS
        method = code.said(part(parent, "attribute", "property"))
        return called and method in _GROW, None
    if parent.type in ("binary_expression", "comparison_operator"):
        return _compared(code, parent, node)
    return False, None


def _compared(code: Code, parent: Node, node: Node) -> tuple[bool, str | None]:
    signs = {child.type for child in parent.children if not child.is_named}
    other = next((child for child in parent.named_children if child != node), None)
    return False, literal(code, other) if signs & {"==", "===", "!=", "!=="} else None


def declared_values(code: Code) -> Iterator[tuple[str, frozenset[str], int]]:
    """Return (field, its allowed literals, line): `status: 'a' | 'b'`, or `status: Literal["a", "b"]` in Python."""
    is_python = code.language == PYTHON
    kind, mark = ("assignment", "Literal") if is_python else ("property_signature", "|")
    for node in code.nodes(kind) if mark in code.text else ():
        given = node.child_by_field_name("type")
        literals = [literal(code, one) for one in (_of_literal(code, given) if is_python else _members(given))]
        values = frozenset(filter(None, literals))
        if len(values) > 1 and None not in literals:
            yield code.said(node.child_by_field_name("left" if is_python else "name")), values, code.line(node)


def _of_literal(code: Code, given: Node | None) -> Iterator[Node | None]:
    """Return what stands in the brackets of `Literal[…]`; nothing for another type."""
    kind = given.named_children[0] if given is not None and given.named_children else None
    if kind is not None and kind.type == "generic_type" and code.said(kind.named_children[0]) == "Literal":
        for one in kind.named_children[1].named_children:
            yield one.named_children[0] if one.named_children else None


def _members(union: Node | None) -> Iterator[Node | None]:
    """Return the literals of a union; None for what is no literal."""
    waiting = union.named_children if union is not None else []
    while waiting:
        one = waiting.pop()
        if one.type == "union_type":
            waiting.extend(one.named_children)
        else:
            yield one.named_children[0] if one.type == "literal_type" and one.named_children else None
