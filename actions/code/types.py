"""Find the types that code defines: interfaces, type aliases, enums, and classes with fields."""

from collections.abc import Iterator, Mapping

import msgspec
from tree_sitter import Node

from actions.code.tree import Code, get_child, walk

_TYPE_KEYWORDS = frozenset({"class", "interface", "type", "enum"})
_IGNORED_TOKENS = frozenset({";", ",", "comment"})


class TypeDefinition(msgspec.Struct, frozen=True):
    """A named type.

    `members` maps the names of its fields to their definitions. `key` is the definition of the whole type. For
    comparison, definitions are tokens joined by spaces, without comments and separators. `comment` begins a line
    comment in the language.
    """

    name: str
    members: Mapping[str, str]
    line: int
    line_end: int
    key: str
    comment: str

    @property
    def fields(self) -> tuple[str, ...]:
        """The names of the fields, in order."""
        return tuple(self.members)


def find_type_definitions(code: Code) -> Iterator[TypeDefinition]:
    """Yield the types that code defines, except those without fields or with a method before the first field."""
    if code.words.isdisjoint(_TYPE_KEYWORDS):
        return
    for node in code.nodes(*code.language.type_definitions):
        name, body = get_child(node, "name"), get_child(node, "body", "value")
        fields = dict(_list_fields(code, body)) if body is not None else {}
        if name is not None and fields:
            lines = code.line(node), code.line_end(node)
            yield TypeDefinition(code.text_of(name), fields, *lines, _join_tokens(code, node), code.language.comment)


def _list_fields(code: Code, body: Node) -> Iterator[tuple[str, str]]:
    """Yield (name, definition) for each field in the body of a type, up to the first statement or method."""
    for member in (member for member in body.named_children if member.type != "comment"):
        kind = member.named_children[0].type if member.type == "expression_statement" else member.type
        if kind in code.language.assignments:
            yield code.text_of(member.named_children[0].child_by_field_name("left")), _join_tokens(code, member)
        elif kind in code.language.type_fields:
            yield code.text_of(member.child_by_field_name("name") or member), _join_tokens(code, member)
        elif kind != "string":
            return


def _join_tokens(code: Code, node: Node) -> str:
    leaves = (leaf for leaf in walk(node) if not leaf.children and leaf.type not in _IGNORED_TOKENS)
    return " ".join(code.text_of(leaf) for leaf in leaves if leaf.parent is None or leaf.parent.type != "comment")
