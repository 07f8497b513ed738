"""Where a name stands in a skill, in whatever file: for being sure that something is nowhere."""

import re
from collections.abc import Iterator

from actions.skill.skill import Skill, SkillFile


def mentions(skill: Skill, name: str) -> Iterator[tuple[SkillFile, int]]:
    """Return each file and line in which a name stands as a whole word, in text files of any kind."""
    word = re.compile(rf"(?<![\w]){re.escape(name)}(?![\w])")
    for file in skill.files:
        if name in file.text:
            for number, line in enumerate(file.doc.lines, 1):
                if name in line and word.search(line):
                    yield file, number


def is_mentioned(skill: Skill, name: str, *, beside: frozenset[tuple[str, int]] = frozenset()) -> bool:
    """Return whether a name stands anywhere but in the lines `beside`, as (path, line)."""
    return any((file.path, line) not in beside for file, line in mentions(skill, name))
