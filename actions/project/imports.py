"""Find the `@path` imports of a memory file that Claude Code cannot read.

Source: the CLI 2.1.330, which `tests/e2e/facts` runs. A path is relative to the folder of its file and ends at a space,
so a period or comma after it becomes part of the path. `@path` in code, HTML and comments imports nothing. Claude Code
does not load AGENTS.md.
"""

import posixpath
from collections.abc import Iterator

import msgspec
from msgspec.structs import replace

from actions.project.named_units import may_be_missing
from actions.project.project import Project
from actions.project.resolve_path import is_build_output
from actions.project.units import Unit
from actions.regex import regex
from actions.skill.references import is_placeholder
from actions.skill.skill import SkillFile

_IMPORT = regex(r"(?:^|(?<=\s))@((?:[^\s\\]|\\ )+)")
_CODE_SPAN = regex(r"(?<!`)(`++)(?:[^`]|(?!\1(?!`))`++)+?\1(?!`)")
_FILE_PATH = regex(r"(?:\.{1,2}/)*[\w-][\w./-]*\.\w+")
_DOCUMENT_EXTENSIONS = (".md", ".txt", ".rst", ".json", ".yaml", ".yml", ".toml")
_HOME_FOLDER = regex(r"(?:~|\$HOME|\$\{HOME\})/\.claude\b")
_MEMORY_FILES = ("AGENTS.md", "CLAUDE.md", "GEMINI.md")
_NAMES_MEMORY_FILE = regex(r"\b(?:AGENTS|CLAUDE|GEMINI)\.md\W*\Z")
_WORD = regex(r"[^\W\d_]{2}")
_MARKUP_CHARACTERS = "*_~"
_PUNCTUATION = ".,;:!?)\"'"
"""Punctuation after a path that Claude Code takes for part of the path."""


class DeadImport(msgspec.Struct, frozen=True):
    """An import that reads no file: its line, the path as written (`word`), and the path in the project.

    `excess` are the characters after the path of an existing file that Claude Code takes for part of it. `is_mention`
    is whether a sentence names the path from the root of the project, where a model finds the file.
    """

    line: int
    word: str
    path: str
    excess: str
    is_mention: bool = False


def find_dead_imports(project: Project, unit: Unit, file: SkillFile) -> Iterator[DeadImport]:
    """Yield the imports that read no file, because it does not exist or because of the characters after the path."""
    if "@" not in file.text or posixpath.basename(file.path) == "AGENTS.md":
        return
    if _is_for_home(project, unit, file):
        return
    code = {n for block in file.doc.blocks if block.kind in ("code", "html") for n in range(block.start, block.end + 1)}
    for number, line in file.doc.prose:
        if (
            "@" not in line
            or number in code
            or line.startswith(("    ", "\t", "<"))
            or file.doc.is_counterexample(number)
        ):
            continue
        text = _CODE_SPAN.sub(" ", line)
        for match in _IMPORT.finditer(text):
            if _describes_wrapper(text, match.start(), match[1]):
                continue
            dead_import = _read_import(project, unit, number, match[1])
            if dead_import and not dead_import.excess and _WORD.search(text, 0, match.start()):
                dead_import = replace(dead_import, is_mention=project.exists(posixpath.normpath(dead_import.word)))
            if dead_import and not may_be_missing(file, number):
                yield dead_import


def _describes_wrapper(line: str, start: int, target: str) -> bool:
    """Return whether a line only says what a memory file contains, as in "CLAUDE.md @AGENTS.md wrapper"."""
    return target.startswith(_MEMORY_FILES) and _NAMES_MEMORY_FILE.search(line, 0, start) is not None


def _is_for_home(project: Project, unit: Unit, file: SkillFile) -> bool:
    """Return whether a memory file and the settings beside it are meant for `~/.claude`, which the file names."""
    is_beside = bool(unit.folder) and posixpath.join(unit.folder, "settings.json") in project.files
    is_elsewhere = posixpath.basename(unit.folder) != ".claude"
    return is_beside and is_elsewhere and _HOME_FOLDER.search(file.text) is not None


def is_copied_home(project: Project, unit: Unit) -> bool:
    """Return whether a script beside a memory file copies it to `~/.claude`, where the imports may exist."""
    names = project.list_folder(unit.folder) if unit.folder else ()
    scripts = (project.read_bytes(f"{unit.folder}/{name}") or b"" for name in names if name.endswith(".sh"))
    file = posixpath.basename(unit.path).encode()
    return any(file in text and _HOME_FOLDER.search(text.decode("utf-8", "replace")) for text in scripts)


def _read_import(project: Project, unit: Unit, line: int, text: str) -> DeadImport | None:
    word = text.partition("#")[0].rstrip(_MARKUP_CHARACTERS)
    target = word.rstrip(_PUNCTUATION)
    path = posixpath.normpath(posixpath.join(unit.folder, target))
    is_path = _FILE_PATH.fullmatch(target) and not is_placeholder(target) and not path.startswith("..")
    if not is_path or is_build_output(path) or project.is_ignored(path):
        return None
    exists, excess = project.exists(path), word[len(target) :]
    if exists:
        return DeadImport(line, word, path, excess) if excess else None
    is_file = target.endswith(_DOCUMENT_EXTENSIONS) or path.partition("/")[0] in project.folders
    return DeadImport(line, target, path, "") if is_file and not _is_loaded_anyway(project, unit, target) else None


def _is_loaded_anyway(project: Project, unit: Unit, target: str) -> bool:
    """Return whether a rule names the memory file of its project, which Claude Code loads at each start."""
    root, separator, _ = f"/{unit.path}".rpartition("/.claude/rules/")
    return bool(separator) and target == "CLAUDE.md" and project.exists(posixpath.join(root[1:], target))
