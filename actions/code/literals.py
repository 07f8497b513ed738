"""Read the values of literals: strings, numbers and booleans."""

from collections.abc import Iterator

from tree_sitter import Node

from actions.code.tree import Code, walk

_ESCAPES = {"\\n": "\n", "\\t": "\t", '\\"': '"', "\\'": "'", "\\\\": "\\", "\\`": "`"}


def is_string(code: Code, node: Node) -> bool:
    """Return whether a node is a string, interpolated or not."""
    return node.type in code.language.strings


def find_interpolations(code: Code, node: Node) -> Iterator[Node]:
    """Yield the interpolated parts of a string."""
    return (child for child in walk(node) if child.type in code.language.interpolations)


def read_string(code: Code, node: Node | None) -> str | None:
    """Return the text of a string without interpolation, or None for anything else."""
    if node is None or not is_string(code, node) or next(find_interpolations(code, node), None) is not None:
        return None
    if node.type in code.language.raw_strings:
        return code.text_of(node)[1:-1]
    if node.type in code.language.joined_strings:
        parts = [read_string(code, child) for child in node.named_children]
        return "".join(filter(None, parts)) if all(part is not None for part in parts) else None
    if code.text_of(node.children[0])[:1].lower() in code.language.template_prefixes:
        return None
    return "".join(
        _unescape(code, child) for child in node.children if child.type.endswith(("fragment", "content", "sequence"))
    )


def read_fixed_text(code: Code, node: Node) -> str:
    """Return the text of a string without its interpolations, with its parts joined by spaces."""
    return " ".join(code.text_of(n) for n in walk(node) if n.type in ("string_fragment", "string_content"))


def read_constant(code: Code, node: Node | None) -> str | None:
    """Return the text of a string without interpolation, a number or a boolean, or None for anything else."""
    if node is not None and node.type in (*code.language.numbers, *code.language.booleans):
        return code.text_of(node).lower()
    return read_string(code, node)


def _unescape(code: Code, node: Node) -> str:
    text = code.text_of(node)
    return _ESCAPES.get(text, text) if node.type == "escape_sequence" else text
