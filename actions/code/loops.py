"""Find loops that provably cannot end."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple

import msgspec
from tree_sitter import Node

from actions.code.calls import CLAUDE_TOOLS, find_tool_calls, get_callee
from actions.code.names import find_first_within, map_identifiers
from actions.code.tree import Code, get_child, walk
from actions.grouping import group_by_key
from actions.memo import memoize

_LEAVING_CALLS = ("exit", "quit", "abort", "die", "panic", "fail")
_LEAVING_COMMANDS = frozenset({"break", "exit", "return", "exec"})
_ALWAYS_TRUE = ("", "true", "1", ":")
_WAITING_CALLS = frozenset({"sleep", "wait", "delay", "setTimeout", "poll"})
_ASKING_TOOL = "AskUserQuestion"


class Loop(msgspec.Struct, frozen=True):
    """A loop that cannot end. `condition` is its condition on one line."""

    line: int
    line_end: int
    condition: str


def may_loop(code: Code, *, with_tools: bool = False) -> bool:
    """Return whether code contains a loop keyword and, if `with_tools`, may call tools. The code is not parsed."""
    if with_tools and (not code.language.calls or code.words.isdisjoint(CLAUDE_TOOLS)):
        return False
    return not code.words.isdisjoint(code.language.loop_words)


def find_endless_loops(code: Code, *, with_tools: bool = False) -> Iterator[Loop]:
    """Find the loops that never end.

    Such a loop has no exit, and its condition is always true or depends only on variables that never change. Of nested
    loops, only the outermost is returned. If `with_tools`, only loops are returned that call tools of Claude Code, or
    that wait in code that calls such tools.
    """
    end = 0
    nodes = (
        code.nodes(*code.language.loops, *code.language.counting_loops) if may_loop(code, with_tools=with_tools) else ()
    )
    for node in sorted(nodes, key=lambda node: node.start_byte):
        if node.start_byte >= end and _is_endless(code, node):
            end = node.end_byte
            if not with_tools or _uses_tools(code, node):
                yield Loop(code.line(node), code.line_end(node), _format_condition(code, get_child(node, "condition")))


def _uses_tools(code: Code, node: Node) -> bool:
    """Return whether a loop calls tools without asking the user, or waits in code that calls tools."""
    names = {get_callee(code, inner) for inner in walk(node)}
    waits = any(name.rsplit(".", 1)[-1] in _WAITING_CALLS for name in names)
    is_always_true = _format_condition(code, get_child(node, "condition")).lower() in _ALWAYS_TRUE
    calls_tools = not names.isdisjoint(CLAUDE_TOOLS) and _ASKING_TOOL not in names
    return calls_tools or (waits and not is_always_true and any(find_tool_calls(code)))


def _is_endless(code: Code, node: Node) -> bool:
    condition, is_counting = get_child(node, "condition"), node.type in code.language.counting_loops
    if (is_counting and _format_condition(code, condition)) or _may_exit(code, node):
        return False
    names = () if is_counting else _list_condition_names(code, condition)
    return names is not None and not any(_may_change(code, node, name) for name in names)


def _format_condition(code: Code, condition: Node | None) -> str:
    text = " ".join(code.text_of(condition).split()).strip("; ")
    return text[1:-1].strip() if text[:1] == "(" and text[-1:] == ")" else text


def _list_condition_names(code: Code, condition: Node | None) -> tuple[str, ...] | None:
    """Return the variables on which a condition depends.

    Returns () if the condition is always true. Returns None if the condition depends on anything other than variables.
    """
    if condition is None:
        return None
    if _format_condition(code, condition).lower() in _ALWAYS_TRUE:
        return ()
    names = []
    for node in walk(condition):
        if node.type in code.language.variables:
            names.append(code.text_of(node))
        elif node.is_named and node.type not in code.language.condition_parts:
            return None
    return tuple(dict.fromkeys(names)) or None


class _Exits(NamedTuple):
    """The exits in each function, and the function that contains each loop.

    The key of a loop is its node ID. The key of a function is its start byte, or -1 for code outside functions.
    """

    by_function: Mapping[int, list[Node]]
    function_by_loop: Mapping[int, int]


@memoize
def _group_exits(code: Code) -> _Exits:
    exits: dict[int, list[Node]] = defaultdict(list)
    loops: dict[int, int] = {}
    loop_kinds = (*code.language.loops, *code.language.counting_loops)
    stack = [(code.root, -1)]
    while stack:
        node, function = stack.pop()
        if node.type in loop_kinds:
            loops[node.id] = function
        elif _is_exit(code, node):
            exits[function].append(node)
        inner = node.start_byte if node.type in code.language.functions else function
        stack.extend((child, inner) for child in reversed(node.named_children))
    return _Exits(exits, loops)


def _is_exit(code: Code, node: Node) -> bool:
    if node.type in code.language.calls:
        name = get_callee(code, node).lower()
        return any(word in name for word in _LEAVING_CALLS)
    if node.type in code.language.commands:
        return code.text_of(get_child(node, "name")) in _LEAVING_COMMANDS
    return node.type in code.language.loop_exits


@memoize
def _list_try_bounds(code: Code) -> tuple[list[int], list[int]]:
    """Return the start bytes of the `try` statements, in order, and the largest end byte up to each of them."""
    nodes = list(code.nodes(*code.language.try_statements))
    return [node.start_byte for node in nodes], list(accumulate((node.end_byte for node in nodes), max))


def _may_exit(code: Code, loop: Node) -> bool:
    """Return whether a loop contains an exit, or is inside a `try`, so that an exception can end it."""
    starts, furthest = _list_try_bounds(code)
    if (before := bisect_right(starts, loop.start_byte)) and furthest[before - 1] >= loop.end_byte:
        return True
    exits = _group_exits(code)
    return find_first_within(exits.by_function.get(exits.function_by_loop.get(loop.id, -1), ()), loop) is not None


def _may_change(code: Code, loop: Node, name: str) -> bool:
    """Return whether a variable may change, because the loop uses it or because it is assigned more than once.

    If the condition contains a number, the variable is also a number, so only an assignment can change it.
    """
    body, condition = get_child(loop, "body") or loop, get_child(loop, "condition") or loop
    is_used = find_first_within(map_identifiers(code).get(name, ()), body) is not None
    if any(inner.type in code.language.numbers for inner in walk(condition)):
        is_used = is_used and find_first_within(_map_targets(code).get(name, ()), body) is not None
    return is_used or len(_map_targets(code).get(name, ())) > 1


@memoize
def _map_targets(code: Code) -> Mapping[str, Sequence[Node]]:
    language = code.language
    nodes = code.nodes(*language.assignments, *language.updates, *language.inline_assignments)
    targets = (get_child(node, "left", "name", "argument") for node in nodes)
    parts = (part for target in targets if target is not None for part in walk(target))
    by_name = group_by_key((code.text_of(part), part) for part in parts if part.type in language.variables)
    return {name: sorted(nodes, key=lambda node: node.start_byte) for name, nodes in by_name.items()}
