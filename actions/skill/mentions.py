"""Find whether the text of a skill mentions one of its files, or a folder as a whole: by search or by index."""

import posixpath
import re
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping

from actions.skill.numbered_parts import headings
from actions.skill.skill import Skill, SkillFile

_START = re.compile(r"(?<![a-z])[a-z]|(?<![0-9])[0-9]|[^\W_a-z0-9]")
"""The position at which a name may begin: a word, a number, any letter of a script without spaces."""
_LENGTH = 60
"""The number of characters by which a name is looked up."""
_HEAD = 3
_HEADS = range(1, _HEAD + 1)
"""Numbers of first characters that are compared to exclude most positions."""
_LISTED = re.compile(r"/(?![\w\u3400-\u9fff.-])|/[\w-]*[*{<$\[…]|[`\"']")
"""The text after a folder's name that refers to the whole folder, even if its files are listed."""
_WHOLE = re.compile(rf"{_LISTED.pattern}|(?![\w/-])")
_PARTS = ("phase ", "step ", "stage ", "阶段 ", "阶段", "步骤 ", "步骤")
_PAIR = re.compile(r"(?<![\w.-])(?=([\w.-]{1,200})/([\w.-]{1,200}))")


def list_names(file: SkillFile) -> set[str]:
    """Return the names by which another file may mention this one: file name, words of it, title, number."""
    stem = posixpath.splitext(posixpath.basename(file.path))[0].lower()
    bare = re.sub(r"^(?:phase|step|stage)?[-_ ]?\d*[-_. ]*", "", stem)
    title = next((section.title.lower() for section in file.doc.sections if section.level), "")
    names = {
        posixpath.basename(file.path).lower(),
        stem,
        bare,
        *(bare.replace(mark, " ") for mark in "-_"),
        title,
        *re.split(r"[:：—–]\s*", title)[1:],
    }
    numbers = re.findall(r"\d+", stem) + [n for numbers in headings(file).values() for n in numbers]
    for number in numbers[:3]:
        names |= {f"{word}{int(float(number))}" for word in _PARTS}
    return {name.strip() for name in names if len(name.strip()) > 1}


class TextSearch:
    """All text of a skill, searched once for each name: suitable for few names."""

    def __init__(self, skill: Skill) -> None:
        self._text = "\n".join(file.lower for file in skill.files)
        self._listed = _count_listed(skill)

    def is_mentioned(self, name: str, file: SkillFile) -> bool:
        """Return whether a file other than its own contains a name."""
        return self._text.count(name) > file.lower.count(name)

    def mentions_folder(self, folder: str) -> bool:
        """Return whether a line other than a heading refers to a whole folder, or to a placeholder in it."""
        rest = _LISTED if self._listed.get(folder, 0) > 1 else _WHOLE
        whole = re.compile(rf"(?<![\w-]){re.escape(folder)}(?:{rest.pattern})")
        return any(whole.search(line) for line in self._text.split("\n") if not line.startswith("#"))


class NameIndex:
    """The sorted positions at which names may begin: suitable for many names."""

    def __init__(self, skill: Skill, names: Iterable[str]) -> None:
        heads = {known[:_HEAD] for name in names if (known := _strip_start(name))}
        self._starts = sorted({start for file in skill.files for start in _starts(file, heads)})
        self._listed = _count_listed(skill)

    def is_mentioned(self, name: str, file: SkillFile) -> bool:
        """Return whether a file other than its own contains a name."""
        return any(path != file.path for _, path, _ in self._beginning(name))

    def mentions_folder(self, folder: str) -> bool:
        """Return whether a line other than a heading refers to a whole folder, or to a placeholder in it."""
        rest, length = _LISTED if self._listed.get(folder, 0) > 1 else _WHOLE, len(_strip_start(folder))
        return any(not heading and rest.match(start, length) for start, _, heading in self._beginning(folder))

    def _beginning(self, name: str) -> Iterator[tuple[str, str, bool]]:
        known = _strip_start(name)[:_LENGTH]
        place = bisect_left(self._starts, (known, "", False))
        while known and place < len(self._starts) and self._starts[place][0].startswith(known):
            yield self._starts[place]
            place += 1


def _strip_start(name: str) -> str:
    """Strip the characters that a name cannot begin with."""
    first = _START.search(name)
    return name[first.start() :] if first else ""


def _starts(file: SkillFile, heads: Collection[str]) -> Iterator[tuple[str, str, bool]]:
    for line in set(file.lower.split("\n")):
        heading = line.startswith("#")
        for at in (match.start() for match in _START.finditer(line)):
            if any(line[at : at + length] in heads for length in _HEADS):
                yield line[at : at + _LENGTH], file.path, heading


def _count_listed(skill: Skill) -> Mapping[str, int]:
    names = {posixpath.basename(file.path).lower() for file in skill.instructions}
    pairs = {match.groups() for match in _PAIR.finditer(skill.main.lower)}
    found: dict[str, int] = {}
    for folder, name in pairs:
        found[folder] = found.get(folder, 0) + (name in names)
    return found
