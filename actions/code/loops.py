"""Loops without a bound: those that by their own text cannot end, and those that only the answer of a tool ends."""

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from tree_sitter import Node

from actions.code.calls import CLAUDE_TOOLS, calls
from actions.code.names import first_within, places
from actions.code.tree import BASH, JAVASCRIPT, TYPESCRIPT, Code, below
from actions.memo import once

_LOOPS = ("while_statement", "do_statement", "for_statement")
_EXITS = ("break_statement", "return_statement", "throw_statement", "raise_statement", "yield_expression", "yield")
_ASSIGNMENTS = (
    "assignment", "assignment_expression", "augmented_assignment", "augmented_assignment_expression",
    "update_expression", "variable_declarator", "named_expression",
)  # fmt: skip
_COUNTERS = ("augmented_assignment", "augmented_assignment_expression", "update_expression")
_CALLS = ("call", "call_expression")
_LEAVING_CALLS = ("exit", "quit", "abort", "die", "panic", "fail")
_LEAVING_COMMANDS = frozenset({"break", "exit", "return", "exec"})
_PLAIN = frozenset(
    "parenthesized_expression unary_expression not_operator boolean_operator binary_expression comparison_operator"
    " string string_fragment string_start string_content string_end true false".split()
)
_MEMBERS = frozenset({"member_expression", "attribute", "property_identifier"})
_ALWAYS = ("", "true", "1", ":")
_ORDERS = frozenset({"<", ">", "<=", ">="})
_WAITS = frozenset({"sleep", "wait", "delay", "setTimeout", "poll"})
_ASKS = "AskUserQuestion"


@dataclass(frozen=True)
class Loop:
    """A loop that has no bound. `answers` are the variables whose new value, the answer of a tool, alone can end it."""

    line: int
    line_end: int
    condition: str
    node: Node
    called: frozenset[str]
    answers: tuple[str, ...] = ()

    @property
    def is_constant(self) -> bool:
        """Whether the condition is always true by itself."""
        return self.condition.lower() in _ALWAYS

    @property
    def calls_tools(self) -> bool:
        """Whether the loop calls tools of Claude Code, and no question to the user among them."""
        return bool(self.called & CLAUDE_TOOLS) and _ASKS not in self.called

    @property
    def waits(self) -> bool:
        """Whether the loop pauses between its rounds."""
        return any(name.rsplit(".", 1)[-1] in _WAITS for name in self.called)


def endless_loops(code: Code) -> Iterator[Loop]:
    """Return the loops that nothing leaves, with a condition that is always true or of names that never change.

    Of loops within each other it is the outermost.
    """
    end = 0
    for node in sorted(code.nodes(*_LOOPS), key=lambda node: node.start_byte):
        if node.start_byte >= end and _is_endless(code, node):
            end = node.end_byte
            yield _loop(code, node)


def _is_endless(code: Code, node: Node) -> bool:
    body = node.child_by_field_name("body")
    if body is None or (node.type == "for_statement" and not _is_bare(code, node)) or _leaves(code, node):
        return False
    names = () if node.type == "for_statement" else _names(code, node.child_by_field_name("condition"), _PLAIN)
    return names is not None and not any(_changes(code, body, name) for name in names)


def unbounded_retries(code: Code) -> Iterator[Loop]:
    """Return the loops that end only when a tool's answer says so: no counter, no exit, no comparison by size."""
    counters = _places(code).counters
    end = 0
    for node in sorted(code.nodes("while_statement", "do_statement"), key=lambda node: node.start_byte):
        if node.start_byte < end or _leaves(code, node) or first_within(counters, node) is not None:
            continue
        names = _names(code, node.child_by_field_name("condition"), _PLAIN | _MEMBERS)
        if (
            names
            and _is_until(code, node)
            and all(first_within(_answers(code).get(name, ()), node) is not None for name in names)
        ):
            end = node.end_byte
            yield _loop(code, node, names)


def _is_until(code: Code, loop: Node) -> bool:
    """Return whether a loop waits for an answer to be so: what goes on while there is a next page ends by itself."""
    condition = code.said(loop.child_by_field_name("condition"))
    return any(mark in condition for mark in ("!", "not ", "=="))


