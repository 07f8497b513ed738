"""The calls in code, with their arguments by place and by name, and the variable that takes the result."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tree_sitter import Node

from actions.code.literals import literal
from actions.code.names import ASSIGNMENTS
from actions.code.tree import CALLS, PYTHON, Code, below, part
from actions.memo import memoize, memoize_all

AGENT_CALLS = frozenset({"Task", "Agent"})
"""The tools by which Claude Code starts a sub-agent, by the new and the old name."""
CLAUDE_TOOLS = frozenset(
    "Agent AskUserQuestion Bash BashOutput Edit ExitPlanMode Glob Grep KillShell LS MultiEdit NotebookEdit NotebookRead"
    " Read Skill SlashCommand Task TaskOutput TodoRead TodoWrite WebFetch WebSearch Write".split()
)
"""Tools of Claude Code by their names."""
_STARTS = re.compile(r"\b(?:Task|Agent)\s*\(")
_LONGEST_NAME = 400
"""Bytes; a chain of calls that is longer has no name: each of its links would have the whole chain before it."""
_KEYWORDS = {"keyword_argument": ("name", "value"), "assignment_expression": ("left", "right")}
"""Arguments by name: those of Python, and the same as skills write it in JavaScript, `Task(prompt="...")`."""
_WRAPPERS = ("await_expression", "await", "parenthesized_expression", "as_expression", "non_null_expression")
_AGENT_KEYS = frozenset("prompt description model run_in_background name team_name isolation mode resume".split())
_DEFINITIONS = (
    "function_definition", "class_definition", "function_declaration", "class_declaration", "variable_declarator"
)  # fmt: skip
_IMPORTS = ("import_statement", "import_from_statement")


@dataclass(frozen=True)
class Call:
    """`name(args)`. `assigned` is the plain variable that takes the result; None where none does.

    `named` holds keyword arguments, and the keys of an object literal that is the first argument.
    """

    name: str
    args: tuple[Node, ...]
    named: Mapping[str, Node]
    node: Node
    line: int
    line_end: int
    assigned: str | None

    @property
    def base(self) -> str:
        """The last part of a dotted name."""
        return self.name.rsplit(".", 1)[-1]

    def argument(self, place: int, *names: str) -> Node | None:
        """Return the argument of one of these names, else the one at a place; None where there is none."""
        for name in names:
            if name in self.named:
                return self.named[name]
        return self.args[place] if place < len(self.args) else None


@memoize_all
def calls(code: Code) -> Iterator[Call]:
    """Return the calls of a code in order; those of a shell are its commands, see `commands`."""
    for node in code.nodes("call" if code.language == PYTHON else "call_expression"):
        name, given = called(code, node), node.child_by_field_name("arguments")
        if "\n" in name or given is None:
            continue
        args, named = _arguments(code, given)
        yield Call(name, args, named, node, code.line(node), code.line_end(node), _assigned(code, node))


def calls_within(code: Code, start: int, end: int) -> tuple[Call, ...]:
    """Return the calls that begin between two bytes of a code."""
    starts = _starts(code)
    return calls(code)[bisect_left(starts, start) : bisect_left(starts, end)]


@memoize
def _starts(code: Code) -> list[int]:
    return [call.node.start_byte for call in calls(code)]


def agent_calls(code: Code) -> Iterator[Call]:
    """Return the calls that start a sub-agent of Claude Code."""
    found = calls(code) if not code.words.isdisjoint(AGENT_CALLS) and _STARTS.search(code.text) else ()
    return (call for call in found if call.name in AGENT_CALLS and _starts_agent(code, call))


def _starts_agent(code: Code, call: Call) -> bool:
    """Return whether the arguments are those of Claude Code's tool, not of a class of that name in some library."""
    if call.name in named_by_code(code) or not (call.args or call.named):
        return False
    if not call.named:
        return code.language != PYTHON
    return "subagent_type" in call.named or ("prompt" in call.named and call.named.keys() <= _AGENT_KEYS)


@memoize
def named_by_code(code: Code) -> frozenset[str]:
    """Return the names that a code itself imports or defines: functions, classes and variables."""
    found = {code.said(name) for node in code.nodes(*_DEFINITIONS) if (name := node.child_by_field_name("name"))}
    imported = {code.said(one) for node in code.nodes(*_IMPORTS) for one in below(node) if one.type == "identifier"}
    return frozenset(found | imported)


def tool_calls(code: Code) -> Iterator[Call]:
    """Return the calls of Claude Code's own tools, MCP tools among them."""
    found = () if code.words.isdisjoint(CLAUDE_TOOLS) and "mcp__" not in code.text else calls(code)
    return (c for c in found if c.name in CLAUDE_TOOLS or (c.name.startswith("mcp__") and c.name.count("__") > 1))


def _arguments(code: Code, given: Node) -> tuple[tuple[Node, ...], dict[str, Node]]:
    args = tuple(one for one in given.named_children if one.type not in ("comment", *_KEYWORDS))
    named = {}
    for one in given.named_children:
        if one.type in _KEYWORDS:
            name, value = (one.child_by_field_name(field) for field in _KEYWORDS[one.type])
            named[code.said(name)] = value or one
    if args and args[0].type in ("object", "dictionary"):
        named = {**object_pairs(code, args[0]), **named}
    return args, named


def called(code: Code, node: Node | None) -> str:
    """Return the name that a call calls, as it is written; empty for what is no call, or has no short name."""
    name = part(node, "function") if node is not None and node.type in CALLS else None
    return code.said(name) if name is not None and name.end_byte - name.start_byte <= _LONGEST_NAME else ""


def object_pairs(code: Code, node: Node) -> dict[str, Node]:
    """Return the keys of an object or dictionary literal with their values."""
    found = {}
    for pair in node.named_children:
        if pair.type == "pair":
            key, value = pair.child_by_field_name("key"), pair.child_by_field_name("value")
            if key is not None and value is not None:
                found[literal(code, key) or code.said(key)] = value
        elif pair.type == "shorthand_property_identifier":
            found[code.said(pair)] = pair
    return found


def _assigned(code: Code, node: Node) -> str | None:
    parent = node.parent
    while parent is not None and parent.type in _WRAPPERS:
        parent = parent.parent
    if parent is None or parent.type not in ASSIGNMENTS:
        return None
    target = part(parent, "name", "left")
    return code.said(target) if target is not None and target.type == "identifier" else None


@dataclass(frozen=True)
class Command:
    """A command of a shell: its name and its words as written, quotes taken off where they hold nothing to fill in."""

    name: str
    words: tuple[str, ...]
    node: Node
    line: int


@memoize_all
def commands(code: Code) -> Iterator[Command]:
    """Return the commands of a shell code in order."""
    for node in code.nodes("command"):
        given = node.children_by_field_name("argument")
        words = [code.said(one) if (text := literal(code, one)) is None else text for one in given]
        yield Command(code.said(node.child_by_field_name("name")), tuple(words), node, code.line(node))
