"""Branches of pseudo-code for a sub-agent that ran out of time, and what they do for its work."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from actions.skill.code import Block, CodeFence, code_fences
from actions.skill.skill import SkillFile

_TIMED_OUT = re.compile(r"\btimed_?out\b", re.IGNORECASE)
_TELLS = re.compile(
    r"(?:console\.\w+|print|log(?:ger)?(?:\.\w+)?|echo|warn|pass|\.\.\.)\b[^;]*;?\s*$|pass$",
    re.IGNORECASE,
)
_DOES = re.compile(
    r"\b(?:retry|re-?run|ask|probe|wait|close|mark|report|list|skip|stop|abort|respawn|send|finali[sz]e|save"
    r"|return|drop|name)\b"
    r"|重试|询问|关闭|标记|上报|跳过|终止|再等|列出",
    re.IGNORECASE,
)
_COMMENT = ("//", "#", "/*", "*")
_DROPS = re.compile(r"\bclose_agent\(|['\"](?:failed|timeout|timed_out|error|skipped)['\"]", re.IGNORECASE)
_REACHES = re.compile(
    r"\b(?:send_input|send_message|followup_task|SendMessage|wait|wait_agent|spawn_agent|resume_agent|Task"
    r"|Agent|AskUserQuestion|request_user_input)\s*\("
    r"|\b(?:return|throw|raise|retry\w*|retries|attempts?)\b",
    re.IGNORECASE,
)
_CURE = re.compile(r"\b(?:send_input|send_message|followup_task|SendMessage|wait_agent|spawn_agent|resume_agent)\b")
_VAGUE = re.compile(r"\b(?:can|could|may|might|todo|tbd|maybe|optionally)\b|可以|可能|待定", re.IGNORECASE)


@dataclass(frozen=True)
class Timeout:
    """A branch `if (x.timed_out)` that does not reach for the agent's work: its fence and its block.

    `idle` tells one that does nothing, or nothing but tell (`tells`) or name a call that would help (`cure`), from one
    that gives the agent up at once.
    """

    fence: CodeFence
    block: Block
    idle: bool
    tells: bool = False
    cure: bool = False


def weak_timeouts(file: SkillFile) -> Iterator[Timeout]:
    """Give each outermost timeout branch that does nothing, or that only closes the agent or marks it as failed."""
    if "timed_out" not in file.text and "timedOut" not in file.text:
        return
    for fence in code_fences(file, "timed_out", "timedOut"):
        tests = [b for b in fence.blocks if b.kind == "if" and _TIMED_OUT.search(b.head)]
        for block in tests:
            inner = any(b is not block and b.start < block.start <= block.end <= b.end for b in tests)
            if inner or file.doc.is_counterexample(block.start):
                continue
            lines = [file.doc.line(n).strip() for n in range(block.start + 1, block.end + 1)]
            if _is_idle(file, block):
                tells = any(_TELLS.match(line) and line[:4].isalpha() and line != "pass" for line in lines)
                yield Timeout(fence, block, idle=True, tells=tells, cure=any(map(_CURE.search, lines)))
            elif _gives_up(file, block):
                yield Timeout(fence, block, idle=False)


def _is_idle(file: SkillFile, block: Block) -> bool:
    for number in range(block.start + 1, block.end + 1):
        line = file.doc.line(number).strip()
        comment = line.startswith(_COMMENT)
        if comment and _DOES.search(line) and not _VAGUE.search(line):
            return False
        if not (comment or _TELLS.match(line) or not line.strip("{}();, ")):
            return False
    return block.end > block.start or bool(re.search(r"\{\s*\}\s*$", block.head))


def _gives_up(file: SkillFile, block: Block) -> bool:
    lines = (file.doc.line(n).strip() for n in range(block.start + 1, block.end + 1))
    body = "\n".join(line for line in lines if not line.startswith(_COMMENT))
    return bool(_DROPS.search(body)) and not _REACHES.search(body)