def _loop(code: Code, node: Node, answers: tuple[str, ...] = ()) -> Loop:
    inner = (one for one in below(node) if one.type in _CALLS)
    called = (code.said(one.child_by_field_name("function")) for one in inner)
    text = _bare(code, node.child_by_field_name("condition"))
    return Loop(code.line(node), code.line_end(node), text, node, frozenset(called), answers)


def _bare(code: Code, condition: Node | None) -> str:
    """Return the text of a condition in one line, without the brackets around it."""
    text = " ".join(code.said(condition).split()).strip("; ")
    return text[1:-1].strip() if text[:1] == "(" and text[-1:] == ")" else text


def _is_bare(code: Code, node: Node) -> bool:
    """Return whether this is `for (;;)`."""
    return code.language in (JAVASCRIPT, TYPESCRIPT) and not _bare(code, node.child_by_field_name("condition"))


def _names(code: Code, condition: Node | None, plain: frozenset[str]) -> tuple[str, ...] | None:
    """Return the names of a condition that they alone decide; empty for one that is always true, None for any other."""
    if condition is None:
        return None
    if _bare(code, condition).lower() in _ALWAYS:
        return ()
    if code.language == BASH:
        return None
    names = []
    for node in below(condition):
        if node.type == "identifier":
            names.append(code.said(node))
        elif node.type in _ORDERS or (node.is_named and node.type not in plain):
            return None
    return tuple(dict.fromkeys(names)) or None


@dataclass(frozen=True)
class _Places:
    """What may end a loop, each kind in order: what leaves it, the tries with the furthest end up to each, counters."""

    exits: Sequence[Node]
    tries: Sequence[Node]
    furthest: Sequence[int]
    counters: Sequence[Node]


@once
def _places(code: Code) -> _Places:
    def ordered(nodes: Iterable[Node]) -> list[Node]:
        return sorted(nodes, key=lambda node: node.start_byte)

    leaving = (node for node in code.nodes(*_CALLS) if _is_leaving(code.said(node.child_by_field_name("function"))))
    commands = (n for n in code.nodes("command") if code.said(n.child_by_field_name("name")) in _LEAVING_COMMANDS)
    tries = ordered(code.nodes("try_statement"))
    exits = ordered((*code.nodes(*_EXITS), *leaving, *commands))
    furthest = list(accumulate((node.end_byte for node in tries), max))
    return _Places(exits, tries, furthest, ordered(code.nodes(*_COUNTERS)))


def _is_leaving(name: str) -> bool:
    return any(word in name.lower() for word in _LEAVING_CALLS)


def _leaves(code: Code, loop: Node) -> bool:
    """Return whether something in a loop, or a handler around it, may leave it."""
    found = _places(code)
    before = bisect_right(found.tries, loop.start_byte, key=lambda node: node.start_byte)
    handled = before > 0 and found.furthest[before - 1] >= loop.end_byte
    return handled or first_within(found.exits, loop) is not None


def _changes(code: Code, body: Node, name: str) -> bool:
    """Return whether a name may get another value: it stands in the loop, or is assigned at more than one place."""
    return _assigned(code)[name] > 1 or first_within(places(code, name), body) is not None


@once
def _assigned(code: Code) -> Mapping[str, int]:
    """Return how often each name is assigned."""
    targets = (_target(node) for node in code.nodes(*_ASSIGNMENTS))
    return Counter(code.said(one) for target in targets if target for one in below(target) if one.type == "identifier")


def _target(node: Node) -> Node | None:
    return node.child_by_field_name("left") or node.child_by_field_name("name") or node.child_by_field_name("argument")


@once
def _answers(code: Code) -> Mapping[str, Sequence[Node]]:
    """Return the calls of tools whose answer a variable takes, by the variable."""
    found: dict[str, list[Node]] = defaultdict(list)
    for call in calls(code):
        if call.assigned and call.name in CLAUDE_TOOLS:
            found[call.assigned].append(call.node)
    return found
