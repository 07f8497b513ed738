"""Tables and lists that declare the state: field names in the first column or at the head of each item.

They stand under a heading or in a file that is called so, or below a sentence that says where the run is kept.
"""

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass

from actions.facts.dataflow.words import STATE
from actions.skill.memo import once
from actions.skill.skill import SkillFile
from actions.skill.stems import Gated, Stems
from actions.skill.tables import is_ruler

_HEADER = re.compile(
    r"^\s*\|\s*\**(?:state )?(?:fields?|keys?|propert(?:y|ies)|字段名?|键|属性)\**\s*\|", re.IGNORECASE
)
_NAME_HEADER = re.compile(r"^\s*\|\s*\**(?:names?|entry|名称|名字|项)\**\s*\|", re.IGNORECASE)
_ROW = re.compile(r"^\s*\|\s*\**`?([A-Za-z_]\w{0,60})`?\**\s*\|")
_KEPT = (
    r"(?:state|record|progress|session|run|status|checkpoint|memory|job)\.(?:json|ya?ml)\b"
    r"|\b(?:kept|saved|stored|held|lives?|written|keep|save|store)\b[^.|]{0,30}\b(?:in|to"
    r"|as) `[\w${}./-]{1,120}\.(?:json|ya?ml)`"
    r"|\bstate\b[^.|`]{0,40}`[\w${}./-]{1,120}\.(?:json|ya?ml)`"
    r"|(?:存放|保存|记录|存|写|落)[在到入于]?[^，。|]{0,8}`[\w${}./-]{1,120}\.(?:json|ya?ml)`"
)
_HOME = Gated(
    _KEPT
    + r"|\b(?:run ?)?state\b[^.|]{0,60}\b(?:file|json|holds?|keeps?|kept|saved|stored|has|consists|fields?|keys?)\b"
    r"|状态(?:文件|字段|对象|保存|存放|包含|包括|中)",
    re.IGNORECASE,
    "json yaml yml state 状态",
    "json yaml yml file hold keep kept save store has consist field key 状态",
)
_LISTS = re.compile(
    r"\b(?:holds?|keeps?|contains?|has|with|of|consists of|fields?|keys?)\b[^.`]{0,40}[:：]?\s*$|[:：]\s*$|包含"
    r"|包括|字段|键|有",
    re.IGNORECASE,
)
_ITEM = re.compile(
    r"^\s*(?:[-*+•]|\d+[.)])\s+\**`(?:\w*state\.)?([A-Za-z_]\w{0,60})`\**(?:\s*\([^)]{0,60}\))?\s*(?:[:：—–=-]|$)"
)
_INLINE = re.compile(r"`(?:\w*state\.)?([A-Za-z_]\w{0,60})`(?=\s*(?:[:：,，、;；.。]|and\b|和|$|\())")
_HOMES = Stems(*"state record progress session run status checkpoint memory job json yaml yml 状态 进度".split())
_ABOVE = 25
_LONGEST = 1000
_FEWEST_INLINE = 3


@dataclass(frozen=True)
class StateTable:
    """A table from its header at `start`, or a list from its first item, to its last row at `end`.

    `fields` are (name, line). `kept` tells that the text above says where the state is kept.
    """

    start: int
    end: int
    fields: tuple[tuple[str, int], ...]
    kept: bool = False


@once
def state_tables(file: SkillFile) -> tuple[StateTable, ...]:
    """Give the tables and lists of two or more fields that declare the state."""
    return (*_state_tables(file), *_state_lists(file))


def _state_tables(file: SkillFile) -> Iterator[StateTable]:
    for number, line in file.doc.prose if "|" in file.text else ():
        if "|" not in line or (not (named := _HEADER.match(line)) and not _NAME_HEADER.match(line)):
            continue
        if not is_ruler(file.doc.line(number + 1)):
            continue
        kept = _says_where(file, number)
        if kept or (named and _about_state(file, number)):
            rows = list(_rows(file, number + 2))
            if len(rows) > 1 and not file.doc.is_counterexample(number):
                yield StateTable(number, rows[-1][1], tuple(rows), kept)


def _about_state(file: SkillFile, number: int) -> bool:
    stem = posixpath.splitext(posixpath.basename(file.path))[0].replace("-", " ").replace("_", " ")
    return bool(STATE.search(file.doc.section_at(number).title) or STATE.search(stem))


def _says_where(file: SkillFile, number: int) -> bool:
    """Tell whether the prose just above, in the same section, says where the state is kept."""
    start = max(file.doc.section_at(number).start, number - _ABOVE)
    above = (file.doc.prose_at.get(n, "") for n in range(number - 1, start - 1, -1))
    return any(_HOME.search(line[:_LONGEST]) for line in above if line and not line.lstrip().startswith(("|", "#")))


def _rows(file: SkillFile, number: int) -> Iterator[tuple[str, int]]:
    while match := _ROW.match(file.doc.line(number)):
        yield match[1], number
        number += 1


def _state_lists(file: SkillFile) -> Iterator[StateTable]:
    for number, line in _HOMES.prose(file):
        match = _HOME.search(line) if len(line) <= _LONGEST else None
        if match is None or line.lstrip().startswith(("|", "#")) or file.doc.is_counterexample(number):
            continue
        inline = [m[1] for m in _INLINE.finditer(line, match.end())]
        if len(inline) >= _FEWEST_INLINE and _LISTS.search(line[match.start() : line.find(f"`{inline[0]}`")]):
            yield StateTable(number, number, tuple((name, number) for name in dict.fromkeys(inline)), kept=True)
        elif line.rstrip().endswith((":", "：")):
            items = list(_items(file, number + 1))
            if len(items) > 1:
                yield StateTable(items[0][1], items[-1][1], tuple(dict.fromkeys(items)), kept=True)


def _items(file: SkillFile, number: int) -> Iterator[tuple[str, int]]:
    """Give the fields that the items below a line name, one or several an item."""
    prose, started = file.doc.prose_at, False
    while number <= len(file.doc.lines):
        line = file.doc.line(number)
        match = _ITEM.match(line) if number in prose else None
        if match:
            started = True
            yield match[1], number
            yield from ((m[1], number) for m in re.finditer(r"[;；]\s*`([A-Za-z_]\w{0,60})`\s*[:：]", line))
        elif (line.strip() and not (started and line.startswith(" "))) or (not line.strip() and started):
            return
        number += 1
