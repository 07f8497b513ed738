"""The lines of a file where a pattern matches or a word stands, found in one pass over the whole text."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate

from actions.model.memo import once
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


def lines_naming(file: SkillFile, words: tuple[str, ...]) -> list[int]:
    """Give the numbers of the lines that hold one of `words`, which are in lower case; the lines may be in any."""
    text, ends = _lower(file)
    found: set[int] = set()
    for word in words:
        at = text.find(word)
        while at >= 0:
            line = bisect_right(ends, at)
            found.add(line + 1)
            at = text.find(word, ends[line])
    return sorted(found)


def prose_naming(file: SkillFile, words: tuple[str, ...]) -> list[tuple[int, str]]:
    """Give the numbered lines of prose that hold one of `words`, which are in lower case; the lines may be in any."""
    named = set(lines_naming(file, words))
    return [item for item in file.doc.prose if item[0] in named] if named else []


@once
def _lower(file: SkillFile) -> tuple[str, list[int]]:
    """Give the text in lower case, and where each of its lines ends."""
    text = file.text.lower()
    return text, list(accumulate(len(line) + 1 for line in text.split("\n")))
