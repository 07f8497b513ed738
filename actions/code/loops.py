"""Loops that by their own text cannot end."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from tree_sitter import Node

from actions.code.calls import CLAUDE_TOOLS, called, tool_calls
from actions.code.names import ASSIGNMENTS, first_within, identifiers
from actions.code.tree import BASH, CALLS, FUNCTIONS, JAVASCRIPT, PYTHON, TYPESCRIPT, Code, below, part
from actions.grouping import group_by_key
from actions.memo import memoize

_LOOPS = ("while_statement", "do_statement", "for_statement")
_WHILE = frozenset({"while", "until"})
_EXITS = ("break_statement", "return_statement", "throw_statement", "raise_statement", "yield_expression", "yield")
_COUNTERS = ("augmented_assignment", "augmented_assignment_expression", "update_expression")
_LEAVING_CALLS = ("exit", "quit", "abort", "die", "panic", "fail")
_LEAVING_COMMANDS = frozenset({"break", "exit", "return", "exec"})
_PLAIN = frozenset(
    "parenthesized_expression unary_expression not_operator boolean_operator binary_expression comparison_operator"
    " string string_fragment string_start string_content string_end true false number integer float".split()
)
_ALWAYS = ("", "true", "1", ":")
_NUMBERS = frozenset({"number", "integer", "float"})
_WAITS = frozenset({"sleep", "wait", "delay", "setTimeout", "poll"})
_ASKS = "AskUserQuestion"


@dataclass(frozen=True)
class Loop:
    """A loop that by its own text cannot end, and its condition in one line."""

    line: int
    line_end: int
    condition: str


def may_loop(code: Code, *, of_tools: bool = False) -> bool:
    """Return whether a code has the words of such a loop: other code needs no tree. `for (;;)` is no Python."""
    words = _WHILE if code.language in (PYTHON, BASH) else _WHILE | {"for"}
    return not code.words.isdisjoint(words) and not (of_tools and code.words.isdisjoint(CLAUDE_TOOLS))


def endless_loops(code: Code, *, of_tools: bool = False) -> Iterator[Loop]:
    """Return the loops that nothing leaves, with a condition that is always true or of names that never change.

    Of loops within each other it is the outermost. `of_tools` leaves only those in which Claude Code works or waits.
    """
    end = 0
    nodes = code.nodes(*_LOOPS) if may_loop(code, of_tools=of_tools) else ()
    for node in sorted(nodes, key=lambda node: node.start_byte):
        if node.start_byte >= end and _is_endless(code, node):
            end = node.end_byte
            if not of_tools or _is_of_tools(code, node):
                yield Loop(code.line(node), code.line_end(node), _bare(code, part(node, "condition")))


def _is_of_tools(code: Code, node: Node) -> bool:
    """Return whether a loop calls tools and does not ask the user, or waits for a name in code that calls tools."""
    names = {called(code, one) for one in below(node)}
    waits = any(name.rsplit(".", 1)[-1] in _WAITS for name in names)
    constant = _bare(code, part(node, "condition")).lower() in _ALWAYS
    works = not names.isdisjoint(CLAUDE_TOOLS) and _ASKS not in names
    return works or (waits and not constant and any(tool_calls(code)))


def _is_endless(code: Code, node: Node) -> bool:
    condition, is_for = part(node, "condition"), node.type == "for_statement"
    is_bare = code.language in (JAVASCRIPT, TYPESCRIPT) and not _bare(code, condition)  # `for (;;)`
    if (is_for and not is_bare) or _leaves(code, node):
        return False
    names = () if is_for else _names(code, condition)
    return names is not None and not any(_changes(code, node, name) for name in names)


def _bare(code: Code, condition: Node | None) -> str:
    """Return the text of a condition in one line, without the brackets around it."""
    text = " ".join(code.said(condition).split()).strip("; ")
    return text[1:-1].strip() if text[:1] == "(" and text[-1:] == ")" else text


def _names(code: Code, condition: Node | None) -> tuple[str, ...] | None:
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
        elif node.is_named and node.type not in _PLAIN:
            return None
    return tuple(dict.fromkeys(names)) or None


@memoize
def _owners(code: Code) -> tuple[Mapping[int, list[Node]], Mapping[int, int]]:
    """Return what leaves a loop, by the function that holds it, and the function of each loop; -1 for none."""
    exits: dict[int, list[Node]] = defaultdict(list)
    loops: dict[int, int] = {}
    waiting = [(code.root, -1)]
    while waiting:
        node, owner = waiting.pop()
        if node.type in _LOOPS:
            loops[node.id] = owner
        elif _is_exit(code, node):
            exits[owner].append(node)
        inner = node.start_byte if node.type in FUNCTIONS else owner
        waiting.extend((child, inner) for child in reversed(node.named_children))
    return exits, loops


def _is_exit(code: Code, node: Node) -> bool:
    if node.type in CALLS:
        name = called(code, node).lower()
        return any(word in name for word in _LEAVING_CALLS)
    return code.said(part(node, "name")) in _LEAVING_COMMANDS if node.type == "command" else node.type in _EXITS


@memoize
def _tries(code: Code) -> tuple[list[int], list[int]]:
    """Return where tries begin, in order, and the furthest end of those up to each."""
    nodes = list(code.nodes("try_statement"))
    return [node.start_byte for node in nodes], list(accumulate((node.end_byte for node in nodes), max))


def _leaves(code: Code, loop: Node) -> bool:
    """Return whether something in a loop, or a handler around it, may leave it."""
    starts, furthest = _tries(code)
    if (before := bisect_right(starts, loop.start_byte)) and furthest[before - 1] >= loop.end_byte:
        return True
    exits, loops = _owners(code)
    return first_within(exits.get(loops.get(loop.id, -1), ()), loop) is not None


def _changes(code: Code, loop: Node, name: str) -> bool:
    """Return whether a name may get another value: it is assigned in the loop or at several places, or it is handed on.

    What is compared with a number is a number, which only an assignment changes.
    """
    body, condition = part(loop, "body") or loop, part(loop, "condition") or loop
    used = first_within(identifiers(code).get(name, ()), body) is not None
    if any(one.type in _NUMBERS for one in below(condition)):
        used = used and first_within(_targets(code).get(name, ()), body) is not None
    return used or len(_targets(code).get(name, ())) > 1


@memoize
def _targets(code: Code) -> Mapping[str, Sequence[Node]]:
    set_by = code.nodes(*ASSIGNMENTS, *_COUNTERS, "named_expression")
    targets = (part(node, "left", "name", "argument") for node in set_by)
    names = (one for target in targets if target is not None for one in below(target) if one.type == "identifier")
    found = group_by_key((code.said(one), one) for one in names)
    return {name: sorted(nodes, key=lambda node: node.start_byte) for name, nodes in found.items()}
