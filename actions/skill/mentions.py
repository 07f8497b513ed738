"""Check, by search or with an index, whether the text of a skill mentions one of its files or folders."""

import posixpath
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping

from actions.grouping import group_by_key
from actions.memo import memoize
from actions.regex import regex
from actions.skill.numbered_parts import map_headings
from actions.skill.skill import Skill, SkillFile

_NAME_START = regex(r"(?<![a-z])[a-z]|(?<![0-9])[0-9]|[^\W_a-z0-9]")
"""The beginning of a name: of a word, of a number, or any letter of a script without spaces."""
_MAX_NAME = 60
"""Maximum number of characters to compare of a name."""
_MAX_PREFIX = 6
"""Maximum prefix length. A position is indexed only if the text there has the same prefix as a known name."""
_MAX_COMPARED = 4
"""Maximum number of characters of a prefix in a regular expression. More take longer to compile than they save."""
_WHOLE_FOLDER = regex(r"/(?![\w.-])|/[\w-]*[*{<$\[…]|[`\"']")
"""Matches the text after a folder's name if it refers to the whole folder."""
_FOLDER = regex(rf"{_WHOLE_FOLDER.pattern}|(?![\w/-])")
"""Also matches a bare name, which is enough if SKILL.md does not list several files of the folder."""
_PART_WORDS = ("phase ", "step ", "stage ", "阶段 ", "阶段", "步骤 ", "步骤")
_MAX_PART = 200
_BEFORE_SLASH = regex(rf"(?<![\w.-])[\w.-]{{1,{_MAX_PART}}}\Z")
_AFTER_SLASH = regex(rf"/([\w.-]{{1,{_MAX_PART}}})")


def list_names(file: SkillFile) -> set[str]:
    """Return the lower-case names by which another file may mention a file: file name, its words, title, number."""
    stem = posixpath.splitext(posixpath.basename(file.path))[0].lower()
    title = next((section.title.lower() for section in file.doc.sections if section.level), "")
    names = {*list_own_names(file), title, *re.split(r"[:：—–]\s*", title)[1:]}
    numbers = re.findall(r"\d+", stem) + [n for numbers in map_headings(file).values() for n in numbers]
    for number in numbers[:3]:
        names |= {f"{word}{int(float(number))}" for word in _PART_WORDS}
    return {name.strip() for name in names if len(name.strip()) > 1}


def list_own_names(file: SkillFile) -> set[str]:
    """Return the forms of a file's name in lower case: with and without extension and number, and as words."""
    name = posixpath.basename(file.path).lower()
    stem = posixpath.splitext(name)[0]
    bare = re.sub(r"^(?:phase|step|stage)?[-_ ]?\d*[-_. ]*", "", stem)
    names = {name, stem, bare, *(bare.replace(mark, " ") for mark in "-_")}
    return {name.strip() for name in names if len(name.strip()) > 1}


class TextSearch:
    """Searches all text of a skill for each name, which is faster for few names."""

    def __init__(self, skill: Skill) -> None:
        self._files = [skill.main, *(file for file in skill.files if file is not skill.main)]
        self._skill = skill

    def is_any_mentioned(self, names: Collection[str], file: SkillFile) -> bool:
        """Return whether a file other than `file` contains one of the names."""
        return any(name in other.lower for other in self._files if other.path != file.path for name in names)

    def mentions_folder(self, folder: str) -> bool:
        """Return whether a line other than a heading refers to a whole folder, or to a placeholder in it."""
        rest = _WHOLE_FOLDER if _count_listed_files(self._skill).get(folder, 0) > 1 else _FOLDER
        folder_pattern = re.compile(rf"(?<![\w-]){re.escape(folder)}(?:{rest.pattern})")
        lines = (line for file in self._files if folder in file.lower for line in file.lower.split("\n"))
        return any(folder_pattern.search(line) for line in lines if folder in line and not line.startswith("#"))


