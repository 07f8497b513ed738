"""The types that code defines: interfaces, records, enums and classes of fields in TypeScript and Python."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tree_sitter import Node

from actions.code.tree import PYTHON, Code, below, part

_OF_TYPESCRIPT = ("interface_declaration", "type_alias_declaration", "enum_declaration", "class_declaration")
_DEFINING = frozenset({"class", "interface", "type", "enum"})
_FIELDS = frozenset({"property_signature", "enum_assignment", "public_field_definition", "property_identifier"})
_ASIDE = frozenset({";", ",", "comment"})


@dataclass(frozen=True)
class TypeDefinition:
    """A type of a name with its fields, by their names and whole.

    `key` is the definition, and what stands in `members` a field, token by token without comments and separators.
    """

    name: str
    members: Mapping[str, str]
    line: int
    line_end: int
    key: str

    @property
    def fields(self) -> tuple[str, ...]:
        """The names of the fields, in order."""
        return tuple(self.members)


def type_definitions(code: Code) -> Iterator[TypeDefinition]:
    """Return the types that a code defines, in order; a class with methods is none."""
    kinds = ("class_definition",) if code.language == PYTHON else _OF_TYPESCRIPT
    for node in () if code.words.isdisjoint(_DEFINING) else code.nodes(*kinds):
        name, body = part(node, "name"), part(node, "body", "value")
        fields = dict(_fields(code, body)) if body is not None else {}
        if name is not None and fields:
            yield TypeDefinition(code.said(name), fields, code.line(node), code.line_end(node), _key(code, node))


def _fields(code: Code, body: Node) -> Iterator[tuple[str, str]]:
    """Return the fields of a body that holds nothing else, by name and whole; those before a statement or method."""
    for one in (one for one in body.named_children if one.type != "comment"):
        kind = one.named_children[0].type if one.type == "expression_statement" else one.type
        if kind == "assignment":
            yield code.said(one.named_children[0].child_by_field_name("left")), _key(code, one)
        elif kind in _FIELDS:
            yield code.said(one.child_by_field_name("name") or one), _key(code, one)
        elif kind != "string":
            return


def _key(code: Code, node: Node) -> str:
    leaves = (one for one in below(node) if not one.children and one.type not in _ASIDE)
    return " ".join(code.said(one) for one in leaves if one.parent is None or one.parent.type != "comment")
