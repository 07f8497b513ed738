"""What a node says by itself: the text of a string without holes, a number, the holes of a template."""

from collections.abc import Iterator

from tree_sitter import Node

from actions.code.tree import Code, below

_STRINGS = ("string", "template_string", "raw_string", "concatenated_string")
_HOLES = ("template_substitution", "interpolation", "simple_expansion", "expansion", "command_substitution")
_ESCAPES = {"\\n": "\n", "\\t": "\t", '\\"': '"', "\\'": "'", "\\\\": "\\", "\\`": "`"}


def is_string(node: Node) -> bool:
    """Return whether a node is a string, with holes or without."""
    return node.type in _STRINGS


def holes(node: Node) -> Iterator[Node]:
    """Return the places of a template that are filled in when it runs."""
    return (one for one in below(node) if one.type in _HOLES)


def literal(code: Code, node: Node | None) -> str | None:
    """Return the text of a string that has no holes; None for anything else."""
    if node is None or not is_string(node) or next(holes(node), None) is not None:
        return None
    if node.type == "raw_string":
        return code.said(node)[1:-1]
    if node.type == "concatenated_string":
        parts = [literal(code, child) for child in node.named_children]
        return "".join(filter(None, parts)) if all(part is not None for part in parts) else None
    if code.language == "python" and code.said(node.children[0])[:1].lower() == "f":
        return None
    return "".join(_piece(code, one) for one in node.children if one.type.endswith(("fragment", "content", "sequence")))


def fragments(code: Code, node: Node) -> str:
    """Return the fixed text of a string; a blank stands for each hole."""
    return " ".join(code.said(n) for n in below(node) if n.type in ("string_fragment", "string_content"))


def value(code: Code, node: Node | None) -> str | None:
    """Return a string without holes, a number or a truth value as text; None for anything else."""
    if node is not None and node.type in ("number", "integer", "float", "true", "false"):
        return code.said(node).lower()
    return literal(code, node)


def _piece(code: Code, node: Node) -> str:
    text = code.said(node)
    return _ESCAPES.get(text, text) if node.type == "escape_sequence" else text
