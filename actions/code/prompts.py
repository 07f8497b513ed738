"""What flows whole into the prompt of a sub-agent: variables and calls such as `Read(path)`, within one code."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tree_sitter import Node

from actions.code.calls import Call, agent_calls, called
from actions.code.literals import fragments, is_string
from actions.code.names import assignments
from actions.code.tree import CALLS, Code, above, below, part
from actions.memo import memoize

_READS = frozenset({"Read", "readFile", "readFileSync", "read_text", "read_file"})
_PLAIN = ("identifier", "member_expression", "attribute", "subscript_expression", "subscript")
_WRAPS = frozenset({"await_expression", "await", "parenthesized_expression", "template_substitution", "interpolation"})
_AS_TEXT = frozenset({"stringify", "dumps", "str", "String", "repr"})
_SAME = frozenset({"trim", "strip", "toString", "join"})
_LOOPS = frozenset({"for_statement", "for_in_statement", "while_statement", "do_statement"})
_LONGEST = 400
"""Bytes; what reads a file and returns it is short."""
_STEPS = 3


@dataclass(frozen=True)
class Flow:
    """A node whose whole value goes into the prompt of an agent call; `origin` is what its variable was assigned."""

    call: Call
    node: Node
    origin: Node


def flows(code: Code) -> Iterator[Flow]:
    """Return what goes whole into the prompts of the agent calls of a code."""
    for call in agent_calls(code):
        if "prompt" in call.named:
            for node in _whole(code, _origin(code, call.named["prompt"])):
                yield Flow(call, node, _origin(code, node))


@dataclass(frozen=True)
class FileRead:
    """A call that reads a file: its text, the fixed part of each path in it, whether it reads or is sent many times."""

    text: str
    line: int
    paths: tuple[str, ...]
    is_repeated: bool


def file_read(code: Code, flow: Flow) -> FileRead | None:
    """Return the call that reads a file, or each file of a list, where it is all that goes into a prompt there."""
    if flow.origin.end_byte - flow.origin.start_byte > _LONGEST:
        return None
    found = (one for one in below(flow.origin) if one.type in CALLS)
    read = next((one for one in found if _reads(code, one) and _is_handed_on(code, one, flow.origin)), None)
    if read is None:
        return None
    paths = (fragments(code, one).strip().lstrip("/") for one in below(read) if is_string(one))
    repeated = any(one.type in _LOOPS for one in above(flow.call.node)) or ".map(" in code.said(flow.origin)
    return FileRead(code.said(read), code.line(read), tuple(filter(None, paths)), repeated)


def _reads(code: Code, call: Node) -> bool:
    name = called(code, call)
    return name.rsplit(".", 1)[-1] in _READS or (name.startswith("open(") and name.endswith(".read"))


def _is_handed_on(code: Code, inner: Node, outer: Node) -> bool:
    """Return whether what a call returns is all of what an expression around it gives, once or for each of a list."""
    node = inner
    while node != outer:
        parent = node.parent
        if parent is None:
            return False
        if parent.type in CALLS:
            if called(code, parent).rsplit(".", 1)[-1] not in _SAME | {"map", "all"}:
                return False
        elif parent.type not in _WRAPS | {"arguments", "arrow_function", "member_expression", "attribute"}:
            return False
        node = parent
    return True


def _whole(code: Code, node: Node) -> Iterator[Node]:
    """Return the variables and calls whose whole value becomes part of a text; texts are followed a few steps back."""
    waiting, seen = [(node, 0)], {node.id}
    while waiting:
        one, steps = waiting.pop()
        origin = _origin(code, one)
        is_text = is_string(origin) or _unwrapped(code, origin) is not None
        if is_text and origin.id not in seen and steps < _STEPS:
            seen.add(origin.id)
            waiting.append((origin, steps + 1))
        elif (parts := _parts(code, one)) is not None:
            waiting.extend((part, steps) for part in parts)
        elif one.type in (*_PLAIN, *CALLS):
            yield one


def _parts(code: Code, node: Node) -> list[Node] | None:
    if node.type in ("template_string", "string"):
        return [child for child in node.named_children if child.type in _WRAPS]
    if node.type in ("binary_expression", "binary_operator", "concatenated_string"):
        return node.named_children
    if node.type in _WRAPS:
        return node.named_children[:1]
    inner = _unwrapped(code, node)
    return None if inner is None else [inner]


def _unwrapped(code: Code, call: Node) -> Node | None:
    """Return what a call makes a text of: `JSON.stringify(x)`, `x.join(...)`, `"...".join(x)`; None for others."""
    name, given = called(code, call).rsplit(".", 1)[-1], part(call, "arguments")
    first = given.named_children[0] if given is not None and given.named_children else None
    if name in _AS_TEXT and first is not None:
        return first
    receiver = part(part(call, "function"), "object") if name in _SAME else None
    return first if receiver is not None and receiver.type == "string" and first is not None else receiver


def _origin(code: Code, node: Node) -> Node:
    """Return what a variable was assigned, if it was assigned once; the node itself otherwise."""
    times, value = _assignments(code).get(code.said(node), (0, None))
    is_name = node.type in ("identifier", "shorthand_property_identifier")
    return value if value is not None and times == 1 and is_name else node


@memoize
def _assignments(code: Code) -> Mapping[str, tuple[int, Node | None]]:
    found: dict[str, tuple[int, Node | None]] = {}
    added = code.nodes("augmented_assignment", "augmented_assignment_expression")
    given = [(one.name, one.value) for one in assignments(code)]
    for name, value in (*given, *((code.said(part(node, "left")), None) for node in added)):
        found[name] = (found.get(name, (0, None))[0] + 1, value)
    return found
