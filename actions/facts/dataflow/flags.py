"""Values that the steps of a skill ask for by name in prose, and that nothing in the skill gives."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from actions.facts.dataflow.stages import numbered_sections
from actions.facts.dataflow.words import ASKS
from actions.skill.memo import once
from actions.skill.skill import Role, Skill, SkillFile
from actions.skill.tables import is_row

_FLAG = re.compile(r"`(?P<name>[a-z][a-zA-Z0-9]*(?:_[a-z0-9]+)*)(?P<test>\s*(?:[=!]==?|[<>]=?)[^`]{0,40})?`")
_COMPOUND = re.compile(r"_|[a-z][A-Z]")
_IN_FILE = re.compile(r"\s*(?:\b(?:in|of)\b|的|里|中)?\s*`[\w${}./-]{1,80}\.(?:json|ya?ml)`\s*(?:[里中]的?)?")
"""A plain word is a value where the file that holds it is named beside it."""
_ASKS = re.compile(ASKS, re.IGNORECASE)
_ASKED = re.compile(
    r"\s*(?:flag |field |value |mark )?(?:(?:is|are|was|has been|equals?|says?|reads?|holds?|has|=+|>|<)\b|[=<>]"
    r"|为|是|等于|大于|小于|超过|不为|非|成立|有值|存在"
    r"|标记)",
    re.IGNORECASE,
)
_FOREIGN = re.compile(
    r"\b(?:API|CLI|flags?|options?|param\w*|argument|env\w*|config\w*|settings?|header|response|returned|returns?|column|property|attribute"
    r"|endpoint|tool|library|package|server|SDK|the output|exception|error)\b|接口|参数|选项|返回|环境变量|配置"
    r"|列名|工具",
    re.IGNORECASE,
)
_FEWEST_STEPS, _MOST = 2, 50


@dataclass(frozen=True)
class Flag:
    """A value that a line tests."""

    name: str
    file: str
    line: int


@once
def unset_flags(skill: Skill) -> tuple[Flag, ...]:
    """Give the first test of each value that the skill names only to test it."""
    asked: dict[str, list[Flag]] = {}
    for file in skill.instructions:
        for flag in _asked(file) if _is_procedure(file) else ():
            asked.setdefault(flag.name, []).append(flag)
    return tuple(flags[0] for name, flags in list(asked.items())[:_MOST] if _only_asked(skill, name, flags))


def _is_procedure(file: SkillFile) -> bool:
    if "`" not in file.text or file.role is Role.PHASE:
        return "`" in file.text
    return len(file.doc.numbered) >= _FEWEST_STEPS or len(numbered_sections(file)) >= _FEWEST_STEPS


def _asked(file: SkillFile) -> Iterator[Flag]:
    for number, line in file.doc.prose:
        if "`" not in line or is_row(line) or file.doc.is_counterexample(number):
            continue
        for match in _FLAG.finditer(line[:2000]):
            clause = re.split(r"[.;!]\s|[。；！]", line[max(0, match.start() - 60) : match.start()])[-1]
            tested = match["test"] or _ASKED.match(_IN_FILE.sub("", line[match.end() : match.end() + 80]))
            named = _COMPOUND.search(match["name"]) or _IN_FILE.search(
                line[max(0, match.start() - 60) : match.end() + 80]
            )
            if named and tested and _ASKS.search(clause) and not _FOREIGN.search(line):
                yield Flag(match["name"], file.path, number)


def _only_asked(skill: Skill, name: str, flags: list[Flag]) -> bool:
    word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
    for file in skill.files:
        if name in file.text:
            for number, line in enumerate(file.doc.lines, 1):
                found = len(word.findall(line)) if name in line else 0
                if found > sum(flag.file == file.path and flag.line == number for flag in flags):
                    return False
    return True
