"""Where names stand in a code and what they are given, in order: for asking what lies within a loop or a block."""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tree_sitter import Node

from actions.code.tree import Code, part
from actions.grouping import group_by_key
from actions.memo import memoize

ASSIGNMENTS = ("variable_declarator", "assignment", "assignment_expression")


@dataclass(frozen=True)
class Assignment:
    """A target that is given a value. `name` is the target as it is written: a variable, a field, a pattern."""

    name: str
    node: Node
    target: Node | None
    value: Node | None

    @property
    def is_plain(self) -> bool:
        """Whether the target is a variable."""
        return self.target is not None and self.target.type == "identifier"

    @property
    def is_object(self) -> bool:
        """Whether the value is an object literal or a dictionary."""
        return self.value is not None and self.value.type in ("object", "dictionary")


@memoize
def assignments(code: Code) -> tuple[Assignment, ...]:
    """Return the assignments of a code, declarations first."""
    parts = ((node, part(node, "name", "left"), part(node, "value", "right")) for node in code.nodes(*ASSIGNMENTS))
    return tuple(Assignment(code.said(target), node, target, value) for node, target, value in parts)


@memoize
def identifiers(code: Code) -> Mapping[str, Sequence[Node]]:
    """Return the places of each name, in order."""
    return group_by_key((code.said(node), node) for node in code.nodes("identifier"))


def first_within(nodes: Sequence[Node], outer: Node) -> Node | None:
    """Return the first of ordered nodes that begins within another node."""
    at = bisect_left(nodes, outer.start_byte, key=lambda node: node.start_byte)
    return nodes[at] if at < len(nodes) and nodes[at].start_byte < outer.end_byte else None
