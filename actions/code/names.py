"""Find the variables and assignments in code."""

from bisect import bisect_left
from collections.abc import Mapping, Sequence

import msgspec
from tree_sitter import Node

from actions.code.language import Language
from actions.code.tree import Code, get_child
from actions.grouping import group_by_key
from actions.memo import memoize


class Assignment(msgspec.Struct, frozen=True):
    """An assignment. `name` is the target as written: a variable, a field or a pattern."""

    language: Language
    name: str
    node: Node
    target: Node | None
    value: Node | None

    @property
    def is_plain(self) -> bool:
        """Whether the target is a variable."""
        return self.target is not None and self.target.type in self.language.variables

    @property
    def is_object(self) -> bool:
        """Whether the value is an object literal."""
        return self.value is not None and self.value.type in self.language.objects


@memoize
def find_assignments(code: Code) -> tuple[Assignment, ...]:
    """Return the assignments in code, declarations first."""
    language, nodes = code.language, code.nodes(*code.language.assignments)
    parts = ((node, get_child(node, "name", "left"), get_child(node, "value", "right")) for node in nodes)
    return tuple(Assignment(language, code.text_of(target), node, target, value) for node, target, value in parts)


@memoize
def map_identifiers(code: Code) -> Mapping[str, Sequence[Node]]:
    """Map the name of each variable to its nodes, in order."""
    return group_by_key((code.text_of(node), node) for node in code.nodes(*code.language.variables))


def find_first_within(nodes: Sequence[Node], outer: Node) -> Node | None:
    """Return the first of `nodes` (in text order) that begins within the node `outer`. Returns None if none does."""
    index = bisect_left(nodes, outer.start_byte, key=lambda node: node.start_byte)
    return nodes[index] if index < len(nodes) and nodes[index].start_byte < outer.end_byte else None
