"""Where each name stands in a code."""

from collections.abc import Mapping, Sequence

from tree_sitter import Node

from actions.code.tree import Code
from actions.memo import once


@once
def identifiers(code: Code) -> Mapping[str, Sequence[Node]]:
    """Return the places of each plain name, in order."""
    found: dict[str, list[Node]] = {}
    for node in code.nodes("identifier"):
        found.setdefault(code.said(node), []).append(node)
    return found
