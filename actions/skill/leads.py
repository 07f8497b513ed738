"""Whether the text of a skill names one of its files, or a folder as a whole: by searching, or by an index."""

import posixpath
import re
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping

from actions.skill.skill import Skill, SkillFile

_START = re.compile(r"(?<![a-z])[a-z]|(?<![0-9])[0-9]|[^\W_a-z0-9]")
"""Where a name may begin: at a word, at a number, at any letter of a script without blanks."""
_LENGTH = 60
"""Letters by which a name is looked up."""
_HEAD = 3
_HEADS = range(1, _HEAD + 1)
"""Letters by which it is first told whether any name begins there."""
_LISTED = re.compile(r"/(?![\w\u3400-\u9fff.-])|/[\w-]*[*{<$\[…]|[`\"']")
"""What follows the name of a folder that is meant as a whole, though its files are listed."""
_WHOLE = re.compile(rf"{_LISTED.pattern}|(?![\w/-])")
_PAIR = re.compile(r"(?<![\w.-])(?=([\w.-]{1,200})/([\w.-]{1,200}))")


class Text:
    """All text of a skill, searched once for each name: right for few names."""

    def __init__(self, skill: Skill) -> None:
        self._text = "\n".join(file.lower for file in skill.files)
        self._listed = _listed(skill)

    def names(self, name: str, file: SkillFile) -> bool:
        """Return whether a name stands in the text of all files more often than in that of its own."""
        return self._text.count(name) > file.lower.count(name)

    def means(self, folder: str) -> bool:
        """Return whether some line that is no heading means a folder as a whole, or a name in it to fill in."""
        rest = _LISTED if self._listed.get(folder, 0) > 1 else _WHOLE
        whole = re.compile(rf"(?<![\w-]){re.escape(folder)}(?:{rest.pattern})")
        return any(whole.search(line) for line in self._text.split("\n") if not line.startswith("#"))


class Index:
    """The beginnings of all names of a skill in order: one pass for any number of names. Within a word none begins."""

    def __init__(self, skill: Skill, names: Iterable[str]) -> None:
        heads = {known[:_HEAD] for name in names if (known := _known(name))}
        self._starts = sorted({start for file in skill.files for start in _starts(file, heads)})
        self._listed = _listed(skill)

    def names(self, name: str, file: SkillFile) -> bool:
        """Return whether a name begins in another file."""
        return any(path != file.path for _, path, _ in self._beginning(name))

    def means(self, folder: str) -> bool:
        """Return whether some line that is no heading means a folder as a whole, or a name in it to fill in."""
        rest, length = _LISTED if self._listed.get(folder, 0) > 1 else _WHOLE, len(_known(folder))
        return any(not heading and rest.match(start, length) for start, _, heading in self._beginning(folder))

    def _beginning(self, name: str) -> Iterator[tuple[str, str, bool]]:
        known = _known(name)[:_LENGTH]
        place = bisect_left(self._starts, (known, "", False))
        while known and place < len(self._starts) and self._starts[place][0].startswith(known):
            yield self._starts[place]
            place += 1


def _known(name: str) -> str:
    """Return a name from the first letter on with which it may begin; empty for none."""
    first = _START.search(name)
    return name[first.start() :] if first else ""


def _starts(file: SkillFile, heads: Collection[str]) -> Iterator[tuple[str, str, bool]]:
    for line in set(file.lower.split("\n")):
        heading = line.startswith("#")
        for at in (match.start() for match in _START.finditer(line)):
            if any(line[at : at + length] in heads for length in _HEADS):
                yield line[at : at + _LENGTH], file.path, heading


def _listed(skill: Skill) -> Mapping[str, int]:
    names = {posixpath.basename(file.path).lower() for file in skill.instructions}
    pairs = {match.groups() for match in _PAIR.finditer(skill.main.lower)}
    found: dict[str, int] = {}
    for folder, name in pairs:
        found[folder] = found.get(folder, 0) + (name in names)
    return found
