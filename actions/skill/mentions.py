"""Check whether the text of a skill mentions one of its files or a whole folder, by search or by an index."""

import posixpath
import re
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping

from actions.regex import regex
from actions.skill.numbered_parts import headings
from actions.skill.skill import Skill, SkillFile

_START = regex(r"(?<![a-z])[a-z]|(?<![0-9])[0-9]|[^\W_a-z0-9]")
"""A position at which a name may begin: a word, a number, any letter of a script without spaces."""
_LENGTH = 60
"""Maximum number of characters of a name that are compared."""
_HEAD = 3
_HEADS = range(1, _HEAD + 1)
"""Lengths of the beginnings of names; positions that begin with none of them are not indexed."""
_LISTED = regex(r"/(?![\w\u3400-\u9fff.-])|/[\w-]*[*{<$\[…]|[`\"']")
"""What follows a folder's name if the whole folder is meant, in a skill that also lists files of the folder."""
_WHOLE = regex(rf"{_LISTED.pattern}|(?![\w/-])")
"""The same in a skill that does not list them; there the bare name is enough."""
_PARTS = ("phase ", "step ", "stage ", "阶段 ", "阶段", "步骤 ", "步骤")
_PAIR = regex(r"(?<![\w.-])(?=([\w.-]{1,200})/([\w.-]{1,200}))")


def list_names(file: SkillFile) -> set[str]:
    """Return the lower-case names by which another file may mention this one: file name, its words, title, number."""
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
    """Searches all text of a skill for each name: faster for few names."""

    def __init__(self, skill: Skill) -> None:
        self._text = "\n".join(file.lower for file in skill.files)
        self._listed = _count_listed(skill)

    def is_mentioned(self, name: str, file: SkillFile) -> bool:
        """Return whether a file other than `file` contains a name."""
        return self._text.count(name) > file.lower.count(name)

    def mentions_folder(self, folder: str) -> bool:
        """Return whether a line other than a heading refers to a whole folder, or to a placeholder in it."""
        rest = _LISTED if self._listed.get(folder, 0) > 1 else _WHOLE
        whole = re.compile(rf"(?<![\w-]){re.escape(folder)}(?:{rest.pattern})")
        return any(whole.search(line) for line in self._text.split("\n") if not line.startswith("#"))


class NameIndex:
    """Searches a sorted index of the positions at which names may begin: faster for many names."""

    def __init__(self, skill: Skill, names: Iterable[str]) -> None:
        heads = {known[:_HEAD] for name in names if (known := _strip_start(name))}
        self._starts = sorted({start for file in skill.files for start in _starts(file, heads)})
        self._listed = _count_listed(skill)

    def is_mentioned(self, name: str, file: SkillFile) -> bool:
        """Return whether a file other than `file` contains a name."""
        return any(path != file.path for _, path, _ in self._beginning(name))

    def mentions_folder(self, folder: str) -> bool:
        """Return whether a line other than a heading refers to a whole folder, or to a placeholder in it."""
        rest, length = _LISTED if self._listed.get(folder, 0) > 1 else _WHOLE, len(_strip_start(folder))
        return any(not heading and rest.match(start, length) for start, _, heading in self._beginning(folder))

    def _beginning(self, name: str) -> Iterator[tuple[str, str, bool]]:
        """Yield the entries of `_starts` that begin with a name."""
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
    """Yield (text from there on, path, whether it is in a heading) for each position with one of these beginnings."""
    for line in set(file.lower.split("\n")):
        heading = line.startswith("#")
        for at in (match.start() for match in _START.finditer(line)):
            if any(line[at : at + length] in heads for length in _HEADS):
                yield line[at : at + _LENGTH], file.path, heading


def _count_listed(skill: Skill) -> Mapping[str, int]:
    """Count, for each folder that SKILL.md mentions, how many of its files are listed as `folder/name`."""
    names = {posixpath.basename(file.path).lower() for file in skill.instructions}
    pairs = {match.groups() for match in _PAIR.finditer(skill.main.lower)}
    found: dict[str, int] = {}
    for folder, name in pairs:
        found[folder] = found.get(folder, 0) + (name in names)
    return found
