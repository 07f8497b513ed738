"""Names that a spec defines one by one, and that another file defines again in a sentence: grades, levels, kinds."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from actions.facts.docs.senses import senses
from actions.skill.skill import Role, Skill, SkillFile
from actions.skill.statements import paragraphs
from actions.skill.tables import is_ruler

_ITEM = re.compile(
    r"\s*(?:[-*+•]|\d{1,2}[.)、])\s+[`*]*(?P<name>[^`*:：|(（，,]{1,24}?)[`*]*\s*(?:[:：，,]"
    r"|\s[—–=-]\s)\s*(?P<said>\S.{3,200})"
)
_ROW = re.compile(r"\s*\|\s*[`*]*(?P<name>[^`*|]{1,24}?)[`*]*\s*\|\s*(?P<said>[^|]{4,200})")
_SAYS = re.compile(
    r"^[`*\"”」]*\s*(?:(?:is|are|means?|stands? for|for|counts as|applies to|when|if)\b(?: that\b)?"
    r"|[:：,，(（=—–-]|是|为|指|即|表示|代表)\s*"
)
_ENDS = re.compile(r"[;；。]|\.(?:\s|$)")
_FEWEST = 3
_ALIKE = 0.6
_MOST = 30
"""Lists of names that are compared."""


@dataclass(frozen=True)
class SpelledOut:
    """Lines `start` to `end` of `file` define `names` again, which `other` defines from line `at` on."""

    file: str
    start: int
    end: int
    other: str
    at: int
    names: tuple[str, ...]


def spelled_out(skill: Skill) -> Iterator[SpelledOut]:
    """Give the paragraphs that define three or more names as a spec does."""
    seen: set[frozenset[str]] = set()
    for spec in [file for file in skill.instructions if file.role is Role.SPEC]:
        for held in _glossaries(spec):
            if frozenset(held) in seen or len(seen) >= _MOST:
                continue
            seen.add(frozenset(held))
            for file in skill.instructions:
                if file is not spec and sum(name in file.text for name in held) >= _FEWEST:
                    yield from _again(file, spec, held)


def _glossaries(file: SkillFile) -> Iterator[dict[str, tuple[int, frozenset[str]]]]:
    """Give the lists and tables of three and more short names, name -> line and what is said of it."""
    group: dict[str, tuple[int, frozenset[str]]] = {}
    last = 0
    for number, line in file.doc.prose:
        match = None if is_ruler(line) else _ITEM.match(line) or _ROW.match(line)
        if number != last + 1 and group:
            yield from [group] if len(group) >= _FEWEST else []
            group = {}
        last = number
        about = senses(match["said"]) if match else frozenset()
        if match and about and not match["name"].isdigit():
            group[match["name"].strip()] = (number, about)
    if len(group) >= _FEWEST:
        yield group


def _again(file: SkillFile, spec: SkillFile, held: dict[str, tuple[int, frozenset[str]]]) -> Iterator[SpelledOut]:
    found: dict[str, tuple[int, int]] = {}
    for first, last, text in paragraphs(file):
        named = [name for name in held if name in text]
        if not named or file.doc.is_counterexample(first):
            continue
        same = [name for name in named if _defines(text, name, held[name][1])]
        if len(same) >= _FEWEST:
            yield SpelledOut(file.path, first, last, spec.path, held[same[0]][0], tuple(same))
        elif len(same) == 1:
            found.setdefault(same[0], (first, last))
    if len(found) >= _FEWEST:
        lines = [line for place in found.values() for line in place]
        if max(lines) - min(lines) < 3 * len(found):
            names = tuple(found)
            yield SpelledOut(file.path, min(lines), max(lines), spec.path, held[names[0]][0], names)


def _defines(text: str, name: str, about: frozenset[str]) -> bool:
    """Tell whether a text says of a name, behind it, most of what the spec says of it."""
    at = -1
    while (at := text.find(name, at + 1)) >= 0:
        rest = text[at + len(name) : at + len(name) + 300]
        says = _SAYS.match(rest)
        end = _ENDS.search(rest, says.end()) if says else None
        if says:
            told = senses(rest[says.end() : end.start() if end else len(rest)])
            if len(told & about) >= _ALIKE * max(len(about), 1) and len(about) <= 3 * len(told):
                return True
    return False
