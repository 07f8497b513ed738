"""What code does with the result of a call: where it stands afterwards, and whether it is tested."""

from bisect import bisect_right
from collections.abc import Mapping
from itertools import islice, takewhile

from tree_sitter import Node

from actions.code.calls import Call, calls
from actions.code.names import identifiers
from actions.code.tree import Code, above
from actions.grouping import group_by_key
from actions.memo import memoize

_BLOCKS = ("statement_block", "program", "block", "module")
_CONDITIONS = frozenset(
    "if_statement elif_clause while_statement do_statement ternary_expression switch_statement".split()
)
_TESTS = frozenset(
    "try_statement assert_statement comparison_operator boolean_operator not_operator match_statement"
    " conditional_expression unary_expression".split()
)
_DECIDING = frozenset({"||", "&&", "??", "==", "!=", "===", "!==", "<", ">", "<=", ">=", "in", "instanceof"})
_MEMBERS = frozenset({"member_expression", "subscript_expression", "attribute", "subscript"})


def uses_after(code: Code, call: Call) -> tuple[Node, ...]:
    """Return where the result stands after the call, in its block, until its variable takes another result."""
    block = next((outer for outer in above(call.node) if outer.type in _BLOCKS), None)
    if call.assigned is None or block is None:
        return ()
    named, others = identifiers(code).get(call.assigned, ()), _takers(code)[call.assigned]
    start = bisect_right(named, call.node.end_byte, key=lambda node: node.start_byte)
    later = bisect_right(others, call.node.start_byte)
    end = others[later] if later < len(others) else block.end_byte
    return tuple(takewhile(lambda node: node.start_byte < min(end, block.end_byte), islice(named, start, None)))


@memoize
def _takers(code: Code) -> Mapping[str, list[int]]:
    return group_by_key((call.assigned, call.node.start_byte) for call in calls(code) if call.assigned)


@memoize
def _tested(code: Code) -> frozenset[tuple[int, int]]:
    """Return the places of what code looks at before it relies on it: in a condition, by `?.` or `||`, within a try."""
    found = set()
    waiting = [(code.root, False)]
    while waiting:
        node, tested = waiting.pop()
        if tested:
            found.add((node.start_byte, node.end_byte))
        given = node.child_by_field_name("condition") or node.child_by_field_name("value")
        deciding = given if node.type in _CONDITIONS else None
        holds = tested or _is_test(node)
        waiting.extend((child, holds or child == deciding) for child in node.named_children)
    return frozenset(found)


def _is_test(node: Node) -> bool:
    if node.type == "binary_expression":
        operator = node.child_by_field_name("operator")
        return operator is not None and operator.type in _DECIDING
    return node.type in _TESTS or (node.type in _MEMBERS and any(one.type == "optional_chain" for one in node.children))


def is_guarded(code: Code, call: Call) -> bool:
    """Return whether a call stands in a try or a condition, or its result is tested anywhere after it."""
    return any((node.start_byte, node.end_byte) in _tested(code) for node in (call.node, *uses_after(code, call)))
