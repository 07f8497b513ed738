"""Lists and tables that describe named things: `- **name**: what it is`, `| name | what it is |`."""

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass

from actions.skill.skill import MAIN, SkillFile
from actions.skill.text import FILLER, plain, words

_ENTRY = re.compile(r"^\s*(?:[-*+]\s+|\d+[.)]\s+|\|\s*(?=[^|\n]*\|))(.{0,120})")
_LABEL = re.compile(r"`([^`\n]{2,80})`|\[([^\]\n`]{2,80})\]\(|\*\*([^*\n]{2,80})\*\*")
_TARGET = re.compile(r"\]\([^)\n]{0,300}\)")
_BOLD_CELL = re.compile(r"^\*\*[^*|\n]{2,80}\*\*\s*\|\s*(?=\[?`)")
_FILLER = FILLER | frozenset("or do does not".split())
_LEAST_NAMES = 3
_LEAST_WORDS = 4
_ALIKE = 0.6
_MOST_LISTS = 60


@dataclass(frozen=True)
class TwinLists:
    """Lines `start` to `end` describe `names`, which the list from line `at` on describes in much the same words."""

    start: int
    end: int
    at: int
    names: tuple[str, ...]


@dataclass(frozen=True)
class _Entry:
    line: int
    sense: frozenset[str]


def twin_lists(file: SkillFile) -> Iterator[TwinLists]:
    """Give each later list of a file that describes three things and more as an earlier one does."""
    groups = _groups(file)[:_MOST_LISTS]
    for b, later in enumerate(groups):
        for earlier in groups[:b]:
            names = tuple(n for n, e in later.items() if n in earlier and _alike(e.sense, earlier[n].sense))
            if len(names) >= _LEAST_NAMES:
                lines = [later[name].line for name in names]
                yield TwinLists(min(lines), max(lines), min(earlier[name].line for name in names), names)
                break


def _groups(file: SkillFile) -> list[dict[str, _Entry]]:
    """Give the lists of three entries and more, name -> entry; a heading or a gap of three lines ends a list."""
    groups: list[dict[str, _Entry]] = [{}]
    last = 0
    for number, line in file.doc.prose:
        if "`" not in line and "**" not in line and "[" not in line:
            continue
        entry = _entry(line)
        if entry is None:
            continue
        if number - last > _LEAST_NAMES:
            groups.append({})
        last = number
        groups[-1].setdefault(entry[0], _Entry(number, frozenset(words(entry[1])) - _FILLER))
    return [group for group in groups if len(group) >= _LEAST_NAMES]


def _entry(line: str) -> tuple[str, str] | None:
    """Give name and description of a bullet or row whose first code span, link or bold words name something.

    A bold first cell before a code span is a class, not the name; a path stands for the thing it leads to.
    """
    match = _ENTRY.match(line)
    if match is None:
        return None
    begin = match.start(1)
    bold = _BOLD_CELL.match(line[begin:])
    begin += bold.end() if bold else 0
    label = _LABEL.match(line[begin:].removeprefix("["))
    if label is None:
        return None
    name = label[1] or label[2] or label[3]
    if "/" in name:
        name = posixpath.splitext(posixpath.basename(name.removesuffix(f"/{MAIN}")))[0]
    return plain(name), _TARGET.sub("]", line[begin + label.end() :])


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    least = min(len(one), len(other))
    return least >= _LEAST_WORDS and len(one & other) >= _ALIKE * least
