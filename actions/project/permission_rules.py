"""Find the permission rules that Claude Code skips, and why.

Source: the CLI 2.1.330. `claude doctor` lists the rules that Claude Code skips; a test in `tests/e2e/facts` compares
this module with that list.
"""

import re
from collections.abc import Iterator

import msgspec

from actions.memo import memoize_all
from actions.project.facts.tools import TOOLS
from actions.project.find_units import find_units
from actions.project.project import Project
from actions.project.units import Unit, UnitKind
from actions.regex import regex

BEHAVIORS = ("allow", "deny", "ask")
_MCP_TOOL = regex(r"mcp__(?!_)(.+?)(?:__|\Z)")
_SHELL_COMMAND = regex(r"[a-z][\w.+-]*(?: [^()]+|:\*)")
_TOOLS_BY_LETTERS = {name.lower(): name for name in sorted(TOOLS)}
_FILE_TOOLS = frozenset({"Read", "Write", "Edit", "Glob", "NotebookRead", "NotebookEdit", "Cd"})


class PermissionRule(msgspec.Struct, frozen=True):
    """A rule of the settings: its unit, line, text, and its behavior: allow, deny or ask."""

    unit: Unit
    line: int
    text: str
    behavior: str

    @property
    def fault(self) -> str:
        """The reason why Claude Code skips the rule, or "" if it accepts the rule."""
        return find_rule_fault(self.text, is_allow=self.behavior == "allow")

    @property
    def tool(self) -> str:
        """The name before the parentheses."""
        return self.text.partition("(")[0]


def find_tool_name(name: str) -> str:
    """Return the tool whose name has the same letters, such as `WebFetch` for `webfetch`, or ""."""
    return _TOOLS_BY_LETTERS.get(name.lower(), "")


def is_shell_command(rule: str) -> bool:
    """Return whether a rule is a shell command such as `rm -rf /` or `git:*`, without the name of a tool."""
    return _SHELL_COMMAND.fullmatch(rule) is not None and not find_tool_name(re.split("[ :]", rule, maxsplit=1)[0])


@memoize_all
def find_permission_rules(project: Project) -> Iterator[PermissionRule]:
    """Yield the permission rules in the settings of a project."""
    for unit in find_units(project):
        document = project.read_json(unit.path) if unit.kind is UnitKind.HOOKS else None
        permissions = document.value.get("permissions") if document and isinstance(document.value, dict) else None
        for behavior in BEHAVIORS if document and isinstance(permissions, dict) else ():
            rules = permissions.get(behavior) if permissions else None
            for n, rule in enumerate(rules if isinstance(rules, list) else ()):
                if document and isinstance(rule, str):
                    yield PermissionRule(unit, document.find_line("permissions", behavior, n), rule, behavior)


def find_rule_fault(rule: str, *, is_allow: bool) -> str:
    """Return why Claude Code skips a rule, or "" if it accepts the rule, or if that is uncertain."""
    if not rule.strip():
        return "it is empty"
    if "\\" in rule:  # escaped parentheses
        return ""
    tool, content = rule, None
    if "(" in rule or ")" in rule:
        tool, _, rest = rule.partition("(")
        if not rest.endswith(")") or ")" in tool:
            return "it must have the form `Tool(content)` and end with `)`"
        content = rest[:-1]
    if content == "":
        return f"write `{tool}`, or put a pattern into the parentheses" if tool else "it names no tool"
    return _find_tool_fault(rule, tool, content, is_allow) or _find_content_fault(tool, content or "")


def _find_tool_fault(rule: str, tool: str, content: str | None, is_allow: bool) -> str:
    server = _MCP_TOOL.match(tool)
    if server and content is not None:
        return "a rule for MCP tools takes no parentheses"
    if is_allow and "*" in tool and (not server or "*" in server[1]):
        return "an allow rule needs a tool's name; `*` is allowed only after `mcp__SERVER__`"
    if not server and "_" not in tool and tool[:1] != tool[:1].upper():
        return _describe_lower_case(rule, tool)
    return ""


def _describe_lower_case(rule: str, tool: str) -> str:
    """Return what is wrong with a rule that begins with a lower-case letter, with the right rule if it is known."""
    if known := find_tool_name(tool):
        return f"tool names begin with an upper-case letter: `{known}`"
    if is_shell_command(rule):
        return f"a shell command needs the name of its tool: `Bash({rule[:80]})`"
    return "tool names begin with an upper-case letter"


def _find_content_fault(tool: str, content: str) -> str:
    if tool == "WebSearch" and content != "*" and re.search(r"[*?]", content):
        return "WebSearch takes no wildcard"
    if tool == "WebFetch" and content not in ("", "*") and (not content.startswith("domain:") or "://" in content):
        return "WebFetch takes `domain:HOST`"
    if tool == "Bash" and content == ":*":
        return "`:*` needs a command before it"
    if tool in _FILE_TOOLS and ":*" in content:
        return "`:*` is for Bash; a file takes a glob such as `src/**`"
    return ""
