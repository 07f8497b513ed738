"""The constants that code sets to a literal: names in capitals of two words or more, outside of functions."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from actions.code.literals import value
from actions.code.tree import BASH, FUNCTIONS, PYTHON, Code, above, part

NAME = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")


@dataclass(frozen=True)
class Constant:
    """A constant, its literal as text, and its line."""

    name: str
    value: str
    line: int


def constants(code: Code) -> Iterator[Constant]:
    """Return the constants of a code that are set once, to a literal."""
    kind = {PYTHON: "assignment", BASH: "variable_assignment"}.get(code.language, "variable_declarator")
    nodes = code.nodes(kind) if NAME.search(code.text) else ()
    found = [(code.said(part(node, "left", "name")), node) for node in nodes]
    times = Counter(name for name, _ in found)
    for name, node in found:
        given = value(code, part(node, "right", "value")) if NAME.fullmatch(name) and times[name] == 1 else None
        if given is not None and not any(n.type in FUNCTIONS for n in above(node)):
            yield Constant(name, given, code.line(node))
