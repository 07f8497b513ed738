"""Passages of SKILL.md that only a second and later round needs."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from actions.skill.skill import Skill, SkillFile
from actions.skill.stems import Stems
from actions.skill.text import tokens_of

_ROUND = r"(?:round|iteration|attempt|pass|cycle)"
_WORDS = Stems("round", "iteration", "attempt", "pass", "cycle", "轮")
_LATER = re.compile(
    rf"\b{_ROUND}(?:e?s)? after (?:the first|{_ROUND} (?:1|one))\b|\bfrom the second {_ROUND} on"
    rf"|\b{_ROUND} (?:2|two) (?:and (?:later|up)|on(?:wards?)?)\b"
    rf"|^\W*(?:\d+[.)])?\W*(?:in|for|on) (?:all |any )?(?:later|subsequent|further) {_ROUND}e?s\b"
    r"|第[二2]轮(?:起|开始|及以后)|(?:首轮|第一轮)之后|^\W*后续(?:各)?轮",
    re.IGNORECASE,
)
_OPENS = 160
"""Letters within which a paragraph says when it holds."""
_NUMBERED = re.compile(r"\W*\d+[.)、]")
_LEAST = 800


@dataclass(frozen=True)
class Later:
    """Lines `start` to `end` of SKILL.md, with their estimated tokens."""

    start: int
    end: int
    tokens: int


def later_rounds(skill: Skill) -> Iterator[Later]:
    """Give the passages of 800 tokens or more that begin with a paragraph for the rounds after the first.

    Such a passage ends before the next heading, and one with a number before the next number.
    """
    file, end = skill.main, 0
    for number, line in _WORDS.prose(file):
        if number > end and not line.startswith(("#", "|")) and _LATER.search(line[:_OPENS]):
            end = _end(file, number)
            tokens = tokens_of(sum(len(text) + 1 for text in file.doc.lines[number - 1 : end]))
            if tokens >= _LEAST:
                yield Later(number, end, tokens)


def _end(file: SkillFile, start: int) -> int:
    section = file.doc.section_at(start)
    numbered = _NUMBERED.match(file.doc.line(start)) is not None
    following = ((n, line) for n, line in file.doc.prose if start < n <= section.end)
    ends = (n for n, line in following if line.startswith("#") or (numbered and _NUMBERED.match(line)))
    return next(ends, section.end + 1) - 1
