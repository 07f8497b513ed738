"""Find variables, and calls such as `Read(path)`, whose whole value goes into a sub-agent's prompt."""

from collections.abc import Iterator, Mapping

import msgspec
from tree_sitter import Node

from actions.code.calls import Call, find_agent_calls, get_callee
from actions.code.language import Language
from actions.code.literals import is_string, read_fixed_text
from actions.code.names import find_assignments
from actions.code.tree import Code, get_child, list_ancestors, walk
from actions.memo import memoize

_READ_FUNCTIONS = frozenset({"Read", "readFile", "readFileSync", "read_text", "read_file"})
_TO_TEXT_FUNCTIONS = frozenset({"stringify", "dumps", "str", "String", "repr"})
_TEXT_METHODS = frozenset({"trim", "strip", "toString", "join"})
_MAX_BYTES = 400
"""Maximum length of an expression that counts as a mere read of a file."""
_MAX_STEPS = 3
"""Maximum number of assignments to follow from a variable in a prompt to the origin of its value."""


class Flow(msgspec.Struct, frozen=True):
    """A node whose whole value becomes part of the prompt of `call`.

    `origin` is the expression that produces the value.
    """

    call: Call
    node: Node
    origin: Node


def find_prompt_flows(code: Code) -> Iterator[Flow]:
    """Find the variables and calls whose whole value goes into the prompts of agent calls."""
    for call in find_agent_calls(code):
        if "prompt" in call.named:
            for node in _find_sources(code, _find_origin(code, call.named["prompt"])):
                yield Flow(call, node, _find_origin(code, node))


class FileRead(msgspec.Struct, frozen=True):
    """A call that reads a file. `text` is the call as written, and `paths` are the fixed parts of the paths in it.

    `is_repeated` means that the call is made for each item of a list.
    """

    text: str
    line: int
    paths: tuple[str, ...]
    is_repeated: bool


def find_file_read(code: Code, flow: Flow) -> FileRead | None:
    """Return the call that reads the file, or each file of a list, whose content goes into the prompt unchanged.

    Returns None if there is no such call, or if the expression is too long.
    """
    if flow.origin.end_byte - flow.origin.start_byte > _MAX_BYTES:
        return None
    calls = (node for node in walk(flow.origin) if node.type in code.language.calls)
    read = next((node for node in calls if _is_read_call(code, node) and _is_passed_on(code, node, flow.origin)), None)
    if read is None:
        return None
    paths = (read_fixed_text(code, node).strip().lstrip("/") for node in walk(read) if is_string(code, node))
    loops = (*code.language.loops, *code.language.counting_loops, *code.language.for_each_loops)
    is_in_loop = any(node.type in loops for node in list_ancestors(flow.call.node))
    is_repeated = is_in_loop or ".map(" in code.text_of(flow.origin)
    return FileRead(code.text_of(read), code.line(read), tuple(filter(None, paths)), is_repeated)


def _is_read_call(code: Code, call: Node) -> bool:
    name = get_callee(code, call)
    return name.rsplit(".", 1)[-1] in _READ_FUNCTIONS or (name.startswith("open(") and name.endswith(".read"))


def _is_passed_on(code: Code, inner: Node, outer: Node) -> bool:
    """Return whether the value of `inner`, which may be called for each item of a list, reaches `outer` unchanged."""
    language, node = code.language, inner
    passing = (*_list_wrappers(language), *language.arguments, *language.lambdas, *language.member_accesses)
    while node != outer:
        parent = node.parent
        if parent is None:
            return False
        if parent.type in language.calls:
            if get_callee(code, parent).rsplit(".", 1)[-1] not in _TEXT_METHODS | {"map", "all"}:
                return False
        elif parent.type not in passing:
            return False
        node = parent
    return True


def _find_sources(code: Code, node: Node) -> Iterator[Node]:
    """Yield the variables and calls whose whole value becomes part of a text.

    The value of a variable is followed back through at most `_MAX_STEPS` assignments.
    """
    language, stack, seen = code.language, [(node, 0)], {node.id}
    sources = (*language.variables, *language.member_accesses, *language.subscripts, *language.calls)
    while stack:
        current, steps = stack.pop()
        origin = _find_origin(code, current)
        is_text = is_string(code, origin) or _unwrap(code, origin) is not None
        if is_text and origin.id not in seen and steps < _MAX_STEPS:
            seen.add(origin.id)
            stack.append((origin, steps + 1))
        elif (parts := _list_parts(code, current)) is not None:
            stack.extend((part, steps) for part in parts)
        elif current.type in sources:
            yield current


def _list_parts(code: Code, node: Node) -> list[Node] | None:
    """Return the operands of a concatenation, template or conversion to text, or None for any other node."""
    language, passing = code.language, _list_wrappers(code.language)
    if node.type in language.additions:
        return node.named_children
    if node.type in language.strings:
        return [argument for argument in node.named_children if argument.type in passing]
    if node.type in passing:
        return node.named_children[:1]
    inner = _unwrap(code, node)
    return None if inner is None else [inner]


def _list_wrappers(language: Language) -> tuple[str, ...]:
    return (*language.wrappers, *language.interpolations)


def _unwrap(code: Code, call: Node) -> Node | None:
    """Return the value that a call converts to text: `x` in `JSON.stringify(x)`, `x.join(...)` or `"...".join(x)`.

    Returns None for any other call.
    """
    name, arguments = get_callee(code, call).rsplit(".", 1)[-1], get_child(call, "arguments")
    first = arguments.named_children[0] if arguments is not None and arguments.named_children else None
    if name in _TO_TEXT_FUNCTIONS and first is not None:
        return first
    receiver = get_child(get_child(call, "function"), "object") if name in _TEXT_METHODS else None
    return first if receiver is not None and receiver.type in code.language.strings and first is not None else receiver


def _find_origin(code: Code, node: Node) -> Node:
    """Return the only expression that is assigned to a variable. Return any other node unchanged."""
    count, value = _count_assignments(code).get(code.text_of(node), (0, None))
    is_name = node.type in (*code.language.variables, *code.language.shorthands)
    return value if value is not None and count == 1 and is_name else node


@memoize
def _count_assignments(code: Code) -> Mapping[str, tuple[int, Node | None]]:
    counts: dict[str, tuple[int, Node | None]] = {}
    assignments = [(assignment.name, assignment.value) for assignment in find_assignments(code)]
    updates = ((code.text_of(get_child(node, "left")), None) for node in code.nodes(*code.language.updates))
    for name, value in (*assignments, *updates):
        counts[name] = (counts.get(name, (0, None))[0] + 1, value)
    return counts
