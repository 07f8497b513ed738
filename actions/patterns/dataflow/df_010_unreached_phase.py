"""A phase or reference file that no other file references.

It is:
- an instruction file that no other file of the skill names, by its path, name, title or number, and none of its plugin by its path (proven)
It is not:
- a file of a folder that the text refers to as a whole: `phases/`, `phases/*.md`, `roles/{role}.md`
- a file for people (also a report in `docs/`) or for tests, or a command that Claude Code discovers
Low when:
- it is a reference: the work is done without it, though perhaps worse
Why it is bad: The model never reads it, so its work is left out unnoticed.
Instead: Name the file where its turn comes, or delete it.
"""

import re
from collections.abc import Iterator
from itertools import chain

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, Severity
from actions.project.mentions import is_named_elsewhere
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
    {"SKILL.md": "# Move\n\nRead [the list](specs/a.md).\n", "specs/a.md": "# Boxes\n\nForty.\n"},
)
_FOUND_BY_CLAUDE = frozenset({"commands", "agents", "hooks", "skills", "rules", "output-styles"})
_TESTS = re.compile(r"\b(?:acceptance[- ]criteria|tests?|testing|evals?|evaluation)\b|验收标准|测试", re.IGNORECASE)
_REPORT = re.compile(r"(?i)(?:^|/)docs?/[^/]*(?:report|review)[^/]*\Z")
_HEAD = 8
_MANY = 50
"""For more files, their names are looked up in an index; for fewer, searching the text is faster."""
_ROLES = frozenset({Role.PHASE, Role.REFERENCE, Role.SPEC})


def check(case: Case) -> Iterator[Finding]:
    """Find instruction files in folders to which nothing in the skill may refer."""
    skill = case.skill
    deep = [file for file in skill.instructions if "/" in file.path and file.role in _ROLES and not _is_apart(file)]
    wanted = {file.path: list_names(file) for file in deep}
    above = (path.lower().split("/")[:-1] for path in wanted)
    text = NameIndex(skill, chain(*wanted.values(), *above)) if len(wanted) > _MANY else TextSearch(skill)
    folders: dict[str, bool] = {}
    for file in deep:
        if not any(text.is_mentioned(name, file) for name in wanted[file.path]):
            over = file.path.lower().split("/")[:-1]
            folders |= {folder: text.mentions_folder(folder) for folder in over if folder not in folders}
            if not any(folders[folder] for folder in over) and not is_named_elsewhere(
                case.project, case.unit, file.path
            ):
                message = f"`{file.path}` is not referenced by any other file of the skill, nor is its folder."
                severity = PATTERN.severity if file.role is Role.PHASE else Severity.LOW
                first = next((block.start for block in file.doc.blocks), 1)
                yield Finding(file.path, first, message, severity=severity)


def _is_apart(file: SkillFile) -> bool:
    """Return whether Claude Code discovers a file itself, or its first lines say that it is for tests."""
    head = "\n".join((file.path, *file.doc.lines[:_HEAD]))
    is_found = bool(_FOUND_BY_CLAUDE.intersection(file.path.split("/")))
    return is_found or _TESTS.search(head) is not None or _REPORT.search(file.path) is not None
