"""Find loops that provably cannot end."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate

import msgspec
from tree_sitter import Node

from actions.code.calls import CLAUDE_TOOLS, callee, tool_calls
from actions.code.names import first_within, identifiers
from actions.code.tree import Code, child, walk
from actions.grouping import group_by_key
from actions.memo import memoize

_LEAVING_CALLS = ("exit", "quit", "abort", "die", "panic", "fail")
_LEAVING_COMMANDS = frozenset({"break", "exit", "return", "exec"})
_ALWAYS_TRUE = ("", "true", "1", ":")
_WAITING_CALLS = frozenset({"sleep", "wait", "delay", "setTimeout", "poll"})
_ASKING_TOOL = "AskUserQuestion"


class Loop(msgspec.Struct, frozen=True):
    """A loop that cannot end, and its condition on one line."""

    line: int
    line_end: int
    condition: str


def may_loop(code: Code, *, with_tools: bool = False) -> bool:
    """Return whether code contains a loop keyword and, if `with_tools`, may call tools, which shell code cannot.

    If not, it need not be parsed.
    """
    if with_tools and (not code.language.calls or code.words.isdisjoint(CLAUDE_TOOLS)):
        return False
    return not code.words.isdisjoint(code.language.loop_words)


def endless_loops(code: Code, *, with_tools: bool = False) -> Iterator[Loop]:
    """Find the loops without an exit whose condition is always true or depends only on names that never change.

    Of nested loops, only the outermost is returned. `with_tools` limits them to loops in which Claude Code works or
    waits.
    """
    end = 0
    nodes = (
        code.nodes(*code.language.loops, *code.language.counting_loops) if may_loop(code, with_tools=with_tools) else ()
    )
    for node in sorted(nodes, key=lambda node: node.start_byte):
        if node.start_byte >= end and _is_endless(code, node):
            end = node.end_byte
            if not with_tools or _uses_tools(code, node):
                yield Loop(code.line(node), code.line_end(node), _condition_text(code, child(node, "condition")))


def _uses_tools(code: Code, node: Node) -> bool:
    """Return whether a loop calls tools without asking the user, or waits in code that calls tools."""
    names = {callee(code, inner) for inner in walk(node)}
    waits = any(name.rsplit(".", 1)[-1] in _WAITING_CALLS for name in names)
    constant = _condition_text(code, child(node, "condition")).lower() in _ALWAYS_TRUE
    works = not names.isdisjoint(CLAUDE_TOOLS) and _ASKING_TOOL not in names
    return works or (waits and not constant and any(tool_calls(code)))


def _is_endless(code: Code, node: Node) -> bool:
    condition, is_counting = child(node, "condition"), node.type in code.language.counting_loops
    if (is_counting and _condition_text(code, condition)) or _may_exit(code, node):
        return False
    names = () if is_counting else _list_condition_names(code, condition)
    return names is not None and not any(_changes(code, node, name) for name in names)


def _condition_text(code: Code, condition: Node | None) -> str:
    """Return a condition on one line, without the parentheses around it."""
    text = " ".join(code.text_of(condition).split()).strip("; ")
    return text[1:-1].strip() if text[:1] == "(" and text[-1:] == ")" else text


def _list_condition_names(code: Code, condition: Node | None) -> tuple[str, ...] | None:
    """Return the names on which a condition depends; empty if it is always true, None if it depends on other things."""
    if condition is None:
        return None
    if _condition_text(code, condition).lower() in _ALWAYS_TRUE:
        return ()
    names = []
    for node in walk(condition):
        if node.type in code.language.variables:
            names.append(code.text_of(node))
        elif node.is_named and node.type not in code.language.condition_parts:
            return None
    return tuple(dict.fromkeys(names)) or None


@memoize
def _group_exits(code: Code) -> tuple[Mapping[int, list[Node]], Mapping[int, int]]:
    """Map each function to the exits in it, and each loop (by node ID) to the function that contains it. Functions are
    identified by their start byte; -1 is the code outside functions.
    """
    exits: dict[int, list[Node]] = defaultdict(list)
    loops: dict[int, int] = {}
    loop_kinds = (*code.language.loops, *code.language.counting_loops)
    waiting = [(code.root, -1)]
    while waiting:
        node, owner = waiting.pop()
        if node.type in loop_kinds:
            loops[node.id] = owner
        elif _is_exit(code, node):
            exits[owner].append(node)
        inner = node.start_byte if node.type in code.language.functions else owner
        waiting.extend((child, inner) for child in reversed(node.named_children))
    return exits, loops


def _is_exit(code: Code, node: Node) -> bool:
    if node.type in code.language.calls:
        name = callee(code, node).lower()
        return any(word in name for word in _LEAVING_CALLS)
    if node.type in code.language.commands:
        return code.text_of(child(node, "name")) in _LEAVING_COMMANDS
    return node.type in code.language.exits


@memoize
def _list_tries(code: Code) -> tuple[list[int], list[int]]:
    """Return the start bytes of `try` statements, in order, and the largest end byte up to and including each."""
    nodes = list(code.nodes(*code.language.tries))
    return [node.start_byte for node in nodes], list(accumulate((node.end_byte for node in nodes), max))


def _may_exit(code: Code, loop: Node) -> bool:
    """Return whether a loop contains an exit, or is in a `try` whose handler may end it."""
    starts, furthest = _list_tries(code)
    if (before := bisect_right(starts, loop.start_byte)) and furthest[before - 1] >= loop.end_byte:
        return True
    exits, loops = _group_exits(code)
    return first_within(exits.get(loops.get(loop.id, -1), ()), loop) is not None


def _changes(code: Code, loop: Node, name: str) -> bool:
    """Return whether a name may change, because the loop uses it or because it is assigned more than once.

    A name that is compared with a number has a number as its value, which only an assignment can change.
    """
    body, condition = child(loop, "body") or loop, child(loop, "condition") or loop
    used = first_within(identifiers(code).get(name, ()), body) is not None
    if any(inner.type in code.language.numbers for inner in walk(condition)):
        used = used and first_within(_map_targets(code).get(name, ()), body) is not None
    return used or len(_map_targets(code).get(name, ())) > 1


@memoize
def _map_targets(code: Code) -> Mapping[str, Sequence[Node]]:
    language = code.language
    nodes = code.nodes(*language.assignments, *language.updates, *language.inline_assignments)
    targets = (child(node, "left", "name", "argument") for node in nodes)
    parts = (part for target in targets if target is not None for part in walk(target))
    found = group_by_key((code.text_of(part), part) for part in parts if part.type in language.variables)
    return {name: sorted(nodes, key=lambda node: node.start_byte) for name, nodes in found.items()}
