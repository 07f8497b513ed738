"""A phase or reference file that no other file references.

It is:
- an instruction file of the skill that no other file names, by its path, name, title or number (proven)
It is not:
- a file of a folder that the text sends to as a whole: `phases/`, `phases/*.md`, `roles/{role}.md`
- a file for people or for tests, or a command that Claude Code discovers
Low when:
- it is a reference: the work is done without it, though perhaps worse
Why it is bad: The model never reads it, so its work is left out unnoticed.
Instead: Name the file where its turn comes, or delete it.
"""

import posixpath
import re
from collections.abc import Iterator
from itertools import chain

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, Severity
from actions.skill import Role, SkillFile
from actions.skill.mentions import NameIndex, TextSearch
from actions.skill.numbered_parts import headings

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
_HEAD = 8
_MANY = 50
"""Files from which on their names are looked up; fewer are sooner searched for."""
_PARTS = ("phase ", "step ", "stage ", "阶段 ", "阶段", "步骤 ", "步骤")
_ROLES = frozenset({Role.PHASE, Role.REFERENCE, Role.SPEC})


def check(case: Case) -> Iterator[Finding]:
    """Find instruction files in folders that nothing in the skill may mean."""
    skill = case.skill
    deep = [file for file in skill.instructions if "/" in file.path and file.role in _ROLES and not _is_apart(file)]
    wanted = {file.path: _names(file) for file in deep}
    above = (path.lower().split("/")[:-1] for path in wanted)
    text = NameIndex(skill, chain(*wanted.values(), *above)) if len(wanted) > _MANY else TextSearch(skill)
    folders: dict[str, bool] = {}
    for file in deep:
        if not any(text.is_mentioned(name, file) for name in wanted[file.path]):
            over = file.path.lower().split("/")[:-1]
            folders |= {folder: text.mentions_folder(folder) for folder in over if folder not in folders}
            if not any(folders[folder] for folder in over):
                message = f"`{file.path}` is not referenced by any other file of the skill, nor is its folder."
                severity = PATTERN.severity if file.role is Role.PHASE else Severity.LOW
                first = next((block.start for block in file.doc.blocks), 1)
                yield Finding(file.path, first, message, severity=severity)


def _is_apart(file: SkillFile) -> bool:
    """Return whether Claude Code discovers a file itself, or its first lines say that it is for tests."""
    head = "\n".join((file.path, *file.doc.lines[:_HEAD]))
    return bool(_FOUND_BY_CLAUDE.intersection(file.path.split("/"))) or _TESTS.search(head) is not None


def _names(file: SkillFile) -> set[str]:
    """Return what another file may call this one: its name and its words, its title, its number."""
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
