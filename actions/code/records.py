"""Find the keys of the JSON files that code writes and reads by a literal name."""

from collections.abc import Iterator

import msgspec
from tree_sitter import Node

from actions.code.calls import Call, find_calls_within, get_callee, read_object
from actions.code.files import Mode, find_file_calls
from actions.code.literals import read_string
from actions.code.names import find_assignments, map_identifiers
from actions.code.tree import Code, get_child, list_ancestors

_SERIALIZERS = frozenset({"JSON.stringify", "json.dumps", "json.dump"})
_PARSERS = frozenset({"JSON.parse", "json.load", "json.loads"})
_NO_KEYS = frozenset("get items keys values map filter forEach length find some every push append".split())


class Key(msgspec.Struct, frozen=True):
    """A key that is written to a file or read from it."""

    file: str
    name: str
    is_read: bool
    line: int


def find_keys(code: Code) -> Iterator[Key]:
    """Yield the keys of object literals that code writes to files, and the keys that it reads from parsed files."""
    for use in find_file_calls(code):
        if use.call is not None:
            is_read = use.mode is Mode.READ
            keys = _find_read_keys(code, use.call) if is_read else _find_written_keys(code, use.call)
            yield from (Key(use.name, name, is_read, line) for name, line in keys)


def _find_written_keys(code: Code, call: Call) -> Iterator[tuple[str, int]]:
    for node in _list_written_values(code, call):
        object_literal = _find_object_literal(code, node)
        for name, value in read_object(code, object_literal).items() if object_literal is not None else ():
            yield name, code.line(value)


def _list_written_values(code: Code, call: Call) -> Iterator[Node]:
    """Yield the values that a call may write: its arguments and, for `open`, the first argument of `json.dump`."""
    yield from call.args[1:] if call.base != "write_text" else call.args
    if call.base == "open":
        yield from (
            writer.args[0] for writer in _list_calls_around(code, call) if writer.name == "json.dump" and writer.args
        )


def _list_calls_around(code: Code, call: Call) -> tuple[Call, ...]:
    """Return the calls in the statement that contains a call, or () if the statement also opens another file."""
    statements = (node for node in list_ancestors(call.node) if node.type.endswith(("_statement", "_declaration")))
    statement = next(statements, call.node)
    calls = find_calls_within(code, statement.start_byte, statement.end_byte)
    return calls if sum(other.base == "open" for other in calls) < 2 else ()


def _find_object_literal(code: Code, node: Node) -> Node | None:
    """Return the object literal that is the node, its serialized argument, or the value of its variable.

    Returns None for any other value, and for an object literal with spreads.
    """
    if get_callee(code, node) in _SERIALIZERS:
        arguments = node.child_by_field_name("arguments")
        node = arguments.named_children[0] if arguments is not None and arguments.named_children else node
    if node.type in code.language.variables:
        values = _list_values(code, code.text_of(node))
        node = values[0] if len(values) == 1 else node
    has_spread = any(inner.type in code.language.spreads for inner in node.named_children)
    return node if node.type in code.language.objects and not has_spread else None


def _list_values(code: Code, name: str) -> list[Node]:
    return [
        assignment.value
        for assignment in find_assignments(code)
        if assignment.name == name and assignment.value is not None
    ]


def _find_read_keys(code: Code, call: Call) -> Iterator[tuple[str, int]]:
    """Yield (key, line) for the keys that are read from a variable whose only value is the parsed file."""
    for parse in _list_calls_around(code, call):
        is_direct = parse.args[:1] == (call.node,) or (call.base == "open" and parse.name == "json.load")
        if parse.name in _PARSERS and parse.assigned and is_direct and len(_list_values(code, parse.assigned)) == 1:
            keys = (_read_key(code, node) for node in map_identifiers(code).get(parse.assigned, ()))
            yield from (key for key in keys if key is not None)


def _read_key(code: Code, node: Node) -> tuple[str, int] | None:
    """Return (key, line) if a node is a variable from which a key is read (`data.key`, `data["key"]`), else None."""
    parent = node.parent
    if parent is None or node not in (parent.child_by_field_name("object"), parent.child_by_field_name("value")):
        return None
    if parent.type in code.language.member_accesses:
        name = code.text_of(get_child(parent, "property", "attribute"))
    else:
        name = read_string(code, get_child(parent, "subscript", "index")) or ""
    return (name, code.line(parent)) if name and name not in _NO_KEYS else None
