"""Where names and kinds of nodes stand in a code, in order: for asking what lies within a loop or a block."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence

from tree_sitter import Node

from actions.code.tree import Code
from actions.memo import once


@once
def identifiers(code: Code) -> Mapping[str, Sequence[Node]]:
    """Return the places of each name, in order."""
    found: dict[str, list[Node]] = defaultdict(list)
    for node in code.nodes("identifier"):
        found[code.said(node)].append(node)
    return found


def places(code: Code, name: str) -> Sequence[Node]:
    """Return the places of one name, in order."""
    return identifiers(code).get(name, ())


def first_within(nodes: Sequence[Node], outer: Node) -> Node | None:
    """Return the first of ordered nodes that begins within another node."""
    at = bisect_left(nodes, outer.start_byte, key=lambda node: node.start_byte)
    return nodes[at] if at < len(nodes) and nodes[at].start_byte < outer.end_byte else None
