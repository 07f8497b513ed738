"""Find the later uses of a call's result, and check whether the result is tested."""

from bisect import bisect_right
from collections.abc import Mapping
from itertools import islice, takewhile

from tree_sitter import Node

from actions.code.calls import Call, find_calls
from actions.code.language import Language
from actions.code.names import map_identifiers
from actions.code.tree import Code, list_ancestors
from actions.grouping import group_by_key
from actions.memo import memoize

_DECIDING_OPERATORS = frozenset({"||", "&&", "??", "==", "!=", "===", "!==", "<", ">", "<=", ">=", "in", "instanceof"})


def find_uses_after(code: Code, call: Call) -> tuple[Node, ...]:
    """Return the uses of a call's result in the same block, up to the next call that is assigned to its variable."""
    block = next((outer for outer in list_ancestors(call.node) if outer.type in code.language.blocks), None)
    if call.assigned is None or block is None:
        return ()
    uses, assigning = map_identifiers(code).get(call.assigned, ()), _map_assigning_calls(code)[call.assigned]
    first = bisect_right(uses, call.node.end_byte, key=lambda node: node.start_byte)
    next_call = bisect_right(assigning, call.node.start_byte)
    end = assigning[next_call] if next_call < len(assigning) else block.end_byte
    return tuple(takewhile(lambda node: node.start_byte < min(end, block.end_byte), islice(uses, first, None)))


@memoize
def _map_assigning_calls(code: Code) -> Mapping[str, list[int]]:
    return group_by_key((call.assigned, call.node.start_byte) for call in find_calls(code) if call.assigned)


@memoize
def _find_tested_ranges(code: Code) -> frozenset[tuple[int, int]]:
    """Return the byte ranges of the expressions whose result the code tests.

    A result is tested in a condition, with `?.` or `||`, or in a `try`.
    """
    ranges = set()
    stack = [(code.root, False)]
    while stack:
        node, is_tested = stack.pop()
        if is_tested:
            ranges.add((node.start_byte, node.end_byte))
        expression = node.child_by_field_name("condition") or node.child_by_field_name("value")
        condition = expression if node.type in code.language.conditionals else None
        are_tested = is_tested or _is_test(code.language, node)
        stack.extend((child, are_tested or child == condition) for child in node.named_children)
    return frozenset(ranges)


def _is_test(language: Language, node: Node) -> bool:
    if node.type in (*language.member_accesses, *language.subscripts):
        return any(child.type == "optional_chain" for child in node.children)
    if node.type in language.comparisons and (operator := node.child_by_field_name("operator")) is not None:
        return operator.type in _DECIDING_OPERATORS
    return node.type in language.truth_tests


def is_guarded(code: Code, call: Call) -> bool:
    """Return whether a call is in a `try` or a condition, or its result is tested afterwards."""
    nodes = (call.node, *find_uses_after(code, call))
    return any((node.start_byte, node.end_byte) in _find_tested_ranges(code) for node in nodes)
