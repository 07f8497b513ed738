"""The lines of a file where a pattern matches, found in one pass over the whole text."""

import re
from collections.abc import Iterator

from actions.model.skill import SkillFile


def lines_with(file: SkillFile, regex: re.Pattern[str]) -> Iterator[tuple[int, str]]:
    """Give each numbered line that `regex` meets, once; the regex must not match a line end."""
    text, at, number, last = file.text, 0, 1, 0
    for match in regex.finditer(text):
        number += text.count("\n", at, match.start())
        at = match.start()
        if number != last:
            last = number
            yield number, file.doc.line(number)
