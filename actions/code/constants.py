"""The constants that code sets to a literal: names in capitals of two words or more, outside of functions."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from tree_sitter import Node

from actions.code.literals import literal, number
from actions.code.tree import BASH, PYTHON, Code, above

NAME = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")
_FUNCTIONS = frozenset(
    {"function_definition", "function_declaration", "arrow_function", "method_definition", "class_definition"}
)


@dataclass(frozen=True)
class Constant:
    """A constant, its literal as text, and its line."""

    name: str
    value: str
    line: int


def constants(code: Code) -> Iterator[Constant]:
    """Return the constants of a code that are set once, to a literal."""
    kind = {PYTHON: "assignment", BASH: "variable_assignment"}.get(code.language, "variable_declarator")
    found = [
        (code.said(node.child_by_field_name("left") or node.child_by_field_name("name")), node)
        for node in code.nodes(kind)
    ]
    times = Counter(name for name, _ in found)
    for name, node in found:
        value = _value(code, node.child_by_field_name("right") or node.child_by_field_name("value"))
        if (
            value is not None
            and times[name] == 1
            and NAME.fullmatch(name)
            and not any(n.type in _FUNCTIONS for n in above(node))
        ):
            yield Constant(name, value, code.line(node))


def _value(code: Code, node: Node | None) -> str | None:
    text = literal(code, node)
    return number(code, node) if text is None else text
