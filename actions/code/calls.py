"""Find the calls and shell commands in code, with their arguments."""

from bisect import bisect_left
from collections.abc import Iterator, Mapping

import msgspec
from tree_sitter import Node

from actions.code.literals import read_string
from actions.code.tree import Code, get_child, walk
from actions.memo import memoize, memoize_all
from actions.regex import begin_word, regex

AGENT_CALLS = frozenset({"Task", "Agent"})
"""The old and the new name of the tool that starts a sub-agent."""
CLAUDE_TOOLS = frozenset(
    "Agent AskUserQuestion Bash BashOutput Edit ExitPlanMode Glob Grep KillShell LS MultiEdit NotebookEdit NotebookRead"
    " Read Skill SlashCommand Task TaskOutput TodoRead TodoWrite WebFetch WebSearch Write".split()
)
"""Names of Claude Code's built-in tools."""
_AGENT_CALL = regex(rf"{begin_word('Task', 'Agent')}\s*\(")
_MAX_NAME_BYTES = 400
"""Maximum length of a callee's name, because in a chain of method calls, each name contains the chain before it."""
_AGENT_KEYS = frozenset("prompt description model run_in_background name team_name isolation mode resume".split())


class Call(msgspec.Struct, frozen=True):
    """A call `name(args)`. `assigned` is the variable that the result is assigned to, or None.

    `named` maps the names of keyword arguments to their values. If the first argument is an object literal, `named`
    also has the keys of that object.
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

    def argument(self, position: int, *names: str) -> Node | None:
        """Return the first keyword argument with one of these names, else the positional argument, else None."""
        for name in names:
            if name in self.named:
                return self.named[name]
        return self.args[position] if position < len(self.args) else None


@memoize_all
def find_calls(code: Code) -> Iterator[Call]:
    """Find the calls in code, in order. For shell code, see `find_commands`."""
    for node in code.nodes(*code.language.calls):
        name, arguments = get_callee(code, node), node.child_by_field_name("arguments")
        if "\n" in name or arguments is None:
            continue
        args, named = _read_arguments(code, arguments)
        yield Call(name, args, named, node, code.line(node), code.line_end(node), _find_assigned_variable(code, node))


def find_calls_within(code: Code, start: int, end: int) -> tuple[Call, ...]:
    """Return the calls that begin at a byte offset from `start` up to, but not including, `end`."""
    starts = _list_starts(code)
    return find_calls(code)[bisect_left(starts, start) : bisect_left(starts, end)]


@memoize
def _list_starts(code: Code) -> list[int]:
    return [call.node.start_byte for call in find_calls(code)]


def may_start_agents(text: str) -> bool:
    """Return whether code in a text may start a sub-agent, without parsing it."""
    return ("Task" in text or "Agent" in text) and _AGENT_CALL.search(text) is not None


def _may_call(code: Code, names: frozenset[str]) -> bool:
    return bool(code.language.calls) and not code.words.isdisjoint(names)


def find_agent_calls(code: Code) -> Iterator[Call]:
    """Find the calls that start a sub-agent of Claude Code."""
    calls = find_calls(code) if _may_call(code, AGENT_CALLS) and may_start_agents(code.text) else ()
    return (call for call in calls if call.name in AGENT_CALLS and _starts_agent(code, call))


def _starts_agent(code: Code, call: Call) -> bool:
    """Return whether a call's arguments fit Claude Code's tool, because a library may have a class of the same name."""
    if call.name in find_defined_names(code) or not (call.args or call.named):
        return False
    if not call.named:
        return code.language.has_positional_tools
    return "subagent_type" in call.named or ("prompt" in call.named and call.named.keys() <= _AGENT_KEYS)


@memoize
def find_defined_names(code: Code) -> frozenset[str]:
    """Return the names of the functions, classes and variables that code defines or imports."""
    declared = {
        code.text_of(name)
        for node in code.nodes(*code.language.declarations)
        if (name := node.child_by_field_name("name"))
    }
    variables = (variable for node in code.nodes(*code.language.imports) for variable in walk(node))
    imported = {code.text_of(variable) for variable in variables if variable.type in code.language.variables}
    return frozenset(declared | imported)


def may_call_tools(code: Code) -> bool:
    """Return whether code may call a tool of Claude Code, without parsing it."""
    return _may_call(code, CLAUDE_TOOLS) or "mcp__" in code.text


def find_tool_calls(code: Code) -> Iterator[Call]:
    """Find the calls of Claude Code's tools, including MCP tools."""
    calls = find_calls(code) if may_call_tools(code) else ()
    return (call for call in calls if call.name in CLAUDE_TOOLS or _is_mcp_tool(call.name))


def _is_mcp_tool(name: str) -> bool:
    return name.startswith("mcp__") and name.count("__") > 1


def _read_arguments(code: Code, arguments: Node) -> tuple[tuple[Node, ...], dict[str, Node]]:
    keywords = code.language.keyword_arguments
    args = tuple(node for node in arguments.named_children if node.type not in ("comment", *keywords))
    named = {}
    for node in arguments.named_children:
        if node.type in keywords:
            name, value = (node.child_by_field_name(field) for field in keywords[node.type])
            named[code.text_of(name)] = value or node
    if args and args[0].type in code.language.objects:
        named = {**read_object(code, args[0]), **named}
    return args, named


def get_callee(code: Code, node: Node | None) -> str:
    """Return the callee's name as written, or "" if the node is not a call or the name is too long."""
    name = get_child(node, "function") if node is not None and node.type in code.language.calls else None
    return code.text_of(name) if name is not None and name.end_byte - name.start_byte <= _MAX_NAME_BYTES else ""


def read_object(code: Code, node: Node) -> dict[str, Node]:
    """Map the keys of an object literal to their values."""
    values = {}
    for pair in node.named_children:
        if pair.type == "pair":
            key, value = pair.child_by_field_name("key"), pair.child_by_field_name("value")
            if key is not None and value is not None:
                values[read_string(code, key) or code.text_of(key)] = value
        elif pair.type in code.language.shorthands:
            values[code.text_of(pair)] = pair
    return values


def _find_assigned_variable(code: Code, node: Node) -> str | None:
    parent = node.parent
    while parent is not None and parent.type in code.language.wrappers:
        parent = parent.parent
    if parent is None or parent.type not in code.language.assignments:
        return None
    target = get_child(parent, "name", "left")
    return code.text_of(target) if target is not None and target.type in code.language.variables else None


class Command(msgspec.Struct, frozen=True):
    """A shell command. `words` are its arguments as written, except that literals are unquoted."""

    name: str
    words: tuple[str, ...]
    node: Node
    line: int


@memoize_all
def find_commands(code: Code) -> Iterator[Command]:
    """Find the commands of shell code, in order."""
    for node in code.nodes(*code.language.commands):
        arguments = node.children_by_field_name("argument")
        words = [code.text_of(word) if (text := read_string(code, word)) is None else text for word in arguments]
        yield Command(code.text_of(node.child_by_field_name("name")), tuple(words), node, code.line(node))
