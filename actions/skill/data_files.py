"""Find the data files that a skill's own code writes or reads by a literal name, and where else they are mentioned."""

import posixpath
import re
from collections.abc import Mapping

import msgspec

from actions.code.files import FileUse, Mode, find_file_uses
from actions.code.tree import Code
from actions.memo import memoize
from actions.regex import regex
from actions.skill.skill import Skill

_DATA_EXTENSIONS = (".json", ".jsonl", ".csv", ".tsv", ".txt", ".tmp", ".yaml", ".yml")
_DATA_NAME = regex(rf"\.(?:{'|'.join(ending[1:] for ending in _DATA_EXTENSIONS)})\b")
_WORD_BREAK = regex(r"[-_ .]+|(?<=[a-z])(?=[A-Z])")
_SAME_EXTENSION = {".yml": ".yaml"}


class DataFileUse(msgspec.Struct, frozen=True):
    """A use of a data file by code in the file `path`."""

    path: str
    code: Code
    use: FileUse

    @property
    def where(self) -> str:
        """The location as `file:line`."""
        return f"{self.path}:{self.use.line}"

    @property
    def is_tool(self) -> bool:
        """Whether the use is a Claude Code tool call, which is a step of the skill and not a code sample."""
        return self.use.call is not None and self.use.call.name in ("Read", "Write")


class DataFile(msgspec.Struct, frozen=True):
    """A data file: its name, the uses that write it, and the uses that read it."""

    name: str
    writes: tuple[DataFileUse, ...]
    reads: tuple[DataFileUse, ...]

    @property
    def folder(self) -> str:
        """The folder part of the name."""
        return posixpath.dirname(self.name)

    @property
    def spelling(self) -> str:
        """The name normalized for comparison: without capitals, word separators and plural endings."""
        stem, extension = posixpath.splitext(self.name.lower())
        words = _WORD_BREAK.split(posixpath.basename(posixpath.splitext(self.name)[0]))
        letters = "".join(word.lower().removesuffix("s") for word in words)
        return letters + _SAME_EXTENSION.get(extension, extension) + posixpath.dirname(stem)


@memoize
def find_data_files(skill: Skill) -> Mapping[str, DataFile]:
    """Map names to the data files that the skill's code writes or reads by a literal name.

    Files that already exist in the skill or around it are left out.
    """
    uses_by_name: dict[str, list[DataFileUse]] = {}
    for file in skill.sources:
        for code in (code for code in file.codes if _DATA_NAME.search(code.text)):
            for use in find_file_uses(code):
                name = posixpath.normpath(use.name)
                known = skill.resolve(name, file.path) or any(path.endswith(f"/{name}") for path in skill.outside)
                if name.endswith(_DATA_EXTENSIONS) and not set("*{}<>$") & set(name) and not known:
                    uses_by_name.setdefault(name, []).append(DataFileUse(file.path, code, use))
    return {
        name: DataFile(
            name,
            *(tuple(use for use in uses if use.use.mode is mode) for mode in (Mode.WRITE, Mode.READ)),
        )
        for name, uses in uses_by_name.items()
    }


def is_mentioned_only_by(skill: Skill, uses: tuple[DataFileUse, ...], name: str) -> bool:
    """Return whether the base name of a file occurs only on the lines of these uses."""
    return not skill.is_mentioned(posixpath.basename(name), ignored_lines={(use.path, use.use.line) for use in uses})


def is_named_only_in_paths(skill: Skill, folder: str) -> bool:
    """Return whether a folder is named only as part of file paths, never as a whole or before a placeholder."""
    last = re.escape(posixpath.basename(folder))
    folder_pattern = re.compile(rf"(?<![\w.-]){last}(?:/?(?![\w/.-])|/[\w.-]*[*{{<$\[%])")
    return bool(folder.strip("./")) and not any(
        last in file.text and folder_pattern.search(file.text) for file in skill.files
    )
