"""Types that a skill defines in its fences: `interface X {`, `type X = {`, `enum X {`, `class X(TypedDict):`."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from actions.skill.code import code_fences
from actions.skill.skill import Skill, SkillFile

_BRACED = re.compile(r"^\s*(?:export\s+)?(?:interface|enum|type)\s+([A-Z]\w*)(?:\s+extends\s+[\w, ]{1,80})?\s*=?\s*\{")
_CLASS = re.compile(
    r"^\s*class\s+([A-Z]\w*)\s*(?:\(\s*(?:TypedDict|BaseModel|NamedTuple|str, Enum|StrEnum|Enum)\s*\))?\s*:"
)
_FIELD = re.compile(r"^\s*[\"']?([A-Za-z_]\w*)[\"']?\??\s*(?:[:=,]|$)")
_WHOLE = re.compile(r"\{([^{}]*)\}\s*;?\s*(?://.*)?$")
_INNER = re.compile(r"[;,]")
_LANGS = frozenset({"", "ts", "typescript", "js", "javascript", "py", "python"})
_PROGRAM = ("import ", "from ", "using ", "package ")
_LEAST_FIELDS = 3
_LEAST_SHARED = 2
_MOST_LINES = 300
_SAME = 0.6


@dataclass(frozen=True)
class Type:
    """A type with its fields."""

    name: str
    file: str
    start: int
    end: int
    fields: frozenset[str]


def twin_types(skill: Skill) -> Iterator[tuple[Type, Type]]:
    """Give each type that is defined again under its name with three fields of five the same, and the first one."""
    known: dict[str, Type] = {}
    for file in sorted(skill.instructions, key=lambda f: (_rank(f), f.path)):
        for found in _types(file):
            first = known.setdefault(found.name, found)
            if first is not found and _is_one(first, found):
                yield found, first


def _is_one(one: Type, other: Type) -> bool:
    """Tell whether two types of a name are one: most fields the same, or two and a third of them in another file."""
    shared, total = len(one.fields & other.fields), len(one.fields | other.fields)
    return shared >= _SAME * total or (one.file != other.file and shared >= _LEAST_SHARED and 3 * shared >= total)


def _rank(file: SkillFile) -> int:
    return ("spec", "phase", "main", "reference").index(file.role.value)


def _types(file: SkillFile) -> Iterator[Type]:
    for fence in code_fences(file, "interface", "enum", "type", "class"):
        numbered = list(enumerate(fence.text.split("\n"), fence.start)) if fence.lang in _LANGS else []
        if any(line.startswith(_PROGRAM) for _, line in numbered):
            continue
        for k, (_, line) in enumerate(numbered):
            match = _BRACED.match(line) or _CLASS.match(line)
            if match:
                yield from _type(file, match[1], numbered, k)


def _type(file: SkillFile, name: str, lines: list[tuple[int, str]], first: int) -> Iterator[Type]:
    start, opening = lines[first]
    whole = _WHOLE.search(opening)
    if whole:
        named = filter(None, (_FIELD.match(part) for part in _INNER.split(whole[1])))
        inside = frozenset(match[1] for match in named)
        if len(inside) >= _LEAST_SHARED:
            yield Type(name, file.path, start, start, inside)
        return
    fields: set[str] = set()
    end, inner = start, 0
    for k in range(first + 1, min(first + _MOST_LINES, len(lines))):
        number, line = lines[k]
        depth = _depth(line)
        if line.strip() and depth <= _depth(opening):
            end = number if line.strip().startswith("}") else end
            break
        match = _FIELD.match(line) if line.strip() and depth <= (inner or depth) else None
        inner = inner or depth
        end = number if line.strip() else end
        if match:
            fields.add(match[1])
    if len(fields) >= _LEAST_FIELDS:
        yield Type(name, file.path, start, end, frozenset(fields))


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())
