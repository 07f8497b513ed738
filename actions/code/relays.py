"""Files that code writes from a variable and reads back, with nothing in between that could change them."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from tree_sitter import Node

from actions.code.calls import Call, called, calls_within, tool_calls
from actions.code.files import FileUse, Mode, file_uses
from actions.code.literals import literal
from actions.code.names import ASSIGNMENTS, identifiers
from actions.code.tree import FUNCTIONS, Code, above, below, is_inside, part

_BRANCHES = FUNCTIONS | frozenset(
    "if_statement else_clause elif_clause try_statement catch_clause except_clause for_statement while_statement"
    " for_in_statement switch_case assert_statement".split()
)
_CHECKS = frozenset({"comparison_operator", "binary_expression", "assert_statement"})
_METHODS = frozenset({"write_text", "write_bytes"})
_FIRST = 20
"""Places of a name that are looked at."""
_HARMLESS = frozenset("print log info debug dump dumps stringify parse load loads open close write flush".split())
"""Calls that leave files alone, but for the one that they are given."""


@dataclass(frozen=True)
class Relay:
    """A file that is written and read back, and the variable that still holds its content."""

    name: str
    variable: str
    write: FileUse
    read: FileUse


def relays(code: Code, *, of_tools: bool = False) -> Iterator[Relay]:
    """Return the files that are written whole from one variable and read back in the same block.

    `of_tools` asks only code that calls tools of Claude Code.
    """
    if of_tools and not any(tool_calls(code)):
        return
    written: dict[str, FileUse] = {}
    for use in sorted(file_uses(code), key=lambda use: use.call.node.start_byte if use.call else 0):
        if use.mode is Mode.WRITE:
            written[use.name] = use
            continue
        write = written.pop(use.name, None)
        direct = write and write.call and use.call and _is_direct(code, write.call, use.call)
        if write and write.call and direct and (variable := _content(code, write.call)):
            yield Relay(use.name, variable, write, use)


def _is_direct(code: Code, write: Call, read: Call) -> bool:
    """Return whether a read always follows a write in one block, with only harmless calls in between."""
    if (block := _block(write.node)) is None or not is_inside(read.node, block) or _is_compared(code, read):
        return False
    holders = (node.type for node in above(read.node) if node != block and is_inside(node, block))
    if not _BRANCHES.isdisjoint(holders):
        return False
    between = calls_within(code, write.node.end_byte, read.node.start_byte)
    return all(call.base in _HARMLESS or is_inside(read.node, call.node) for call in between)


def _is_compared(code: Code, read: Call) -> bool:
    """Return whether what is read goes into no variable, or into one that is held against something: it is a check."""
    holder = next((node for node in above(read.node) if node.type in ASSIGNMENTS), None)
    name = code.said(part(holder, "name", "left"))
    holders = {one.type for node in identifiers(code).get(name, ())[:_FIRST] for one in islice(above(node), 3)}
    return not name or bool(holders & _CHECKS)


def _block(node: Node) -> Node | None:
    """Return the block in which a statement stands, beyond a `with`."""
    for holder in above(node):
        if holder.type in ("block", "statement_block", "module", "program") and (
            holder.parent is None or holder.parent.type != "with_statement"
        ):
            return holder
    return None


def _content(code: Code, write: Call) -> str | None:
    """Return the variable that is written: given to the call itself, or dumped into the handle that it opens."""
    if write.base in _METHODS:
        return _variable(code, write.argument(0, "data"))
    if write.base != "open":
        return _variable(code, write.argument(1, "content", "data"))
    if literal(code, write.argument(1, "mode")) not in ("w", "x", "wt"):
        return None
    body = part(next((node for node in above(write.node) if node.type == "with_statement"), None), "body")
    made = calls_within(code, body.start_byte, body.end_byte) if body is not None else ()
    return _variable(code, made[0].args[0]) if len(made) == 1 and made[0].name == "json.dump" and made[0].args else None


def _variable(code: Code, node: Node | None) -> str | None:
    """Return the variable that a node is, or that it only turns into JSON."""
    if node is None:
        return None
    if node.type == "identifier":
        return code.said(node)
    if called(code, node) not in ("JSON.stringify", "json.dumps"):
        return None
    names = (one for one in below(node) if one.type == "identifier" and code.said(one) not in ("JSON", "json"))
    name = next(names, None)
    return code.said(name) if name is not None and name.parent is not None and name.parent.parent == node else None
