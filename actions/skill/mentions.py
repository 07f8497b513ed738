"""Where a name stands in a skill, in whatever file: for being sure that something is nowhere."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from actions.memo import once
from actions.skill.skill import Skill, SkillFile

_TOKEN = re.compile(r"[A-Za-z0-9_]+")
_MUCH = 200_000
"""Characters of a skill from which its words are looked up, not searched for: it may ask for thousands of names."""


def mentions(skill: Skill, name: str) -> Iterator[tuple[SkillFile, int]]:
    """Return each file and line in which a name stands as a whole word, in text files of any kind."""
    tokens = _TOKEN.findall(name) if _is_much(skill) else ()
    for file in skill.files:
        for number in _looked_up(file, name, tokens) if tokens else _lines(file.text, name):
            yield file, number


def is_mentioned(skill: Skill, name: str, *, beside: frozenset[tuple[str, int]] = frozenset()) -> bool:
    """Return whether a name stands anywhere but in the lines `beside`, as (path, line)."""
    return any((file.path, line) not in beside for file, line in mentions(skill, name))


@once
def _is_much(skill: Skill) -> bool:
    return sum(len(file.raw) for file in skill.files) > _MUCH


def _looked_up(file: SkillFile, name: str, tokens: Sequence[str]) -> Iterator[int]:
    rarest = min((_places(file).get(token, ()) for token in tokens), key=len)
    for number in rarest:
        if tokens == [name] or any(_lines(file.doc.line(number), name)):
            yield number


@once
def _places(file: SkillFile) -> Mapping[str, Sequence[int]]:
    """Return the lines of each word."""
    found: dict[str, list[int]] = defaultdict(list)
    for number, line in enumerate(file.text.split("\n"), 1):
        for token in set(_TOKEN.findall(line)):
            found[token].append(number)
    return found


def _lines(text: str, name: str) -> Iterator[int]:
    """Return the lines that hold a name which no Latin letter, digit or underscore continues on either side."""
    number, counted, at = 1, 0, text.find(name)
    while at >= 0:
        end = at + len(name)
        if not _continues(text[at - 1 : at]) and not _continues(text[end : end + 1]):
            number += text.count("\n", counted, at)
            counted = at
            yield number
            line_end = text.find("\n", end)
            at = text.find(name, line_end) if line_end >= 0 else -1
        else:
            at = text.find(name, at + 1)


def _continues(letter: str) -> bool:
    return letter.isascii() and (letter.isalnum() or letter == "_")
