"""The name of a skill: what is well-formed, what a badly written one stands for, and what is nearly the same."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

from actions.skill.places import lines_with
from actions.skill.skill import Skill

_WELL_FORMED = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*\Z")
_APART = re.compile(r"[\s_.:]+|(?<=[a-z0-9])(?=[A-Z])")
_VERSION = re.compile(r"-v?\d+\Z")
_LONGEST = 64
_CALL = re.compile(
    r"\bSkill\(\s*(?:\{\s*)?(?:skill\s*[=:]\s*)?[\"']([\w:.-]{2,80})[\"']|(?:^|[`\s\"'])/([a-z][\w:-]{2,80})(?=[`\s\"']|$)"
)
_SLASH = re.compile(r"/(?<![^`\s\"']/)[a-z]")
_MAY_CALL = re.compile(rf"{_SLASH.pattern}|Skill\(")
_USAGE = re.compile(
    r"\b(?:usage|invocation|invoke[ds]?|resume[ds]?|how to (?:run|call|use))\b|用法|调用|使用方式|恢复", re.IGNORECASE
)
_ANY_FOLDER = frozenset({"skill", "skills", "src", "main", "before", "after", "plugin", "repo", "template"})


@dataclass(frozen=True)
class Misname:
    """A call of `name` at a line."""

    file: str
    line: int
    name: str


def is_well_formed(name: str) -> bool:
    """Tell whether a name is of 1 to 64 lower-case letters, digits and single hyphens."""
    return len(name) <= _LONGEST and bool(_WELL_FORMED.match(name))


def as_slug(name: str) -> str:
    """Give a name as the rule wants it: `Code Review_Kit` and `CodeReviewKit` become `code-review-kit`."""
    return _APART.sub("-", name.strip()).lower()


def folder_name(skill: Skill) -> str | None:
    """Give the folder's name where it can be the skill's: well-formed, and not a name that any folder may have."""
    return skill.folder if is_well_formed(skill.folder) and skill.folder not in _ANY_FOLDER else None


def misnamed(skill: Skill) -> tuple[Misname, ...]:
    """Give each call of a skill by its own name written otherwise: spelling, version, one word more or less.

    A word more or less counts only where the text tells how this skill is called, and nowhere calls it rightly.
    """
    found = skill.memo.get("misnamed")
    if found is None:
        found = skill.memo["misnamed"] = tuple(_misnamed(skill))
    return cast(tuple[Misname, ...], found)


def own_name(skill: Skill) -> str:
    """Give the name by which a skill is called: the frontmatter's where it is well-formed, else the folder's."""
    return skill.name if is_well_formed(skill.name) else skill.folder


def _misnamed(skill: Skill) -> Iterator[Misname]:
    real = own_name(skill)
    parts = as_slug(real).split("-")
    calls = [
        Misname(file.path, number, match[1] or match[2])
        for file in skill.instructions
        for number, line in lines_with(file, _MAY_CALL if "Skill(" in file.text else _SLASH)
        if number >= file.doc.body_start and _mentions(line, parts)
        for match in _CALL.finditer(line)
    ]
    rightly = any(call.name.rpartition(":")[2] in (real, skill.folder) for call in calls)
    for call in calls:
        name = call.name.rpartition(":")[2]
        if name in (real, skill.folder):
            continue
        if _same_name(name, real) or (not rightly and _one_word_apart(name, real) and _tells_usage(skill, call)):
            yield Misname(call.file, call.line, name)


def _mentions(line: str, parts: list[str]) -> bool:
    low = line.lower()
    return any(part[:3] in low for part in parts)


def _same_name(name: str, real: str) -> bool:
    one, other = as_slug(name), as_slug(real)
    spelled = one.replace("-", "") == other.replace("-", "")
    return spelled or _VERSION.sub("", one) == _VERSION.sub("", other)


def _one_word_apart(name: str, real: str) -> bool:
    short, long = sorted((as_slug(name).split("-"), as_slug(real).split("-")), key=len)
    return len(short) > 1 and len(long) == len(short) + 1 and short in (long[1:], long[:-1])


def _tells_usage(skill: Skill, call: Misname) -> bool:
    doc = skill.by_path[call.file].doc
    return bool(_USAGE.search(doc.line(call.line)) or _USAGE.search(doc.section_at(call.line).title))
