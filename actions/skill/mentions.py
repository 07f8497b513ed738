"""Where a name stands in a skill, in whatever file: for being sure that something is nowhere."""

from collections.abc import Iterator

from actions.skill.skill import Skill, SkillFile


def mentions(skill: Skill, name: str) -> Iterator[tuple[SkillFile, int]]:
    """Return each file and line in which a name stands as a whole word, in text files of any kind."""
    for file in skill.files:
        for number in _lines(file.text, name):
            yield file, number


def is_mentioned(skill: Skill, name: str, *, beside: frozenset[tuple[str, int]] = frozenset()) -> bool:
    """Return whether a name stands anywhere but in the lines `beside`, as (path, line)."""
    return any((file.path, line) not in beside for file, line in mentions(skill, name))


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
