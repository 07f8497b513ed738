"""No other file references a phase or reference file.

It is:
- an instruction file that no other file of the skill mentions by path, name, title or number, and no file of its plugin by path (proven)
It is not:
- a file of a folder that the text refers to as a whole: `phases/`, `phases/*.md`, `roles/{role}.md`
- a file for people (also a report in `docs/`, or one in a folder such as `_dev/`), a source in `research/`, `sources/` or `notes/`, or for tests, or a command that Claude Code discovers
Low when:
- it is a reference: the work gets done without it, though perhaps less well
Why it is bad: The model never reads the file, so its steps are skipped unnoticed.
Instead: Name the file at the step that needs it, or delete it.
"""

import re
from collections.abc import Iterator
from itertools import chain

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, Severity
from actions.project.mentions import is_named_elsewhere
from actions.regex import regex
from actions.skill import Role, SkillFile
from actions.skill.mentions import NameIndex, TextSearch, list_names

PATTERN = Pattern(id="DF-010", impact=("loses",))
BAD = (
    {"SKILL.md": "# Move\n\nPack.\n", "phases/sweep.md": "# Clean the old flat\n\nSweep every room.\n"},
    {"SKILL.md": "# 计数\n\n逐项。\n", "references/rounding.md": "# 四舍五入的办法\n\n到整数。\n"},
)
GOOD = (
    {
        "SKILL.md": "# Move\n\nWork through `phases/*.md` in order.\n",
        "phases/01-pack.md": "# Pack\n\nPack the books first.\n",
    },
    {
        "SKILL.md": "# Move\n\nPack, then come Phase 2 and the sweeping.\n",
        "phases/02-carry.md": "# Carry it all\n\nCarry the heavy boxes first.\n",
        "phases/sweeping.md": "# Clean the old flat\n\nSweep every room.\n",
    },
    {"SKILL.md": "# Move\n\nPack.\n", "references/research/flats.md": "# What movers say\n\nPack early.\n"},
    {"SKILL.md": "# Move\n\nRead [the list](specs/a.md).\n", "specs/a.md": "# Boxes\n\nForty.\n"},
)
_DISCOVERED_FOLDERS = frozenset({"commands", "agents", "hooks", "skills", "rules", "output-styles"})
_SOURCE_FOLDERS = frozenset({"research", "sources", "notes"})
"""Folders of texts from which the skill was written."""
_TEST_WORDS = regex(r"\b(?:acceptance[- ]criteria|tests?|testing|evals?|evaluation)\b|验收标准|测试", re.IGNORECASE)
_REPORT_PATH = regex(r"(?i)(?:^|/)docs?/[^/]*(?:report|review)[^/]*\Z")
_FIRST_LINES = 8
_MAX_SEARCHED_FILES = 50
"""Maximum number of files whose names are searched in the text. For more files, an index is faster."""
_ROLES = frozenset({Role.PHASE, Role.REFERENCE, Role.SPEC})


def check(case: Case) -> Iterator[Finding]:
    """Find instruction files in subfolders that nothing mentions by one of their names or by their folder."""
    skill = case.skill
    files = [file for file in skill.instructions if "/" in file.path and file.role in _ROLES]
    names = {file.path: list_names(file) for file in files}
    folders = (path.lower().split("/")[:-1] for path in names)
    text = NameIndex(skill, chain(*names.values(), *folders)) if len(names) > _MAX_SEARCHED_FILES else TextSearch(skill)
    is_folder_mentioned: dict[str, bool] = {}
    for file in files:
        if not text.is_any_mentioned(names[file.path], file) and not _is_apart(file):
            parents = file.path.lower().split("/")[:-1]
            unknown = (folder for folder in parents if folder not in is_folder_mentioned)
            is_folder_mentioned |= {folder: text.mentions_folder(folder) for folder in unknown}
            if not any(is_folder_mentioned[folder] for folder in parents) and not is_named_elsewhere(
                case.project, case.unit, file.path
            ):
                message = f"`{file.path}` is not referenced by any other file of the skill, nor is its folder."
                severity = PATTERN.severity if file.role is Role.PHASE else Severity.LOW
                first = next((block.start for block in file.doc.blocks), 1)
                yield Finding(file.path, first, message, severity=severity)


def _is_apart(file: SkillFile) -> bool:
    """Return whether a file need not be mentioned: Claude Code discovers it, or it is a report, a source or for tests."""
    start = "\n".join((file.path, *file.doc.lines[:_FIRST_LINES]))
    folders = file.path.split("/")[:-1]
    if not _SOURCE_FOLDERS.isdisjoint(map(str.lower, folders)):
        return True
    is_discovered = bool(_DISCOVERED_FOLDERS.intersection(file.path.split("/"))) or any(
        folder.startswith("_") for folder in folders
    )
    return is_discovered or _TEST_WORDS.search(start) is not None or _REPORT_PATH.search(file.path) is not None
