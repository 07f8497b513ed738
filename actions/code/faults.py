"""What cannot run in code: names that nothing defines, a constant that is set again, a method of another type.

A name counts as defined where any code beside it sets, takes or imports it; where in doubt, there is no fault.
"""

import builtins
from collections.abc import Iterable, Iterator, Sequence

from tree_sitter import Node

from actions.code.calls import CLAUDE_TOOLS
from actions.code.literals import holes
from actions.code.names import assignments
from actions.code.tree import BASH, PYTHON, Code, below, part
from actions.grouping import group_by_key

_BINDING = ("name", "left", "parameter", "parameters", "alias", "pattern", "variable")
_MEMBERS = ("member_expression", "subscript_expression", "attribute", "subscript")
_IMPORTS = ("import_statement", "import_from_statement", "import_clause", "as_pattern_target", "global_statement")
_WRITES = ("assignment_expression", "augmented_assignment_expression", "update_expression")
_GLOBALS = frozenset(
    "console JSON Math Object Array String Number Boolean Date RegExp Map Set WeakMap Promise Error TypeError Symbol"
    " BigInt Infinity NaN undefined arguments globalThis process require module"
    " exports __dirname Buffer URL fetch setTimeout"
    " clearTimeout setInterval clearInterval parseInt parseFloat isNaN structuredClone encodeURIComponent".split()
)
_PYTHON = frozenset({*dir(builtins), "self", "cls", "__name__", "__file__"})
_OF_STRINGS = frozenset(
    "at charAt charCodeAt codePointAt concat endsWith includes indexOf lastIndexOf localeCompare match matchAll"
    " normalize padEnd padStart repeat replace replaceAll search slice split startsWith substring toLowerCase"
    " toUpperCase trim trimEnd trimStart toString".split()
)
_OF_ARRAYS = frozenset(
    "at concat entries every fill filter find findIndex findLast findLastIndex flat flatMap forEach includes indexOf"
    " join keys lastIndexOf map pop push reduce reduceRight reverse shift slice some sort splice toSorted toReversed"
    " unshift values toString".split()
)
_METHODS = {"string": _OF_STRINGS, "template_string": _OF_STRINGS, "array": _OF_ARRAYS, "object": frozenset[str]()}
_TYPES: dict[str, type] = {"string": str, "list": list, "list_comprehension": list, "dictionary": dict, "tuple": tuple,
                           "set": set, "integer": int, "float": float}  # fmt: skip


def faults(codes: Sequence[Code]) -> Iterator[str]:
    """Return the faults of codes that stand in one file, each as a sentence without its place."""
    for language in {code.language for code in codes}:
        mine = [code for code in codes if code.language == language]
        yield from (f"nothing defines the name `{name}`" for name in sorted(_used(mine) - _bound(mine)))
    for code in codes:
        yield from (f"the constant `{name}` is set again" for name in _set_again(code))
        yield from (f"`{said}` has no method `{method}`" for said, method in _foreign(code))


def _used(codes: Iterable[Code]) -> set[str]:
    found = set()
    for code in codes:
        if code.language == BASH:
            names = (code.said(node).strip("${}") for node in code.nodes("simple_expansion"))
            found |= {name for name in names if name[:1].islower()}
        else:
            found |= {
                code.said(node)
                for node in code.nodes("identifier", "shorthand_property_identifier")
                if not _is_label(node)
            }
    return found


def _is_label(node: Node) -> bool:
    """Return whether an identifier of Python names a member or an argument."""
    over = node.parent
    field = {"attribute": "attribute", "keyword_argument": "name"}.get(over.type) if over is not None else None
    return bool(over and field and over.child_by_field_name(field) == node)


def _bound(codes: Sequence[Code]) -> set[str]:
    known = set(CLAUDE_TOOLS) | (_PYTHON if codes[0].language == PYTHON else _GLOBALS)
    for code in codes:
        for node in below(code.root):
            fields = [node.child_by_field_name(field) for field in _BINDING]
            places = [one for one in fields if one is not None and one.type not in _MEMBERS]
            for one in (*places, *([node] if node.type in _IMPORTS else ())):
                known |= {code.said(n) for n in below(one) if "identifier" in n.type or n.type == "variable_name"}
            if node.type in ("word", "shorthand_property_identifier_pattern"):
                known.add(code.said(node))
    return known


def _set_again(code: Code) -> Iterator[str]:
    declared: dict[str, set[str]] = {}
    for one in assignments(code):
        if one.node.type == "variable_declarator" and one.is_plain and one.node.parent is not None:
            declared.setdefault(one.name, set()).add(code.said(one.node.parent.child_by_field_name("kind")))
    for node in code.nodes(*_WRITES):
        name = code.said(part(node, "left", "argument"))
        is_argument = node.parent is not None and node.parent.type == "arguments"
        if declared.get(name) == {"const"} and not is_argument:
            yield name


def _foreign(code: Code) -> Iterator[tuple[str, str]]:
    """Return the methods called on a literal, or on a name that is only ever set to one, whose type has none such."""
    values = group_by_key((one.name, one.value) for one in assignments(code))
    for node in code.nodes("call", "call_expression"):
        called = part(node, "function")
        target, method = part(called, "object"), code.said(part(called, "property", "attribute"))
        said = code.said(target)
        known = values.get(said, ())
        value = known[0] if len(known) == 1 and target is not None and target.type == "identifier" else target
        if value is not None and method and (_lacks(code, value, method) or _is_cut(value, target, method)):
            yield said if len(said) < 40 else f"{said[:40]}…", method


def _lacks(code: Code, value: Node, method: str) -> bool:
    if code.language == PYTHON:
        return value.type in _TYPES and not hasattr(_TYPES[value.type], method)
    own = _METHODS.get(value.type)
    return own is not None and method in (_OF_STRINGS | _OF_ARRAYS) - own and method not in code.said(value)


def _is_cut(value: Node, target: Node | None, method: str) -> bool:
    """Return whether a literal is cut where it stands: what was meant is a list that grows."""
    return value is target and method == "slice" and value.type in _METHODS and next(holes(value), None) is None
