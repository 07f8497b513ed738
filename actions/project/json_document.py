"""Parse JSON files of a project: the value, the lines of its parts, and repeated keys."""

import json
from codecs import BOM_UTF8
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import msgspec
from tree_sitter import Node, Parser

from actions.code.grammar import load_grammar
from actions.json_text import load_json, replace_surrogates

_MAX_BYTES = 5_000_000
"""Maximum number of bytes of a file to parse: a marketplace of 14,000 plugins, which takes 2 seconds to check."""
_MAX_DIGITS = 400
"""Maximum number of digits of an integer. The largest float has 309; Python refuses to convert 4,300."""


class DuplicateKey(msgspec.Struct, frozen=True):
    """A repeated key of an object. JSON.parse keeps the last value.

    `is_equal` means that key and value are the same text as in the first occurrence, which begins at `first_line` and
    ends at `first_end`.
    """

    key: str
    line: int
    first_line: int
    is_equal: bool = False
    first_end: int = 0


class JsonDocument(msgspec.Struct, frozen=True, dict=True):
    """A JSON text with its value. If it cannot be parsed, the value is None, and `error` and `error_line` say why.

    `exceeds_limit` means that the text is too large, too deeply nested or not UTF-8. It is not parsed and may be valid.
    `may_repeat_keys` is False if parsing showed that each object has different keys.
    """

    raw: bytes
    value: Any = None
    error: str = ""
    error_line: int = 0
    exceeds_limit: bool = False
    may_repeat_keys: bool = True

    @cached_property
    def _root(self) -> Node | None:
        root = Parser(load_grammar("tree_sitter_json")).parse(self.raw).root_node
        return next(iter(root.named_children), None)

    @cached_property
    def _children(self) -> dict[int, Mapping[str | int, tuple[Node, Node]]]:
        """The indexed children of nodes, by node id. Each node is indexed once."""
        return {}

    def find_line(self, *steps: str | int) -> int:
        """Return the line (from 1) of the part at these keys and indexes.

        If there is no such part, return the line of the innermost existing part around it.
        """
        node, line = self._root, 1
        for step in steps:
            if node and node.id not in self._children:
                self._children[node.id] = _index_children(node)
            inner = self._children[node.id].get(step) if node else None
            if inner is None:
                break
            line, node = inner[0].start_point.row + 1, inner[1]
        return line

    @cached_property
    def duplicates(self) -> tuple[DuplicateKey, ...]:
        """The repeated keys of objects, in order."""
        if self.error or not self.may_repeat_keys or not self._root:
            return ()
        return tuple(_find_duplicates(self._root))


def parse_json(raw: bytes) -> JsonDocument:
    """Parse a JSON text. If it is too long, too deep or not JSON, return a document with an error; never raise."""
    if len(raw) > _MAX_BYTES:
        return JsonDocument(b"", error=f"it has more than {_MAX_BYTES:,} bytes", error_line=1, exceeds_limit=True)
    repeats: list[bool] = []

    def build_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        built = dict(pairs)
        if len(built) < len(pairs):
            repeats.append(True)
        return built

    try:
        text = raw.removeprefix(BOM_UTF8).decode()
        value = load_json(text, object_pairs_hook=build_object, parse_int=_parse_int)
        return JsonDocument(raw, value, may_repeat_keys=bool(repeats))
    except json.JSONDecodeError as error:
        return JsonDocument(raw, error=error.msg, error_line=error.lineno)
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        return JsonDocument(raw, error="it is not UTF-8", error_line=line, exceeds_limit=True)
    except RecursionError:
        return JsonDocument(raw, error="it is nested too deeply", error_line=1, exceeds_limit=True)


def _parse_int(digits: str) -> int | float:
    """Return an integer. One that is longer than any exact number of JavaScript becomes a float, as in JSON.parse."""
    return int(digits) if len(digits) <= _MAX_DIGITS else float(digits)


def _index_children(node: Node) -> Mapping[str | int, tuple[Node, Node]]:
    """Map each key or index to the nodes of its pair (or item) and of its value. The last of equal keys counts."""
    if node.type == "array":
        items = (child for child in node.named_children if child.type != "comment")
        return {index: (item, item) for index, item in enumerate(items)}
    pairs = ((_read_key(pair), pair, pair.child_by_field_name("value")) for pair in _list_pairs(node))
    return {replace_surrogates(key): (pair, value) for key, pair, value in pairs if key is not None and value}


def _list_pairs(node: Node) -> Sequence[Node]:
    return [child for child in node.named_children if child.type == "pair"] if node.type == "object" else []


def _read_key(pair: Node) -> str | None:
    key = pair.child_by_field_name("key")
    try:
        return str(json.loads(key.text)) if key and key.text else None
    except ValueError:
        return None


def _find_duplicates(root: Node) -> Iterator[DuplicateKey]:
    pending = [root]
    while pending:
        node = pending.pop()
        seen: dict[str, Node] = {}
        for pair in _list_pairs(node):
            key, line = _read_key(pair), pair.start_point.row + 1
            if key is not None and key in seen:
                first = seen[key]
                is_equal, end = first.text == pair.text, first.end_point.row + 1
                yield DuplicateKey(replace_surrogates(key), line, first.start_point.row + 1, is_equal, end)
            elif key is not None:
                seen[key] = pair
        pending += reversed(node.named_children)
