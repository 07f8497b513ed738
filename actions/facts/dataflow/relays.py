"""Files that only carry a value from one line to a later one of the same stage."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from actions.facts.dataflow.artifacts import Mode, Use, artifact_uses
from actions.facts.dataflow.file_names import base, is_open
from actions.facts.dataflow.stages import numbered_sections
from actions.facts.own import is_own, is_workflow, teaches
from actions.skill.code import Call, CodeFence, code_fences, starts_agent
from actions.skill.memo import once
from actions.skill.skill import Skill, SkillFile


@dataclass(frozen=True)
class Relay:
    """`name` is written at `write` and read back at `read`, and named nowhere else in the skill."""

    name: str
    file: str
    write: int
    read: int


_WORKERS = re.compile(
    r"\b(?:Task|Agent|spawn_agent|AskUserQuestion|ask the user|sub-?agent|agent)\b|子代理|询问用户", re.IGNORECASE
)
_LASTS = re.compile(
    r"\bresum|\bcheckpoint|\brecover|\bcompact|\baudit|\brestart|恢复|断点|检查点"
    r"|\b(?:when|each time|whenever) (?:the skill|it|you) (?:is |are )?(?:starts?|called|begins?)\b"
    r"|\bnext (?:call|session|run|time|day)\b|\bleft off\b|\bif (?:it|the file) (?:is (?:already )?there|exists)\b"
    r"|上次|下次|接着(?:做|跑|上)|已有|如果有",
    re.IGNORECASE,
)
_PROVES = re.compile(r"\bverif|\bconfirm|\bassert|\bprove|\bcompare|校验|验证|确认|核对|对照", re.IGNORECASE)
_REACH = 40
_SHELL = frozenset({"bash", "sh", "shell"})


@once
def relays(skill: Skill) -> tuple[Relay, ...]:
    """Give each file that one stage writes and reads back itself, with nobody else in between."""
    return tuple(_relays(skill))


def _relays(skill: Skill) -> Iterator[Relay]:
    places: dict[str, list[Use]] = {}
    for use in artifact_uses(skill):
        places.setdefault(use.name.rsplit("/", 1)[-1], []).append(use)
    for uses in places.values():
        modes = [use.mode for use in uses]
        if modes == [Mode.WRITE, Mode.READ] and not is_open(uses[0].name):
            write, read = uses
            file = skill.by_path[write.file]
            if (
                write.file == read.file
                and 0 <= read.line - write.line <= _REACH
                and _alone(file, write.name, write.line, read.line)
                and _is_own_line(skill, file, write.line)
                and (file.doc.fence_at(read.line) or not _is_kept(file, write.name, read.line))
            ):
                yield Relay(write.name, write.file, write.line, read.line)


def _is_own_line(skill: Skill, file: SkillFile, line: int) -> bool:
    fence = file.doc.fence_at(line)
    if fence is None:
        return not file.doc.line(line).lstrip().startswith(">")  # a prompt: somebody else writes
    return (is_workflow(skill) or not teaches(skill)) and any(
        (is_own(code) or code.lang in _SHELL)
        for code in code_fences(file, file.doc.line(line))
        if code.start <= line <= code.end
    )


def _alone(file: SkillFile, name: str, first: int, last: int) -> bool:
    """Whether one stage holds both lines, no other worker comes between, and the file does not serve a resume."""
    if any(first < section.start <= last for section in numbered_sections(file)):
        return False
    between = "\n".join(file.doc.line(n) for n in range(first, last + 1)).rpartition(base(name))[0]
    near = "\n".join(file.doc.line(n) for n in range(max(1, first - 3), first + 1))
    last_lines = "\n".join(file.doc.line(n) for n in range(last - 1, last + 1))
    if _WORKERS.search(between) or _LASTS.search(near) or _PROVES.search(last_lines):
        return False
    if file.doc.fence_at(first):
        return True
    return _steps_between(file, first, last) <= 1 and not _LASTS.search(last_lines)


def _is_kept(file: SkillFile, name: str, read: int) -> bool:
    """Tell whether a sentence below the read speaks of what the file holds: then it is there for more than one step."""
    stem = name.rsplit("/", 1)[-1].rsplit(".", 1)[0]
    word = re.compile(rf"\b{re.escape(stem)}\b", re.IGNORECASE)
    return len(stem) > 3 and any(n > read and word.search(line) for n, line in file.doc.prose)


def _steps_between(file: SkillFile, first: int, last: int) -> int:
    """Count the entries of a numbered list that begin after one line, up to another: each is a step of the work."""
    return sum(first < line <= last for line, _ in file.doc.numbered)


@dataclass(frozen=True)
class CodeRelay:
    """A relay in one fence: the call that writes `value`, the call that reads it, and the whole fence."""

    fence: CodeFence
    write: Call
    read: Call
    value: str


def code_relay(file: SkillFile, relay: Relay) -> CodeRelay | None:
    """Give the two calls of a relay, where both stand in one fence and the written value is plain."""
    for fence in code_fences(file, "Write("):
        if not fence.start <= relay.write <= relay.read <= fence.end or any(map(starts_agent, fence.calls)):
            continue
        write = next((c for c in fence.calls if c.base == "Write" and c.line == relay.write), None)
        read = next((c for c in fence.calls if c.base == "Read" and c.line == relay.read), None)
        value = _value(write.args) if write else None
        if write and read and value:
            return CodeRelay(fence, write, read, value)
    return None


_VALUE = re.compile(
    r",\s*(?:JSON\.stringify\(\s*(?P<json>[A-Za-z_$][\w$.]*)\s*(?:,[^()]*)?\)|(?P<plain>[A-Za-z_$][\w$.]*))\s*\)?\s*$"
)


def _value(args: str) -> str | None:
    match = _VALUE.search(args)
    return (match["json"] or match["plain"]) if match else None
