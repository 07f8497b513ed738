"""Find errors in code: undefined names, reassigned constants, and calls of methods that a type lacks.

A name counts as defined if any code in the file assigns it, imports it or has it as a parameter. Doubtful cases are not
reported.
"""

from collections.abc import Iterable, Iterator, Sequence

from tree_sitter import Node

from actions.code.calls import CLAUDE_TOOLS
from actions.code.literals import find_interpolations
from actions.code.names import find_assignments
from actions.code.tree import Code, get_child, walk
from actions.grouping import group_by_key

_BINDING_FIELDS = ("name", "left", "parameter", "parameters", "alias", "pattern", "variable")


def find_faults(codes: Sequence[Code]) -> Iterator[str]:
    """Yield a description of each fault in the code of one file, without its location."""
    for group in group_by_key((code.language.name, code) for code in codes).values():
        yield from (f"`{name}` is not defined" for name in sorted(_find_used_names(group) - _find_defined_names(group)))
    for code in codes:
        yield from (f"the constant `{name}` is reassigned" for name in _find_reassigned_constants(code))
        yield from (f"`{text}` has no method `{method}`" for text, method in _find_missing_methods(code))


def _find_used_names(codes: Iterable[Code]) -> set[str]:
    names = set()
    for code in codes:
        if code.language.find_used_names:
            names |= code.language.find_used_names(code)
        else:
            nodes = code.nodes(*code.language.variables, *code.language.shorthands)
            names |= {code.text_of(node) for node in nodes if not _is_label(code, node)}
    return names


def _is_label(code: Code, node: Node) -> bool:
    """Return whether an identifier is the name of a member or an argument, not of a variable."""
    parent = node.parent
    field = code.language.label_fields.get(parent.type) if parent is not None else None
    return bool(parent and field and parent.child_by_field_name(field) == node)


def _find_defined_names(codes: Sequence[Code]) -> set[str]:
    language = codes[0].language
    members = (*language.member_accesses, *language.subscripts)
    names = {*CLAUDE_TOOLS, *language.builtins}
    for code in codes:
        for node in walk(code.root):
            fields = [node.child_by_field_name(field) for field in _BINDING_FIELDS]
            targets = [field for field in fields if field is not None and field.type not in members]
            for target in (*targets, *([node] if node.type in language.imports else ())):
                names |= {code.text_of(part) for part in walk(target) if part.type in language.identifiers}
            if node.type in language.self_defining:
                names.add(code.text_of(node))
    return names


def _find_reassigned_constants(code: Code) -> Iterator[str]:
    language = code.language
    declared: dict[str, set[str]] = {}
    for assignment in find_assignments(code):
        keyword = get_child(assignment.node.parent, "kind")
        if keyword is not None and assignment.is_plain:
            declared.setdefault(assignment.name, set()).add(code.text_of(keyword))
    for node in code.nodes(*language.assignments, *language.updates) if declared else ():
        name = code.text_of(get_child(node, "left", "argument"))
        is_argument = node.parent is not None and node.parent.type in language.arguments
        if declared.get(name) == {language.constant_keyword} and not is_argument:
            yield name


def _find_missing_methods(code: Code) -> Iterator[tuple[str, str]]:
    """Yield (value, method) for each call of a method that a literal lacks.

    A variable with only one assignment counts as the literal that is assigned to it.
    """
    values = group_by_key((assignment.name, assignment.value) for assignment in find_assignments(code))
    for node in code.nodes(*code.language.calls):
        function = get_child(node, "function")
        target, method = get_child(function, "object"), code.text_of(get_child(function, "property", "attribute"))
        text = code.text_of(target)
        assigned = values.get(text, ())
        is_variable = target is not None and target.type in code.language.variables
        value = assigned[0] if len(assigned) == 1 and is_variable else target
        if (
            value is not None
            and method
            and (_lacks_method(code, value, method) or _is_sliced_literal(code, value, target, method))
        ):
            yield text if len(text) < 40 else f"{text[:40]}…", method


def _lacks_method(code: Code, value: Node, method: str) -> bool:
    return code.language.lacks_method(value.type, method) and method not in code.text_of(value)


def _is_sliced_literal(code: Code, value: Node, target: Node | None, method: str) -> bool:
    """Return whether `slice` is called on a literal, which is probably a mistake."""
    language = code.language
    is_literal = value.type in (*language.strings, *language.lists, *language.objects)
    return value is target and method == "slice" and is_literal and next(find_interpolations(code, value), None) is None
