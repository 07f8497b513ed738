"""Files that a loop keeps from one round to the next, whatever they are called, with the fields that the text gives."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from actions.facts.dataflow.file_names import JSON
from actions.skill.document import Document, Fence
from actions.skill.skill import Skill, SkillFile
from actions.skill.stems import Stems
from actions.skill.tables import is_ruler

_STEMS = Stems(*"round turn session run pass iterat lap visit step talk where 圈 轮 循环 接力 每 会话 进度".split())
_ROUNDS = re.compile(
    r"\b(?:between|each|every|after|per|from|over) (?:\w+ ){0,2}(?:rounds?|turns?|sessions?|runs?|pass(?:es)?"
    r"|iterations?|laps?|visits?|steps?|talks?)\b|每(?:一)?[圈轮步次回]|[圈轮步]之间|下一[圈轮步]|循环|接力|会话之间",
    re.IGNORECASE,
)
_WHERE = re.compile(
    r"\bwhere (?:the \w+|it|we|you|things) (?:now )?(?:stands?|are|is|left off|got)\b|进度|做到哪|走到哪|到哪一步",
    re.IGNORECASE,
)
_FILE = re.compile(r"`[\w${}./-]{1,120}\.(?:json|ya?ml)`")
_STANDS = re.compile(
    r"(?:current_?)?(?:phase|stage|step|round|turn|lap|pass|iteration|index)|status|progress|done|next|chosen|finished",
    re.IGNORECASE,
)
_ROW = re.compile(r"\s*\|\s*\**`?([A-Za-z_]\w{0,60})`?\**\s*\|")
_NEAR = 3
_LONGEST = 20_000


@dataclass(frozen=True)
class LoopFile:
    """The fields that line `start` and the next ones give a file; `text` is all that is written there."""

    file: SkillFile
    start: int
    fields: tuple[str, ...]
    text: str


def loop_files(skill: Skill) -> Iterator[LoopFile]:
    """Give the files of which one field, or the sentence that names them, tells where the loop stands."""
    for file in skill.instructions:
        for number, line in _STEMS.prose(file):
            told = _FILE.search(line) and _WHERE.search(line)
            found = _below(file, number) if told or (_FILE.search(line) and _ROUNDS.search(line)) else None
            if found and (told or any(_STANDS.fullmatch(name) for name in found.fields)):
                yield found


def _below(file: SkillFile, number: int) -> LoopFile | None:
    """Give the fields of the JSON example or the table that begins a few lines below."""
    doc = file.doc
    for start in range(number + 1, number + _NEAR + 1):
        fence = doc.fence_at(start)
        if fence:
            fields = _keys(doc, fence) if fence.lang in JSON else ()
            return LoopFile(file, fence.start, fields, "\n".join(doc.inside(fence)))
        if is_ruler(doc.line(start + 1)):
            rows = list(_rows(doc, start + 2))
            return LoopFile(file, start, tuple(name for name, _ in rows), "\n".join(row for _, row in rows))
    return None


def _rows(doc: Document, number: int) -> Iterator[tuple[str, str]]:
    while match := _ROW.match(doc.line(number)):
        yield match[1], doc.line(number)
        number += 1


def _keys(doc: Document, fence: Fence) -> tuple[str, ...]:
    found = parsed(doc, fence)
    return tuple(found) if isinstance(found, dict) else ()


def parsed(doc: Document, fence: Fence) -> object:
    """Give the value of a JSON fence; None for one that does not parse."""
    text = "\n".join(doc.inside(fence))
    try:
        return json.loads(text) if len(text) <= _LONGEST else None
    except (ValueError, RecursionError):
        return None
