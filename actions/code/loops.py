"""Loops without a bound: those that by their own text cannot end, and those that only the answer of a tool ends."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tree_sitter import Node

from actions.code.calls import AGENT_CALLS, CLAUDE_TOOLS
from actions.code.tree import BASH, JAVASCRIPT, TYPESCRIPT, Code, above, below
from actions.memo import once

_LOOPS = ("while_statement", "do_statement", "for_statement")
_EXITS = frozenset("break_statement return_statement throw_statement raise_statement yield_expression yield".split())
_FUNCTIONS = frozenset(
    "function_definition function_declaration function_expression arrow_function method_definition lambda"
    " class_definition generator_function_declaration".split()
)
_ASSIGNMENTS = (
    "assignment", "assignment_expression", "augmented_assignment", "augmented_assignment_expression",
    "update_expression", "variable_declarator", "named_expression",
)  # fmt: skip
_COUNTERS = frozenset({"augmented_assignment", "augmented_assignment_expression", "update_expression"})
_CALLS = ("call", "call_expression")
_LEAVING_CALLS = ("exit", "quit", "abort", "die", "panic", "fail")
_LEAVING_COMMANDS = frozenset({"break", "exit", "return", "exec"})
_PLAIN = frozenset(
    "parenthesized_expression unary_expression not_operator boolean_operator binary_expression comparison_operator"
    " string string_fragment string_start string_content string_end true false".split()
)
_MEMBERS = frozenset({"member_expression", "attribute", "property_identifier"})
_ALWAYS = ("", "true", "1", ":")
_ORDERS = frozenset({"<", ">", "<=", ">="})
_WAITS = frozenset({"sleep", "wait", "delay", "setTimeout", "poll"})
_ASKS = "AskUserQuestion"


@dataclass(frozen=True)
class Loop:
    """A loop that has no bound. `answers` are the variables whose new value, the answer of a tool, alone can end it."""

    line: int
    line_end: int
    condition: str
    node: Node
    called: frozenset[str]
    answers: tuple[str, ...] = ()

    @property
    def is_constant(self) -> bool:
        """Whether the condition is always true by itself."""
        return self.condition.lower() in _ALWAYS

    @property
    def calls_tools(self) -> bool:
        """Whether the loop calls tools of Claude Code, and no question to the user among them."""
        return bool(self.called & CLAUDE_TOOLS) and _ASKS not in self.called

    @property
    def waits(self) -> bool:
        """Whether the loop pauses between its rounds."""
        return any(name.rsplit(".", 1)[-1] in _WAITS for name in self.called)


def endless_loops(code: Code) -> Iterator[Loop]:
    """Return the loops that nothing leaves, with a condition that is always true or of names that never change."""
    for node in code.nodes(*_LOOPS):
        condition, body = node.child_by_field_name("condition"), node.child_by_field_name("body")
        if body is None or (node.type == "for_statement" and not _is_bare(code, node)):
            continue
        names = () if node.type == "for_statement" else _names(code, condition, _PLAIN)
        if names is None or _leaves(code, node) or any(_changes(code, body, name) for name in names):
            continue
        yield _loop(code, node, condition)


def unbounded_retries(code: Code) -> Iterator[Loop]:
    """Return the loops that end only when a tool's answer says so: no counter, no exit, no comparison by size."""
    for node in code.nodes("while_statement", "do_statement"):
        condition, body = node.child_by_field_name("condition"), node.child_by_field_name("body")
        names = _names(code, condition, _PLAIN | _MEMBERS)
        if body is None or not names or _leaves(code, node):
            continue
        inside = list(below(body))
        answers = {name for one in inside if (name := _answer(code, one))}
        if set(names) <= answers and not any(one.type in _COUNTERS for one in inside):
            yield _loop(code, node, condition, names)


def _loop(code: Code, node: Node, condition: Node | None, answers: tuple[str, ...] = ()) -> Loop:
    calls = (one for one in below(node) if one.type in _CALLS)
    called = (code.said(one.child_by_field_name("function")) for one in calls)
    text = _bare(code, condition)
    return Loop(code.line(node), code.line_end(node), text, node, frozenset(called), answers)


def _bare(code: Code, condition: Node | None) -> str:
    """Return the text of a condition in one line, without the brackets around it."""
    text = " ".join(code.said(condition).split()).strip("; ")
    return text[1:-1].strip() if text[:1] == "(" and text[-1:] == ")" else text


def _is_bare(code: Code, node: Node) -> bool:
    """Return whether this is `for (;;)`."""
    return code.language in (JAVASCRIPT, TYPESCRIPT) and not _bare(code, node.child_by_field_name("condition"))


def _names(code: Code, condition: Node | None, plain: frozenset[str]) -> tuple[str, ...] | None:
    """Return the names of a condition that they alone decide; empty for one that is always true, None for any other."""
    if condition is None:
        return None
    if _bare(code, condition).lower() in _ALWAYS:
        return ()
    if code.language == BASH:
        return None
    names = []
    for node in below(condition):
        if node.type == "identifier":
            names.append(code.said(node))
        elif node.type in _ORDERS or (node.is_named and node.type not in plain):
            return None
    return tuple(dict.fromkeys(names)) or None


def _leaves(code: Code, loop: Node) -> bool:
    """Return whether something in a loop, or a handler around it, may leave it."""
    if any(outer.type == "try_statement" for outer in above(loop)):
        return True
    waiting = list(loop.children)
    while waiting:
        node = waiting.pop()
        if node.type in _EXITS or node.is_error or node.is_missing:
            return True
        if node.type in _CALLS:
            name = code.said(node.child_by_field_name("function")).lower()
            if any(word in name for word in _LEAVING_CALLS):
                return True
        if node.type == "command" and code.said(node.child_by_field_name("name")) in _LEAVING_COMMANDS:
            return True
        if node.type not in _FUNCTIONS:
            waiting.extend(node.children)
    return False


def _changes(code: Code, body: Node, name: str) -> bool:
    """Return whether a name may get another value: it stands in the loop, or is assigned at more than one place."""
    return _assigned(code)[name] > 1 or any(one.type == "identifier" and code.said(one) == name for one in below(body))


@once
def _assigned(code: Code) -> Mapping[str, int]:
    """Return how often each name is assigned."""
    targets = (_target(node) for node in code.nodes(*_ASSIGNMENTS))
    return Counter(code.said(one) for target in targets if target for one in below(target) if one.type == "identifier")


def _target(node: Node) -> Node | None:
    return node.child_by_field_name("left") or node.child_by_field_name("name") or node.child_by_field_name("argument")


def _answer(code: Code, node: Node) -> str | None:
    """Return the variable that an assignment gives the answer of a tool."""
    if node.type not in ("assignment", "assignment_expression", "variable_declarator"):
        return None
    value = node.child_by_field_name("right") or node.child_by_field_name("value")
    while value is not None and value.type in ("await_expression", "await", "parenthesized_expression"):
        value = value.named_children[0] if value.named_children else None
    called = code.said(value.child_by_field_name("function")) if value is not None else ""
    target = _target(node)
    return code.said(target) if target is not None and called in CLAUDE_TOOLS | AGENT_CALLS else None
