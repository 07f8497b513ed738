"""Functions of a skill's own pseudo-code through which its sub-agents are called, and whether they catch a failure."""

from collections.abc import Iterator
from dataclasses import dataclass

from actions.model import regex as re
from actions.model.code import AGENT_CALLS, Call, CodeFence, code_fences
from actions.model.memo import once
from actions.model.skill import Skill

_DEFINED = re.compile(
    r"^(?P<indent>[ \t]*)(?:export\s+)?(?:(?:async\s+)?(?:function\s*\*?\s+(?P<js>\w+)\s*\(|def\s+(?P<py>\w+)\s*\()"
    r"|(?:const|let|var)\s+(?P<arrow>\w+)\s*=\s*(?:async\s*)?(?:\([^()\n]*\)|\w+)\s*=>)",
    re.MULTILINE,
)
_CATCHES = re.compile(r"\b(?:catch|except)\b|\.catch\(")
_AGENT_MARKS = tuple(f"{name}(" for name in sorted(AGENT_CALLS))


@dataclass(frozen=True)
class Wrapper:
    """A function that starts a sub-agent, and whether it `catches` a failure."""

    name: str
    catches: bool


@once
def wrappers(skill: Skill) -> dict[str, Wrapper]:
    """Give the functions that a skill defines around a call of a sub-agent, by name."""
    found: dict[str, Wrapper] = {}
    for file in skill.instructions:
        for fence in code_fences(file, *_AGENT_MARKS):
            found |= {wrapper.name: wrapper for wrapper in _defined(fence)}
    return found


def _defined(fence: CodeFence) -> Iterator[Wrapper]:
    for match in _DEFINED.finditer(fence.text):
        body = _body(fence.text, match)
        if any(mark in body for mark in _AGENT_MARKS):
            name = match["js"] or match["py"] or match["arrow"]
            yield Wrapper(name, bool(_CATCHES.search(body)))


def _body(code: str, definition: re.Match[str]) -> str:
    """Give a definition up to the next line that is indented no deeper and opens something new."""
    indent = len(definition["indent"])
    lines = code[definition.start() :].split("\n")
    for number, line in enumerate(lines[1:], 1):
        if line.strip() and len(line) - len(line.lstrip()) <= indent and line.lstrip()[0] not in ")}":
            return "\n".join(lines[:number])
    return "\n".join(lines)


def wrapped_calls(skill: Skill, fence: CodeFence) -> list[Call]:
    """Give the calls of a fence that go through one of the skill's own functions."""
    known = wrappers(skill)
    return [call for call in fence.calls if call.name in known and not _defines(fence, call)] if known else []


def _defines(fence: CodeFence, call: Call) -> bool:
    line = fence.text.split("\n")[call.line - fence.start]
    return f"function {call.name}" in line or f"def {call.name}" in line
