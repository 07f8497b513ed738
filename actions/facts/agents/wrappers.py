"""Functions of a skill's own pseudo-code through which its sub-agents are called, and whether they catch a failure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from actions.skill.code import AGENT_CALLS, Call, CodeFence, code_fences
from actions.skill.memo import once
from actions.skill.skill import Skill

_DEFINED = re.compile(
    r"^(?P<indent>[ \t]*)(?:export\s+)?(?:(?:async\s+)?"
    r"(?:function(?:\s*\*\s*|\s+)(?P<js>\w+)\s*\(|def\s+(?P<py>\w+)\s*\()"
    r"|(?:const|let|var)\s+(?P<arrow>\w+)\s*=\s*(?:async\s*)?(?:\((?=[^()\n]*\)\s*=>)|(?=\w+\s*=>)))",
    re.MULTILINE,
)
_PARAMETER = re.compile(r"[(,{=]?\s*\.{0,3}(\w+)[^,)]*")
_CATCHES = re.compile(r"\b(?:catch|except)\b|\.catch\(")
_AGENT_MARKS = tuple(f"{name}(" for name in sorted(AGENT_CALLS))


@dataclass(frozen=True)
class Wrapper:
    """A function that starts a sub-agent, its parameters, whether it `catches` a failure, and its lines in `file`."""

    name: str
    catches: bool
    parameters: tuple[str, ...]
    file: str
    start: int
    end: int


@once
def wrappers(skill: Skill) -> dict[str, Wrapper]:
    """Give the functions that a skill defines around a call of a sub-agent, by name."""
    found: dict[str, Wrapper] = {}
    for file in skill.instructions:
        for fence in code_fences(file, *_AGENT_MARKS):
            found |= {wrapper.name: wrapper for wrapper in _defined(file.path, fence)}
    return found


def _defined(path: str, fence: CodeFence) -> Iterator[Wrapper]:
    for match in _DEFINED.finditer(fence.text):
        body = _body(fence.text, match)
        if any(mark in body for mark in _AGENT_MARKS):
            name = match["js"] or match["py"] or match["arrow"]
            start = fence.start + fence.text.count("\n", 0, match.start())
            end = start + body.rstrip().count("\n")
            yield Wrapper(name, bool(_CATCHES.search(body)), _parameters(fence.text[match.end() :]), path, start, end)


def _parameters(text: str) -> tuple[str, ...]:
    """Give the names of parameters from the text behind their bracket on."""
    told = text.partition(")")[0].partition("=>")[0]
    return tuple(match[1] for part in told.split(",") if (match := _PARAMETER.match(part)))


def is_in_wrapper(skill: Skill, path: str, line: int) -> bool:
    """Tell whether a line belongs to a function through which sub-agents are called."""
    return any(one.file == path and one.start <= line <= one.end for one in wrappers(skill).values())


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
