"""What code does with the result of a call: where it stands afterwards, whether it is tested, how it is used."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping
from itertools import islice, takewhile

from tree_sitter import Node

from actions.code.calls import Call, calls
from actions.code.names import places
from actions.code.tree import Code, above
from actions.memo import once

PARSERS = frozenset({"JSON.parse", "json.loads"})
_BLOCKS = ("statement_block", "program", "block", "module")
_CONDITIONS = frozenset(
    "if_statement elif_clause while_statement do_statement ternary_expression switch_statement".split()
)
_TESTS = frozenset(
    "try_statement assert_statement comparison_operator boolean_operator not_operator match_statement"
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
    """Return where the result stands after the call, in its block, until its variable takes another result."""
    block = next((outer for outer in above(call.node) if outer.type in _BLOCKS), None)
    if call.assigned is None or block is None:
        return ()
    named, others = places(code, call.assigned), _takers(code)[call.assigned]
    start = bisect_right(named, call.node.end_byte, key=lambda node: node.start_byte)
    later = bisect_right(others, call.node.start_byte)
    end = others[later] if later < len(others) else block.end_byte
    return tuple(takewhile(lambda node: node.start_byte < min(end, block.end_byte), islice(named, start, None)))


@once
def _takers(code: Code) -> Mapping[str, list[int]]:
    """Return where calls begin whose result a variable takes, by the variable."""
    found: dict[str, list[int]] = defaultdict(list)
    for call in calls(code):
        if call.assigned:
            found[call.assigned].append(call.node.start_byte)
    return found


def is_tested(code: Code, node: Node) -> bool:
    """Return whether code looks at a value before it relies on it: in a condition, by `?.` or `||`, within a try."""
    return (node.start_byte, node.end_byte) in _tested(code)


@once
def _tested(code: Code) -> frozenset[tuple[int, int]]:
    """Return the places of all nodes that a test holds."""
    found = set()
    waiting = [(code.root, False)]
    while waiting:
        node, tested = waiting.pop()
        if tested:
            found.add((node.start_byte, node.end_byte))
        deciding = _deciding(node)
        holds = tested or _is_test(node)
        waiting.extend((child, holds or child == deciding) for child in node.named_children)
    return frozenset(found)


def _is_test(node: Node) -> bool:
    if node.type == "binary_expression":
        operator = node.child_by_field_name("operator")
        return operator is not None and operator.type in _DECIDING
    return node.type in _TESTS or (node.type in _MEMBERS and any(one.type == "optional_chain" for one in node.children))


def _deciding(node: Node) -> Node | None:
    if node.type not in _CONDITIONS:
        return None
    return node.child_by_field_name("condition") or node.child_by_field_name("value")


def is_guarded(code: Code, call: Call) -> bool:
    """Return whether a call stands in a try or a condition, or its result is tested anywhere after it."""
    return is_tested(code, call.node) or any(is_tested(code, use) for use in uses_after(code, call))


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
