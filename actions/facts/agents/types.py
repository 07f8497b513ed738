"""The types of sub-agents that a skill defines or lists."""

import posixpath
from collections.abc import Iterable, Iterator

from actions.model import Skill, SkillFile
from actions.model import regex as re

_AGENT_FOLDERS = ("agents", "subagents")
_NAME = re.compile(r"^name:\s*[\"']?([\w:.-]+)", re.MULTILINE)
_TABLE_HEAD = re.compile(
    r"^\|\s*[^|]*(?:subagent_type|agent_type|\bagent(?: type| name)?\b|\bsubagent\b|代理)[^|]*\|", re.IGNORECASE
)
_CELL = re.compile(r"^\|\s*\**`?([A-Za-z][\w:.-]*)`?\**\s*\|")


def shipped_types(skill: Skill) -> frozenset[str]:
    """Give the sub-agent types that the skill's own agents folder defines."""
    return frozenset(_shipped(skill))


def listed_types(skill: Skill) -> frozenset[str]:
    """Give the sub-agent types that a table of the skill lists."""
    return frozenset(_listed(skill))


def meant_type(name: str, known: Iterable[str]) -> str | None:
    """Give the known type that a name is a slip of."""
    return next((other for other in sorted(known) if _misspelled(name, other)), None)


def _shipped(skill: Skill) -> Iterator[str]:
    for file in skill.files:
        if file.is_markdown and posixpath.basename(posixpath.dirname(file.path)) in _AGENT_FOLDERS:
            name = _NAME.search(file.text[:2000]) if file.text.startswith("---") else None
            if name:
                yield name[1]


def _listed(skill: Skill) -> Iterator[str]:
    """Give the first column of each table whose head speaks of sub-agent types."""
    for file in skill.instructions:
        if "_type" in file.text:
            yield from _table_names(file)


def _table_names(file: SkillFile) -> Iterator[str]:
    inside = False
    for _, line in file.doc.prose:
        if not line.startswith("|"):
            inside = False
        elif _TABLE_HEAD.match(line) and "_type" in line.split("|")[1]:
            inside = True
        elif inside and (cell := _CELL.match(line)):
            yield cell[1]


def _misspelled(name: str, known: str) -> bool:
    """Tell whether a name is another one but for case, `-` and `_`, or one letter or ending more or less."""
    one, other = (re.sub(r"[-_ ]", "", text).lower() for text in (name, known))
    if one == other:
        return True
    return (len(other) >= 7 and _one_edit(one, other)) or (known == "Explore" and one == "explorer")


def _one_edit(one: str, other: str) -> bool:
    if abs(len(one) - len(other)) > 1:
        return False
    start = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    left, right = one[start:], other[start:]
    return left[1:] == right[1:] or left[1:] == right or left == right[1:]
