"""Find functions that provably return nothing, and calls that use their results."""

import re
from bisect import bisect_left
from collections.abc import Iterator

import msgspec
from tree_sitter import Node

from actions.code.calls import Call, find_calls
from actions.code.names import map_identifiers
from actions.code.tree import Code, is_inside, list_ancestors
from actions.regex import begin_word, regex

_DEFINITION_KEYWORDS = frozenset({"def", "function"})
_NULL = regex(r"\b(?:None|null|undefined)\b")
_DEFINITION = regex(rf"{begin_word('def', 'function')}\s+(\w+)")
_RESULT = regex(r"return\b[^\S\n]*+[^\s;}]")
_BEFORE_STATEMENT = ("\n", "{", ";", ":", ")", " else")
_INNER_FUNCTION = regex(rf"{begin_word('def', 'function', 'lambda', 'class')}\b|=>")
_ASSIGNED_CALL = regex(r"=[\s(]*+(?:await[\s(]++)?+(\w++)\s*+\(")
_OMISSION = regex(r"\.\.\.|…|\b(?:your|implement|logic|todo|etc|code|here)\b", re.IGNORECASE)


class Function(msgspec.Struct, frozen=True):
    """A named function outside classes."""

    name: str
    line: int
    line_end: int
    node: Node
    body: Node


def find_functions(code: Code) -> Iterator[Function]:
    """Find the named functions in code. Methods are not included."""
    for node in code.nodes(*code.language.definitions) if _may_define(code) else ():
        body, name = node.child_by_field_name("body"), node.child_by_field_name("name")
        outer = node.parent.parent if node.parent is not None else None
        is_method = outer is not None and outer.type in code.language.classes
        if body is not None and name is not None and not is_method:
            yield Function(code.text_of(name), code.line(node), code.line_end(node), node, body)


def _may_define(code: Code) -> bool:
    return bool(code.language.definitions) and not code.words.isdisjoint(_DEFINITION_KEYWORDS)


def returns_nothing(code: Code, function: Function) -> bool:
    """Return whether a function never returns a value. A stub, such as `...` or `raise`, does not count."""
    if all(_is_empty(code, statement) for statement in function.body.named_children):
        return False
    stack = list(function.body.children)
    while stack:
        node = stack.pop()
        if node.type in code.language.returns and (node.named_child_count or node.type != "return_statement"):
            return False
        if node.type not in code.language.functions:
            stack.extend(node.children)
    return True


def find_used_empty_results(code: Code, *, is_excerpt: bool) -> Iterator[tuple[Function, Call]]:
    """Yield (function, call) for each call whose result is used although the function returns nothing.

    A function is skipped if its name is also used for something else or, in an excerpt, if its body may be abridged.
    Code that does not use the results of its own functions is not parsed.
    """
    if not _may_define(code):
        return
    assigned = frozenset(_ASSIGNED_CALL.findall(code.text))
    definitions = [match for match in _DEFINITION.finditer(code.text) if match[1] in assigned]
    used_names = {match[1] for match in definitions if not _clearly_returns(code.text, match)}
    functions = find_functions(code) if used_names else ()
    for function in (function for function in functions if function.name in used_names):
        parent = function.node.parent
        is_decorated = parent is not None and parent.type in code.language.decorated_definitions
        if not is_decorated and returns_nothing(code, function) and _is_unambiguous(code, function):
            calls = _find_used_results(code, function) if not is_excerpt or _is_complete(code, function) else ()
            yield from ((function, call) for call in calls)


def _clearly_returns(text: str, definition: re.Match[str]) -> bool:
    """Return whether the text of a definition contains a statement that returns a value, without parsing it.

    The definition ends before the next line that is not indented further, except for a line that begins with `)`,
    which continues the signature. With an inner function, the result is False, because the statement may belong to it.
    """
    head = text[text.rfind("\n", 0, definition.start()) + 1 : definition.start()]
    margin = len(head) - len(head.lstrip())
    end = re.compile(rf"\n[^\S\n]{{0,{margin}}}[^\s)]").search(text, definition.end())
    body = text[definition.end() : end.start() if end else len(text)]
    prefixes = (body[: match.start()].rstrip(" \t") for match in _RESULT.finditer(body))
    return any(prefix.endswith(_BEFORE_STATEMENT) for prefix in prefixes) and not _INNER_FUNCTION.search(body)


def _is_complete(code: Code, function: Function) -> bool:
    """Return whether the body of a function seems to be complete.

    A final comment, a placeholder such as `...`, or a return type suggests that code is left out.
    """
    statements = function.body.named_children
    comments = [code.text_of(part) for part in statements if part.type == "comment"]
    has_placeholder = any(code.text_of(part).strip() in ("...", "…") for part in statements) or any(
        map(_OMISSION.search, comments)
    )
    has_type = function.node.child_by_field_name("return_type") is not None
    return bool(statements) and statements[-1].type != "comment" and not has_type and not has_placeholder


def _find_used_results(code: Code, function: Function) -> Iterator[Call]:
    """Find the calls of a function whose result is assigned and read by the next use of the variable."""
    for call in (call for call in find_calls(code) if call.name == function.name and call.assigned):
        scope = next((node for node in list_ancestors(call.node) if node.type in code.language.functions), code.root)
        uses = map_identifiers(code).get(call.assigned or "", ())
        index = bisect_left(uses, call.node.end_byte, key=lambda node: node.start_byte)
        use = uses[index] if index < len(uses) else None
        is_recursive = is_inside(call.node, function.node)
        if use is not None and is_inside(use, scope) and not is_recursive and _is_read(code, use):
            yield call


def _is_unambiguous(code: Code, function: Function) -> bool:
    """Return whether the name of a function is defined once, and all its other uses are calls, arguments or labels."""
    parents = [node.parent.type for node in map_identifiers(code).get(function.name, ()) if node.parent is not None]
    language = code.language
    definitions = [kind for kind in parents if kind in language.definitions]
    allowed = (*language.definitions, *language.calls, *language.arguments, *language.label_fields)
    return len(definitions) == 1 and all(kind in allowed for kind in parents)


def _is_read(code: Code, node: Node) -> bool:
    """Return whether a use of a variable reads its value. A comparison with null does not count."""
    parent = node.parent
    if parent is None or parent.type not in code.language.value_reads:
        return False
    if "for" in parent.type and parent.child_by_field_name("left") == node:
        return False
    is_compared = parent.type in code.language.comparisons
    return not (is_compared and _NULL.search(code.text_of(parent)))


def _is_empty(code: Code, node: Node) -> bool:
    """Return whether a statement can be the body of a stub: a comment, `pass`, `...`, a docstring, or `raise`.

    A bare name, such as `__BODY__`, is a placeholder.
    """
    if node.type in code.language.empty_statements:
        return True
    are_inert = [child.type in ("ellipsis", "identifier", "string") for child in node.named_children]
    return node.type == "expression_statement" and are_inert == [True]
