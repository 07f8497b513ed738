"""Find files that code writes from a variable and reads back unchanged."""

from collections.abc import Iterator
from itertools import islice

import msgspec
from tree_sitter import Node

from actions.code.calls import Call, find_calls_within, find_tool_calls, get_callee, may_call_tools
from actions.code.files import FileUse, Mode, find_file_calls
from actions.code.literals import read_string
from actions.code.names import map_identifiers
from actions.code.tree import Code, get_child, is_inside, list_ancestors, walk

_WRITE_METHODS = frozenset({"write_text", "write_bytes"})
_MAX_USES = 20
"""Maximum number of uses of a name to examine."""
_HARMLESS_CALLS = frozenset("print log info debug dump dumps stringify parse load loads open close write flush".split())
"""Calls that change no file, or only the file that is passed to them."""


class Relay(msgspec.Struct, frozen=True):
    """A file that is written and then read back, although its content is still in a variable."""

    name: str
    variable: str
    write: FileUse
    read: FileUse


def find_relays(code: Code, *, with_tools: bool = False) -> Iterator[Relay]:
    """Find the files that are written from a variable and then read back in the same block.

    If `with_tools` is True, code that does not call tools of Claude Code is skipped.
    """
    if with_tools and not may_call_tools(code):
        return
    written: dict[str, FileUse] = {}
    uses = find_file_calls(code)
    if len(uses) < 2 or (with_tools and not any(find_tool_calls(code))):
        return
    for use in sorted(uses, key=lambda use: use.call.node.start_byte if use.call else 0):
        if use.mode is Mode.WRITE:
            written[use.name] = use
            continue
        write = written.pop(use.name, None)
        is_direct = write and write.call and use.call and _is_direct(code, write.call, use.call)
        if write and write.call and is_direct and (variable := _find_written_variable(code, write.call)):
            yield Relay(use.name, variable, write, use)


def _is_direct(code: Code, write: Call, read: Call) -> bool:
    """Return whether a read always follows a write in one block, with only harmless calls in between."""
    if (
        (block := _find_block(code, write.node)) is None
        or not is_inside(read.node, block)
        or _may_only_verify(code, read)
    ):
        return False
    outer_kinds = (node.type for node in list_ancestors(read.node) if node != block and is_inside(node, block))
    if not {*code.language.branches, *code.language.functions}.isdisjoint(outer_kinds):
        return False
    between = find_calls_within(code, write.node.end_byte, read.node.start_byte)
    return all(call.base in _HARMLESS_CALLS or is_inside(read.node, call.node) for call in between)


def _may_only_verify(code: Code, read: Call) -> bool:
    """Return whether a read may only check the file.

    Its result is then not assigned to a variable, or the variable is compared or asserted.
    """
    assignment = next((node for node in list_ancestors(read.node) if node.type in code.language.assignments), None)
    name = code.text_of(get_child(assignment, "name", "left"))
    outer_kinds = {
        ancestor.type
        for node in map_identifiers(code).get(name, ())[:_MAX_USES]
        for ancestor in islice(list_ancestors(node), 3)
    }
    return not name or not outer_kinds.isdisjoint((*code.language.comparisons, *code.language.assertions))


def _find_block(code: Code, node: Node) -> Node | None:
    """Return the innermost block around a node, other than the body of a `with`, or None if there is none."""
    blocks = (outer for outer in list_ancestors(node) if outer.type in code.language.blocks)
    return next(
        (block for block in blocks if block.parent is None or block.parent.type not in code.language.with_statements),
        None,
    )


def _find_written_variable(code: Code, write: Call) -> str | None:
    """Return the variable that a call writes or, for `open`, that `json.dump` writes into the opened file.

    Returns None if the content is not a single variable.
    """
    if write.base in _WRITE_METHODS:
        return _find_variable(code, write.argument(0, "data"))
    if write.base != "open":
        return _find_variable(code, write.argument(1, "content", "data"))
    if read_string(code, write.argument(1, "mode")) not in ("w", "x", "wt"):
        return None
    block = next((node for node in list_ancestors(write.node) if node.type in code.language.with_statements), None)
    body = get_child(block, "body")
    inner_calls = find_calls_within(code, body.start_byte, body.end_byte) if body is not None else ()
    return (
        _find_variable(code, inner_calls[0].args[0])
        if len(inner_calls) == 1 and inner_calls[0].name == "json.dump" and inner_calls[0].args
        else None
    )


def _find_variable(code: Code, node: Node | None) -> str | None:
    """Return the name of the variable that is the node or its only argument to a JSON serializer, or None."""
    if node is None:
        return None
    if node.type in code.language.variables:
        return code.text_of(node)
    if get_callee(code, node) not in ("JSON.stringify", "json.dumps"):
        return None
    names = (
        inner
        for inner in walk(node)
        if inner.type in code.language.variables and code.text_of(inner) not in ("JSON", "json")
    )
    name = next(names, None)
    return code.text_of(name) if name is not None and name.parent is not None and name.parent.parent == node else None
