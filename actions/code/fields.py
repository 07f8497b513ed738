"""Find reads and writes of state fields (`state.x`) in code, and the literals that the types of fields allow."""

from collections.abc import Iterator

import msgspec
from tree_sitter import Node

from actions.code.language import DeclaredValues
from actions.code.literals import read_string
from actions.code.tree import Code, get_child
from actions.regex import regex

_FIELD = regex(r"state\s*[.\[?!\\/#]")
"""`state` before a field. A comment or a line continuation may separate them."""
_EXTENDING_METHODS = frozenset({"push", "append", "unshift", "extend", "concat"})


class FieldUse(msgspec.Struct, frozen=True):
    """A read or write of `state.name`. `value` is the literal assigned to the field or compared with it, or None."""

    name: str
    is_set: bool
    line: int
    language: str
    value: str | None = None


def find_field_uses(code: Code) -> Iterator[FieldUse]:
    """Find the uses of fields of an object named `state`, in order."""
    if not _FIELD.search(code.text):
        return
    for node in code.nodes(*code.language.member_accesses, *code.language.subscripts):
        holder = get_child(node, "object", "value")
        owner = code.text_of(holder) if holder is not None and holder.type in code.language.variables else ""
        name = _get_name(code, node) if owner == "state" else ""
        if name:
            is_set, value = _classify_use(code, node)
            yield FieldUse(name, is_set, code.line(node), code.language.name, value)


def _get_name(code: Code, node: Node) -> str:
    if node.type in code.language.member_accesses:
        return code.text_of(get_child(node, "attribute", "property"))
    return read_string(code, get_child(node, "subscript", "index")) or ""


def _classify_use(code: Code, node: Node) -> tuple[bool, str | None]:
    """Return the `is_set` and `value` of a `FieldUse`."""
    parent = node.parent
    if parent is None:
        return False, None
    if parent.type in code.language.assignments and parent.child_by_field_name("left") == node:
        return True, read_string(code, parent.child_by_field_name("right"))
    if parent.type in code.language.updates:
        return True, None
    if parent.type in code.language.member_accesses:
        is_called = parent.parent is not None and parent.parent.type in code.language.calls
        method = code.text_of(get_child(parent, "attribute", "property"))
        return is_called and method in _EXTENDING_METHODS, None
    return False, _read_compared_literal(code, parent, node) if parent.type in code.language.comparisons else None


def _read_compared_literal(code: Code, comparison: Node, node: Node) -> str | None:
    """Return the literal that a node is compared with for equality, or None."""
    operators = {child.type for child in comparison.children if not child.is_named}
    other = next((child for child in comparison.named_children if child != node), None)
    return read_string(code, other) if operators & {"==", "===", "!=", "!=="} else None


def find_declared_values(code: Code) -> Iterator[DeclaredValues]:
    """Find the fields whose type allows only certain literals.

    Examples are `status: 'a' | 'b'` and `status: Literal["a", "b"]`.
    """
    return code.language.find_declared_values(code)
