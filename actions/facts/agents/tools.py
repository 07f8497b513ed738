"""Which of the model's tools a skill calls, and which its frontmatter allows without asking."""

from collections.abc import Iterator
from dataclasses import dataclass

from actions.facts.agents.calls import agent_steps
from actions.model import regex as re
from actions.model.code import code_fences
from actions.model.rules import Force, force_of
from actions.model.skill import Skill, SkillFile
from actions.model.stems import Stems

KEY = "allowed-tools"
ASKS_FIRST = frozenset({"Bash", "Edit", "MultiEdit", "NotebookEdit", "Skill", "WebFetch", "WebSearch", "Write"})
"""The tools that stop for a permission when they are not allowed."""

_TOOLS = ASKS_FIRST | {"Task", "Agent"}
_ALIKE = {"MultiEdit": "Edit", "Agent": "Task"}
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
_FORMS = (_SPAN_CALL, _ORDERED_CALL, _RUN, _WITH)
_NAMED = ("`", "WebFetch", "WebSearch")


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


def _by_server(tool: str, known: frozenset[str]) -> bool:
    return tool.startswith("mcp__") and any(name.startswith("mcp__") and tool.startswith(name) for name in known)


def _uses(skill: Skill) -> Iterator[ToolUse]:
    for file in skill.instructions:
        for fence in code_fences(file, *(f"{tool}(" for tool in sorted(_TOOLS)), "mcp__"):
            for call in fence.calls:
                named = call.name in ASKS_FIRST or _MCP.fullmatch(call.name)
                drawn = file.doc.line(call.line).lstrip().startswith(_FRAME)
                itself = call.name == "Skill" and (skill.name in call.args or "skill" not in call.args)
                if (
                    named
                    and call.args.strip()
                    and not drawn
                    and not itself
                    and not file.doc.is_counterexample(call.line)
                ):
                    yield ToolUse(call.name, file, call.line)
        for number, line in _TOOL_WORDS.prose(file):
            for match in _IN_PROSE.finditer(line):
                yield ToolUse(match[1] or match[2], file, number)
        if any(tool in file.text for tool in _NAMED):
            for number, line in _TOOL_NAMES.prose(file):
                called = next(filter(None, (form.search(line) for form in _FORMS)), None)
                if called and force_of(line) is not Force.NEVER and not file.doc.is_counterexample(number):
                    yield ToolUse(called[1], file, number)
    for step in agent_steps(skill):
        if step.call is not None and step.call.base in ("Task", "Agent"):
            yield ToolUse("Task", step.file, step.line)
