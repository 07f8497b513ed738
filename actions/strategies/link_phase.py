"""Names a phase that nothing leads to in the list of the phases, where its number says that its turn comes.

Only where SKILL.md lists the files of the phases before it, and the list ends there; the line follows the others' manner.
"""

import posixpath
import re
from collections.abc import Iterator

from actions.skill import Case, Skill, SkillFile
from actions.skill.text import is_chinese
from actions.strategies.edits import Edit, edit
from actions.strategies.strategy import Draft, Strategy
from schemas.issues import Issue
from schemas.vocabulary import Risk

STRATEGY = Strategy("link_phase", mends=("DF-010",), risk=Risk.MEDIUM)
_ITEM = re.compile(r"^(?P<indent>\s*)(?P<mark>[-*+]|(?P<number>\d+)(?P<dot>[.)]))\s+")
_BARE_LINK = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+\[(?P<text>[^\]\n]+)\]\((?P<path>[^)\s]+)\)\s*$")


def propose(issue: Issue, case: Case) -> Draft | None:
    """Draft the line after the phase before; None where the order or the list is not plain."""
    skill, phase = case.skill, case.skill.by_path[issue.location.file]
    number = _number(phase.path)
    before = max((p for p in skill.phases if _is_before(p, phase)), key=lambda p: _number(p.path) or 0, default=None)
    if number is None or before is None or any(_number(p.path) == number for p in skill.phases if p is not phase):
        return None
    last = next(_items(skill, before), None)
    if last is None or _goes_on(skill.main, last):
        return None
    line = _line(skill, phase, skill.main.doc.line(last))
    return Draft(
        writes={skill.main.path: edit(skill.main, [Edit(last + 1, last, [line])])},
        description=f"Names `{phase.path}` after `{before.path}`.",
        rationale="Nothing in the skill leads to the phase, so its work is left out.",
        impact="The phase is read when its turn comes.",
        token_limit=len(line) // 4 + 4,
    )


def _number(path: str) -> int | None:
    match = re.search(r"\d+", posixpath.basename(path))
    return int(match[0]) if match else None


def _is_before(other: SkillFile, phase: SkillFile) -> bool:
    one, two = _number(other.path), _number(phase.path)
    same = posixpath.dirname(other.path) == posixpath.dirname(phase.path)
    return same and one is not None and two is not None and one < two


def _items(skill: Skill, phase: SkillFile) -> Iterator[int]:
    """Give the list items of SKILL.md that name a phase file."""
    for number, line in skill.main.doc.prose:
        if phase.path in line and _ITEM.match(line):
            yield number


def _goes_on(file: SkillFile, number: int) -> bool:
    """Tell whether the list, or the item, goes on below the line."""
    below = file.doc.line(number + 1)
    if below.strip() and not below.lstrip().startswith("#"):
        return True
    beyond = next((line for n, line in file.doc.prose if n > number), "")
    return (
        bool(_ITEM.match(beyond))
        and not file.doc.line(number + 1).strip()
        and _same_list(file.doc.line(number), beyond)
    )


def _same_list(one: str, other: str) -> bool:
    a, b = _ITEM.match(one), _ITEM.match(other)
    return bool(a and b and a["indent"] == b["indent"] and (not b["number"] or b["number"] != "1"))


def _line(skill: Skill, phase: SkillFile, last: str) -> str:
    """Give the new item in the manner of the last one: a bare link, else an order to read the file."""
    item = _ITEM.match(last)
    assert item is not None
    mark = f"{int(item['number']) + 1}{item['dot']}" if item["number"] else item["mark"]
    title = next((s.title for s in phase.doc.sections if s.level), posixpath.basename(phase.path))
    link = _BARE_LINK.match(last)
    if link:
        text = phase.path if link["text"] == link["path"] else title
        return f"{item['indent']}{mark} [{text}]({phase.path})"
    told = f"[{title}]({phase.path})" if f"]({posixpath.dirname(phase.path)}/" in last else f"`{phase.path}`"
    order = f"阅读 {told}，并按其执行。" if is_chinese(last) or skill.is_chinese else f"Read {told} and follow it."
    return f"{item['indent']}{mark} {order}"


_FILES = {"phases/01-pack.md": "# Pack\n\nPack.\n", "phases/02-carry.md": "# Carry\n\nCarry.\n"}
_LOST = {"phases/03-clean.md": "# Sweep the old flat\n\nSweep.\n"}
_LISTE = {"phases/01-打包.md": "# 打包\n\n打包。\n", "phases/02-验收.md": "# 逐项清点\n\n清点。\n"}
_TOLD = "# Move\n\n1. Read `phases/01-pack.md` and pack.\n2. Read `phases/02-carry.md` and carry.\n{}\nTell the user.\n"
_LINKED = "# Move\n\n## Phases\n\n- [Pack](phases/01-pack.md)\n- [Carry](phases/02-carry.md)\n{}\n## End\n\n- Tell the user.\n"
BEFORE = (
    {"SKILL.md": _TOLD.format(""), **_FILES, **_LOST},
    {"SKILL.md": _LINKED.format(""), **_FILES, **_LOST},
    {"SKILL.md": "# 搬家\n\n1. 执行 [打包](phases/01-打包.md)。\n\n然后通知用户。\n", **_LISTE},
)
AFTER = (
    {"SKILL.md": _TOLD.format("3. Read `phases/03-clean.md` and follow it.\n"), **_FILES, **_LOST},
    {"SKILL.md": _LINKED.format("- [Sweep the old flat](phases/03-clean.md)\n"), **_FILES, **_LOST},
    {
        "SKILL.md": "# 搬家\n\n1. 执行 [打包](phases/01-打包.md)。\n2. 阅读 [逐项清点](phases/02-验收.md)，并按其执行。\n\n然后通知用户。\n",
        **_LISTE,
    },
)
