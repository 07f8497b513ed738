"""Which of the model's tools a skill calls, and which its frontmatter allows without asking."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from actions.facts.agents import words as w
from actions.facts.agents.calls import agent_steps
from actions.skill.code import code_fences
from actions.skill.skill import Skill, SkillFile
from actions.skill.stems import Stems
from actions.skill.tables import table_rows

KEY = "allowed-tools"
ASKS_FIRST = frozenset({"Bash", "Edit", "MultiEdit", "NotebookEdit", "Skill", "WebFetch", "WebSearch", "Write"})
"""The tools that stop for a permission when they are not allowed."""

_TOOLS = ASKS_FIRST | {"Task", "Agent"}
_ALIKE = {"MultiEdit": "Edit", "Agent": "Task", "Task": "Agent"}
"""One tool under two names, or what is allowed along with another."""
_FORBIDS = re.compile(rf"\b{w.NOT}\b|{w.NOT_CHINESE}", re.IGNORECASE)
_OF_AGENTS = re.compile(r"(?:^|/)(?:sub-?)?agents/")
"""What a sub-agent may use, its own definition says."""
_MCP = re.compile(r"mcp__\w+")
_ENTRY = re.compile(r"([A-Za-z_][\w-]*)(\([^()\n]*\))?")
_FRAME = ("|", "│", "├", "└", "║")
_IN_PROSE = re.compile(
    r"\b(?i:use|using|call|with|via|invoke)\s+(?:the\s+)?[`*]{0,3}(Bash|Edit|Write|WebFetch|WebSearch"
    r"|NotebookEdit)[`*]{0,3}\s+tool\b"
    r"|(?:使用|调用)\s*[`*]{0,3}(Bash|Edit|Write|WebFetch|WebSearch|NotebookEdit)[`*]{0,3}\s*工具",
)
_TOOL_WORDS = Stems("tool", "工具")
_TOOL_NAMES = Stems("bash", "edit", "write", "webfetch", "websearch")
_SPAN_CALL = re.compile(r"`(Bash|Edit|Write|WebFetch|WebSearch|NotebookEdit)\((?:[\"'{]|\w+\s*[:=])[^`\n]*\)`")
_ORDERED_CALL = re.compile(
    r"(?:\b(?i:use|using|call|with|via|run|through)|使用|调用|通过|用)\s*"
    r"`(Bash|Edit|Write|WebFetch|WebSearch|NotebookEdit)\([A-Za-z_]\w*(?:\.\w+)*(?:,[^`*\n]*)?\)`"
)
"""A call with a variable is an order only behind a verb; `Bash(git:*)` is a permission, not a call."""
_RUN = re.compile(r"\b(?i:run|execute)\s+`(Bash)\([a-z][^`*\n]*\)`")
_WITH = re.compile(
    r"(?<!instead of )(?<!rather than )"
    r"(?:\b(?i:with|via|use|using)|使用|调用|通过|用)\s*`?(WebFetch|WebSearch)`?(?![\w(`-]|\s+tool)"
)
_NAMES = r"(Bash|Edit|MultiEdit|Write|WebFetch|WebSearch|NotebookEdit)"
_BY_NAME = re.compile(
    rf"\b(?i:use|using|with|via|through|call|invoke)\s+(?:the\s+)?(?:`{_NAMES}`|{_NAMES})(?=\s*(?:[.,;:)]|$)"
    rf"|\s+(?:tool|to|on|for|with|and|so)\b)"
    rf"|(?:使用|调用|通过|借助|用)\s*[`*]{{0,3}}{_NAMES}[`*]{{0,3}}(?![\w(-])|\((?:`{_NAMES}`|(WebFetch|WebSearch))\)"
    rf"|(?:^|\bthen\s+|,\s+)`{_NAMES}`\s+(?:the|it|a|each|every|your|its)\b"
)
_WITH_AN_ORDER = re.compile(
    rf"(?:^|[.;:]\s+|\d[.)]\s+|[-*]\s+)(?:With|Using|Via|Through)\s+`?{_NAMES}`?,?\s+(?=(?:take|replace|remove|add|change|insert"
    r"|put|write|save|append|create|make|mend|fix|apply|run|start|get|fetch|look|search|find|delete|swap|set|rename|install"
    r"|download|open|load|read|strike|cut|correct|update)\b)"
    r"|(?:,\s+|\band\s+|\b[Tt]hen\s+)(Edit|Write)\s+(?:the|it|each|every|them)\b(?!\s+[A-Z])"
)
_SHELL_ORDER = re.compile(
    r"\b(?i:run|execute|invoke|call|submit|with|by|via)\b[^.;`]{0,60}`(?:python3?|bash|sh|node|npm|npx|pnpm|yarn"
    r"|uv|git|make|cargo|go|pip|curl"
    r"|docker|pytest|jq|gh|kubectl|terraform)\s+[^`\n]{2,200}`|\b(?i:run|execute)\s+`[a-z][\w.-]+\s+(?:-{1,2}\w"
    r"|\S+\.\w|\S+/)[^`\n]{1,200}`|(?:运行|执行)[^。；`]{0,30}`(?:python3?|bash|sh"
    r"|node|npm|npx|git|make|curl|docker|pytest)"
    r"\s+[^`\n]{2,200}`"
)
_TOOL_COLUMN = re.compile(r"\btools?\b|工具", re.IGNORECASE)
_TOOL_CELL = re.compile(rf"[`*]{{0,3}}(?:{_NAMES})[`*]{{0,3}}")
_FORMS = (_SPAN_CALL, _ORDERED_CALL, _RUN, _WITH, _BY_NAME, _WITH_AN_ORDER)
_USERS = re.compile(r"\buser\b|\bthey\b|用户", re.IGNORECASE)
_COMMANDS = Stems(
    *"run execut 运行 执行".split(),
    *"python bash sh node npm npx pnpm yarn uv git make cargo go pip curl docker pytest jq gh kubectl".split(),
    "terraform",
)


@dataclass(frozen=True)
class ToolUse:
    """The first place where a skill uses a tool."""

    tool: str
    file: SkillFile
    line: int


def allowed(skill: Skill) -> frozenset[str] | None:
    """Give the names in `allowed-tools`, without their arguments; None where the key is missing or empty."""
    value = skill.frontmatter.values.get(KEY)
    text = " ".join(map(str, value)) if isinstance(value, list) else str(value or "")
    return frozenset(match[1] for match in _ENTRY.finditer(text)) or None


def undeclared(skill: Skill) -> list[ToolUse]:
    """Give the tools that a skill with a list of allowed tools calls and does not list, at their first use."""
    known = allowed(skill)
    if known is None or "*" in str(skill.frontmatter.values.get(KEY, "")).split():
        return []
    found: dict[str, ToolUse] = {}
    for use in _uses(skill):
        if not {use.tool, _ALIKE.get(use.tool, use.tool)} & known and not _by_server(use.tool, known):
            found.setdefault(use.tool, use)
    return list(found.values())


def _named(line: str) -> Iterator[str]:
    """Give the tools that a line orders to use."""
    for form in _FORMS:
        for match in form.finditer(line):
            if not _forbidden(line, match.start()):
                yield next(filter(None, match.groups()))


def _forbidden(line: str, at: int) -> bool:
    clause = max(line.rfind(mark, 0, at) for mark in (". ", "; ", ", ", "。", "；", "，"))
    return bool(_FORBIDS.search(line[max(0, clause + 1) : at + 1]))


def _by_server(tool: str, known: frozenset[str]) -> bool:
    return tool.startswith("mcp__") and any(name.startswith("mcp__") and tool.startswith(name) for name in known)


def _uses(skill: Skill) -> Iterator[ToolUse]:
    for file in skill.instructions:
        if not _OF_AGENTS.search(file.path):
            yield from (*_called(file, skill), *_told(file), *_ordered(file), *_in_columns(file))
    for step in agent_steps(skill):
        if step.explicit and (step.call is None or step.call.base in ("Task", "Agent")):
            yield ToolUse(step.call.base if step.call else "Agent", step.file, step.line)


def _called(file: SkillFile, skill: Skill) -> Iterator[ToolUse]:
    """Give the calls in code, without those of this skill by itself."""
    for fence in code_fences(file, *(f"{tool}(" for tool in sorted(_TOOLS)), "mcp__"):
        for call in fence.calls:
            named = call.args.strip() and (call.name in ASKS_FIRST or _MCP.fullmatch(call.name))
            drawn = file.doc.line(call.line).lstrip().startswith(_FRAME)
            itself = call.name == "Skill" and (skill.name in call.args or "skill" not in call.args)
            if named and not drawn and not itself and not file.doc.is_counterexample(call.line):
                yield ToolUse(call.name, file, call.line)


def _told(file: SkillFile) -> Iterator[ToolUse]:
    """Give the tools that prose names as such."""
    for number, line in _TOOL_WORDS.prose(file):
        for told in _IN_PROSE.finditer(line):
            if not _forbidden(line, told.start()):
                yield ToolUse(told[1] or told[2], file, number)
    for number, line in _TOOL_NAMES.prose(file):
        if not file.doc.is_counterexample(number):
            yield from (ToolUse(tool, file, number) for tool in _named(line))


def _ordered(file: SkillFile) -> Iterator[ToolUse]:
    """Give the orders to run a command."""
    for number, line in _COMMANDS.prose(file):
        order = _SHELL_ORDER.search(line) if "`" in line else None
        meant = order and not _forbidden(line, order.start()) and not _USERS.search(line[: order.end()])
        if meant and not file.doc.is_counterexample(number):
            yield ToolUse("Bash", file, number)


def _in_columns(file: SkillFile) -> Iterator[ToolUse]:
    """Give the tools that a column of tools lists."""
    for row in table_rows(file):
        for title, cell in row.cells:
            if _TOOL_COLUMN.search(title) and (match := _TOOL_CELL.fullmatch(cell)):
                yield ToolUse(match[1], file, row.line)
