"""The lines where a pattern matches, found in one pass over a whole text, and those that name something."""

import re
from collections.abc import Collection, Iterator

from actions.skill.skill import Role, Skill, SkillFile


def lines_with(file: SkillFile, regex: re.Pattern[str]) -> Iterator[tuple[int, str]]:
    """Give each numbered line that `regex` meets, once; the regex must not match a line end."""
    text, at, number, last = file.text, 0, 1, 0
    for match in regex.finditer(text):
        number += text.count("\n", at, match.start())
        at = match.start()
        if number != last:
            last = number
            yield number, file.doc.line(number)


def lines_naming(skill: Skill, name: str) -> Iterator[tuple[SkillFile, int, str]]:
    """Give file, number and text of each line of a skill that names something as a word of its own."""
    word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
    for file in skill.files:
        for number, line in enumerate(file.doc.lines, 1) if name in file.text else ():
            if name in line and word.search(line):
                yield file, number, line


def is_named_only_at(skill: Skill, name: str, places: Collection[tuple[str, int]]) -> bool:
    """Tell whether no line names something but these (paths and numbers) and those of a README and its like."""
    named = lines_naming(skill, name)
    return all((file.path, number) in places or file.role is Role.DOC for file, number, _ in named)
