"""The constants of a skill's scripts and specs, and what its text says of their values."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from actions.code.constants import NAME, constants
from actions.code.tree import BASH
from actions.memo import once
from actions.skill.paths import Role
from actions.skill.skill import Skill, SkillFile
from actions.skill.text import number_of

_SAID = re.compile(
    rf"(?:const\s+)?({NAME.pattern})\s*(?:={{1,2}}|:)\s*(\"[^\"]*\"|'[^']*'|-?\d[\d_,]*(?:\.\d+)?|true|false)",
    re.IGNORECASE,
)
_LOOKED_UP = re.compile(r"[\"'.]([A-Z][A-Z0-9_]+)\b")
_VALUE_HEADS = frozenset({"value", "default", "default value", "值", "默认", "默认值", "取值"})
_LITERAL = re.compile(r"-?\d[\d_,]*(?:\.\d+)?|true|false", re.IGNORECASE)
_OTHER_CASE = re.compile(
    r"\b(?:set|sets|setting|override|overrides|change|raise|increase|lower|reduce|decrease|export|use|using|try|instead|if|when|unless"
    r"|until|was|were|formerly|previously|example|e\.g|or|env|environment)\b|设为|改为|如果|环境变量|例如|覆盖",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Setting:
    """A constant with the value that one place gives it."""

    name: str
    value: str
    file: str
    line: int
    is_code: bool = False


def disputed(skill: Skill) -> Iterator[tuple[Setting, Setting]]:
    """Return each statement of the text with the script or spec that sets the constant to another value."""
    known = _authorities(skill)
    for file in skill.instructions if known else ():
        for said in _statements(file):
            sure = known.get(said.name)
            sample = said.is_code and sure is not None and skill.by_path[sure.file].role is not Role.SPEC
            if sure and not sample and sure.file != said.file and not _is_same(sure.value, said.value):
                yield said, sure


@once
def _authorities(skill: Skill) -> Mapping[str, Setting]:
    """Return the constants that one script alone sets, else one spec alone; not what the environment may set."""
    of_scripts = _single(file for file in skill.scripts)
    code = "\n".join(file.text for file in skill.scripts)
    of_specs = _single(file for file in skill.instructions if file.role is Role.SPEC)
    looked_up, named = set(_LOOKED_UP.findall(code)), set(NAME.findall(code))
    sure = {name: one for name, one in of_scripts.items() if name not in looked_up}
    return {name: one for name, one in of_specs.items() if name not in named} | sure


def _single(files: Iterator[SkillFile]) -> dict[str, Setting]:
    found: dict[str, list[Setting]] = defaultdict(list)
    for file in files:
        for code in file.codes:
            for one in constants(code):
                found[one.name].append(Setting(one.name, one.value, file.path, one.line))
    return {name: places[0] for name, places in found.items() if len(places) == 1}


def _statements(file: SkillFile) -> Iterator[Setting]:
    """Return what code spans, tables and the code of a workflow's file say of constants."""
    doc, rows = file.doc, {row.line for row in file.doc.rows}
    for span in doc.spans:
        match = _SAID.fullmatch(span.text.strip(" ;"))
        if match and NAME.fullmatch(match[1]) and span.line not in rows and not _is_other_case(file, span.line):
            yield Setting(match[1], match[2].strip("\"'"), file.path, span.line)
    for line, name, value in doc.column(_VALUE_HEADS):
        if NAME.fullmatch(name) and _LITERAL.fullmatch(value) and not doc.is_counterexample(line):
            yield Setting(name, value, file.path, line)
    for code in file.codes if file.role in (Role.MAIN, Role.PHASE) else ():
        if code.language != BASH:
            yield from (Setting(one.name, one.value, file.path, one.line, True) for one in constants(code))


def _is_other_case(file: SkillFile, line: int) -> bool:
    """Return whether the words around a span may give the constant another value for once."""
    return file.doc.is_counterexample(line) or _OTHER_CASE.search(file.doc.line(line)) is not None


def _is_same(one: str, other: str) -> bool:
    numbers = number_of(one), number_of(other)
    return numbers[0] == numbers[1] if None not in numbers else one.lower() == other.lower()
