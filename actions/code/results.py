"""What code does with the result of a call: where it stands afterwards, whether it is tested, how it is used."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping
from itertools import islice

from tree_sitter import Node

from actions.code.calls import Call
from actions.code.tree import Code, above, is_inside
from actions.memo import once

PARSERS = frozenset({"JSON.parse", "json.loads"})
_BLOCKS = ("statement_block", "program", "block", "module")
_MOST_USES = 50
_CONDITIONS = frozenset(
    "if_statement elif_clause while_statement do_statement ternary_expression switch_statement".split()
)
_TESTS = frozenset(
    "try_statement optional_chain assert_statement comparison_operator boolean_operator not_operator match_statement"
    " conditional_expression unary_expression".split()
)
_DECIDING = frozenset({"||", "&&", "??", "==", "!=", "===", "!==", "<", ">", "<=", ">=", "in", "instanceof"})
_MEMBERS = {
    "member_expression": "object",
    "subscript_expression": "object",
    "attribute": "object",
    "subscript": "value",
}
_LOOPS = ("for_in_statement", "for_statement")


def uses_after(code: Code, call: Call) -> tuple[Node, ...]:
    """Return where the variable that takes the result stands after the call, in the block of the call."""
    block = next((outer for outer in above(call.node) if outer.type in _BLOCKS), None)
    named = _identifiers(code).get(call.assigned or "", [])
    if block is None:
        return ()
    start = bisect_right(named, call.node.end_byte, key=lambda node: node.start_byte)
    return tuple(node for node in islice(named, start, start + _MOST_USES) if is_inside(node, block))


@once
def _identifiers(code: Code) -> Mapping[str, list[Node]]:
    found: dict[str, list[Node]] = defaultdict(list)
    for node in code.nodes("identifier"):
        found[code.said(node)].append(node)
    return found


def is_tested(node: Node) -> bool:
    """Return whether code looks at a value before it relies on it: in a condition, by `?.` or `||`, within a try."""
    inner = node
    for outer in above(node):
        if outer.type in _TESTS or any(child.type == "optional_chain" for child in outer.children[1:2]):
            return True
        operator = outer.child_by_field_name("operator")
        if outer.type == "binary_expression" and operator is not None and operator.type in _DECIDING:
            return True
        deciding = outer.child_by_field_name("condition") or outer.child_by_field_name("value")
        if outer.type in _CONDITIONS and inner == deciding:
            return True
        inner = outer
    return False


def is_guarded(code: Code, call: Call) -> bool:
    """Return whether a call stands in a try or a condition, or its result is tested anywhere after it."""
    return is_tested(call.node) or any(map(is_tested, uses_after(code, call)))


def consumer(code: Code, node: Node) -> str | None:
    """Return the name of the function that a value, or a member of it, is an argument of; None where it is none."""
    for outer in above(node):
        if outer.type in ("arguments", "argument_list"):
            return code.said(outer.parent.child_by_field_name("function")) if outer.parent else None
        if outer.type not in (*_MEMBERS, "await_expression", "await", "parenthesized_expression"):
            return None
    return None


def is_dereferenced(node: Node) -> bool:
    """Return whether code takes a member of a member of a value, or goes through one of its members."""
    member = _member_of(node)
    if member is None:
        return False
    outer = member.parent
    if outer is not None and outer.type in _LOOPS:
        return outer.child_by_field_name("right") == member
    return _member_of(member) is not None or (outer is not None and outer.type == "spread_element")


def _member_of(node: Node) -> Node | None:
    """Return the expression that takes a member of this node."""
    outer = node.parent
    field = _MEMBERS.get(outer.type) if outer is not None else None
    return outer if outer is not None and field and outer.child_by_field_name(field) == node else None
