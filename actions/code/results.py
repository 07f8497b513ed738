"""Find the uses of a call's result, and whether code tests it."""

from bisect import bisect_right
from collections.abc import Mapping
from itertools import islice, takewhile

from tree_sitter import Node

from actions.code.calls import Call, calls
from actions.code.language import Language
from actions.code.names import identifiers
from actions.code.tree import Code, ancestors
from actions.grouping import group_by_key
from actions.memo import memoize

_DECIDING_OPERATORS = frozenset({"||", "&&", "??", "==", "!=", "===", "!==", "<", ">", "<=", ">=", "in", "instanceof"})


def uses_after(code: Code, call: Call) -> tuple[Node, ...]:
    """Return the uses of a call's result in the same block, until another result is assigned to its variable."""
    block = next((outer for outer in ancestors(call.node) if outer.type in code.language.blocks), None)
    if call.assigned is None or block is None:
        return ()
    named, others = identifiers(code).get(call.assigned, ()), _assigning_calls(code)[call.assigned]
    start = bisect_right(named, call.node.end_byte, key=lambda node: node.start_byte)
    later = bisect_right(others, call.node.start_byte)
    end = others[later] if later < len(others) else block.end_byte
    return tuple(takewhile(lambda node: node.start_byte < min(end, block.end_byte), islice(named, start, None)))


@memoize
def _assigning_calls(code: Code) -> Mapping[str, list[int]]:
    """Map each variable to the start bytes of the calls whose results are assigned to it, in order."""
    return group_by_key((call.assigned, call.node.start_byte) for call in calls(code) if call.assigned)


@memoize
def _find_tested(code: Code) -> frozenset[tuple[int, int]]:
    """Return the byte ranges of the expressions that code tests with a condition, `?.`, `||` or an enclosing `try`."""
    found = set()
    waiting = [(code.root, False)]
    while waiting:
        node, tested = waiting.pop()
        if tested:
            found.add((node.start_byte, node.end_byte))
        given = node.child_by_field_name("condition") or node.child_by_field_name("value")
        deciding = given if node.type in code.language.conditions else None
        are_tested = tested or _is_test(code.language, node)
        waiting.extend((child, are_tested or child == deciding) for child in node.named_children)
    return frozenset(found)


def _is_test(language: Language, node: Node) -> bool:
    if node.type in (*language.members, *language.subscripts):
        return any(child.type == "optional_chain" for child in node.children)
    if node.type in language.comparisons and (operator := node.child_by_field_name("operator")) is not None:
        return operator.type in _DECIDING_OPERATORS
    return node.type in language.tests


def is_guarded(code: Code, call: Call) -> bool:
    """Return whether a call is in a `try` or a condition, or its result is tested afterwards."""
    return any((node.start_byte, node.end_byte) in _find_tested(code) for node in (call.node, *uses_after(code, call)))
