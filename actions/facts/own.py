"""Which code of a skill is its own pseudo-code, and which is an example of a program for the user's project."""

import re
from functools import lru_cache

from actions.facts.state.tables import state_tables
from actions.skill.code import CodeFence, code_fences
from actions.skill.memo import once
from actions.skill.skill import Skill, SkillFile
from actions.skill.stems import Stems

TOOLS = frozenset(
    "Task Agent Read Write Edit MultiEdit Bash Glob Grep AskUserQuestion TodoWrite TaskCreate TaskUpdate Skill"
    " SendMessage WebFetch WebSearch spawn_agent send_input".split()
)
_CALL = re.compile(rf"(?:{'|'.join(sorted(tool for tool in TOOLS if tool[0].isupper()))})\(")
_TOOL_CALL = re.compile(rf"(?:{'|'.join(sorted(TOOLS))})\s*\(")
_SIGNS = ("spawn_agent(", "send_input(", "state.json", "sub-agent", "subagent", "`state.", "state 文件", "子代理")
_PROGRAM = re.compile(
    r"^[ \t]*(?:import\s+[\w{*\"']|from\s+[\w.]+\s+import\b|using\s+[\w.]+;|package\s+[\w.]+|#include\b|use\s+[\w:]+;"
    r"|(?:const|let|var)\s+[\w{}, ]{1,80}=\s*require\()",
    re.MULTILINE,
)
_INSTALLS = re.compile(r"\b(?:pip3?|npm|uv pip|cargo|go|gem|brew|apt(?:-get)?|dotnet|conda) (?:install|add|get)\b")
_INSTALL_WORDS = Stems("install", "add", "get")
_STATEFUL = re.compile(
    r"^[ \t]*state(?:\.\w+|\[[\"']\w+[\"']\])+\s*(?:[+|]?=(?!=)|\.(?:push|append|extend|add)\()"
    r"|^[ \t]*(?:(?:const|let|var)\s+)?state\s*=\s*(?:\{|dict\()",
    re.MULTILINE,
)
_PSEUDO = frozenset(
    {"", "js", "javascript", "ts", "typescript", "py", "python", "text", "pseudo", "pseudocode", "plaintext"}
)


@lru_cache(maxsize=4096)
def is_own(fence: CodeFence) -> bool:
    """Tell whether a fence is the skill's own pseudo-code: it calls the model's tools, or has no imports."""
    if _TOOL_CALL.search(fence.text) and any(call.name in TOOLS for call in fence.calls):
        return True
    return fence.lang in _PSEUDO and not _PROGRAM.search(fence.text)


@once
def teaches(skill: Skill) -> bool:
    """Tell whether a skill teaches a library or a language: its fences import, or it tells to install something."""
    return any(map(_teaches, skill.instructions))


def _teaches(file: SkillFile) -> bool:
    told = any(_INSTALLS.search(line) for _, line in _INSTALL_WORDS.lines(file))
    return told or any(_PROGRAM.search(fence.text) for fence in code_fences(file))


@once
def is_workflow(skill: Skill) -> bool:
    """Tell whether a skill drives work of its own: it has phases, a state file, or calls the model's tools."""
    return bool(skill.phases) or any(map(_drives, skill.instructions))


def _drives(file: SkillFile) -> bool:
    if any(sign in file.text for sign in _SIGNS) or _CALL.search(file.text):
        return True
    if any(table.kept for table in state_tables(file)):
        return True
    return "tate" in file.text and any(_STATEFUL.search(f.text) and is_own(f) for f in code_fences(file, "tate"))