class NameIndex:
    """Searches a sorted index of the positions at which names may begin, which is faster for many names."""

    def __init__(self, skill: Skill, names: Iterable[str]) -> None:
        prefixes = {known[:_MAX_PREFIX] for name in names if (known := _strip_start(name))}
        self._entries = sorted(set(_list_entries(_map_lines(skill), prefixes)))
        self._skill = skill

    def is_any_mentioned(self, names: Collection[str], file: SkillFile) -> bool:
        """Return whether a file other than `file` contains one of the names."""
        return any(path != file.path for name in names for _, path, _ in self._find_entries(name))

    def mentions_folder(self, folder: str) -> bool:
        """Return whether a line other than a heading refers to a whole folder, or to a placeholder in it."""
        rest, length = (
            _WHOLE_FOLDER if _count_listed_files(self._skill).get(folder, 0) > 1 else _FOLDER,
            len(_strip_start(folder)),
        )
        return any(not in_heading and rest.match(start, length) for start, _, in_heading in self._find_entries(folder))

    def _find_entries(self, name: str) -> Iterator[tuple[str, str, bool]]:
        known = _strip_start(name)[:_MAX_NAME]
        index = bisect_left(self._entries, (known, "", False))
        while known and index < len(self._entries) and self._entries[index][0].startswith(known):
            yield self._entries[index]
            index += 1


def _strip_start(name: str) -> str:
    """Strip the leading characters that cannot begin a name."""
    first = _NAME_START.search(name)
    return name[first.start() :] if first else ""


@memoize
def _map_lines(skill: Skill) -> Mapping[str, str]:
    """Map each line of a skill's files, in lower case, to the path of its only file, or to "" if several have it.

    Many skills repeat lines: copies for several tools, tables, code.
    """
    paths = dict[str, str]()
    for file in skill.files:
        for line in set(file.lower.split("\n")):
            paths[line] = "" if line in paths else file.path
    return paths


def _list_entries(lines: Mapping[str, str], prefixes: Collection[str]) -> Iterator[tuple[str, str, bool]]:
    """Yield (text from the position on, path, in a heading) for each position at which a prefix starts.

    `lines` are those of `_map_lines`. In a skill with hundreds of references there are a million positions.
    """
    lengths = sorted(set(map(len, prefixes)))
    by_length = {length: {prefix for prefix in prefixes if len(prefix) == length} for length in lengths}
    candidates = _compile_starts(prefixes)
    for line, path in lines.items() if prefixes else ():
        in_heading = line.startswith("#")
        for match in candidates.finditer(line):
            at = match.start()
            for length, known in by_length.items():
                if line[at : at + length] in known:
                    yield line[at : at + _MAX_NAME], path, in_heading
                    break


def _compile_starts(prefixes: Collection[str]) -> re.Pattern[str]:
    """Compile an expression that matches where a name may begin with one of the prefixes.

    It compares only the first letters, so that its size and its time for a position are limited.
    """
    letters = {prefix for prefix in prefixes if "a" <= prefix[0] <= "z"}
    digits = {prefix for prefix in prefixes if "0" <= prefix[0] <= "9"}
    parts = (("(?<![a-z])", letters), ("(?<![0-9])", digits), ("", {*prefixes} - letters - digits))
    return re.compile(f"(?={'|'.join(start + _join_words(words, _MAX_COMPARED) for start, words in parts if words)})")


def _join_words(words: Collection[str], length: int) -> str:
    """Return an expression for the first `length` characters of the words. Equal beginnings are compared once.

    After a character outside ASCII it compares no more, because thousands of characters could follow each other.
    """
    if length == 0 or "" in words:
        return ""
    by_first = group_by_key((word[0], word[1:]) for word in words)
    others = "".join(re.escape(first) for first in sorted(by_first) if not first.isascii())
    choices = [
        re.escape(first) + _join_words(by_first[first], length - 1) for first in sorted(by_first) if first.isascii()
    ]
    return f"(?:{'|'.join([*choices, f'[{others}]'] if others else choices)})"


@memoize
def _count_listed_files(skill: Skill) -> Mapping[str, int]:
    """Map each folder in SKILL.md to the number of its files that SKILL.md lists as `folder/name`."""
    names = {posixpath.basename(file.path).lower() for file in skill.instructions}
    text = skill.main.lower
    pairs = set[tuple[str, str]]()
    for match in _AFTER_SLASH.finditer(text):
        start = max(match.start() - _MAX_PART - 1, 0)
        folder = _BEFORE_SLASH.search(text, start, match.start()) if match[1] in names else None
        pairs |= {(folder[0], match[1])} if folder else set()
    return Counter(folder for folder, _ in pairs)
