"""Lets the description say when to use the skill, in the words of the section of SKILL.md that lists its occasions.

The model sees the description alone when it chooses a skill; a section "When to use" further down comes too late for that.
Where the skill lists no occasions that go on from "Use when", none is made up.
"""

import re
from collections.abc import Sequence

from actions.skill import Case, Skill
from actions.skill.structure import Block
from actions.strategies.edits import Edit, edit
from actions.strategies.strategy import Draft, Strategy
from schemas.issues import Issue
from schemas.vocabulary import Risk

STRATEGY = Strategy("describe_occasion", mends=("SPEC-003",), risk=Risk.LOW)
_LONGEST = 1024
_MOST = 5
_TITLE = re.compile(r"when to use(?: (?:this|the) skill| it)?|何时使用|适用场景|使用场景", re.IGNORECASE)
_LEAD_IN = re.compile(r"[\w ]{0,60}\bwhen\W{0,4}|[\w ]{0,30}(?:场景|时|情况)\W{0,4}", re.IGNORECASE)
_NOT = re.compile(r"\b(?:not|never|avoid|don['’]t)\b|不|勿", re.IGNORECASE)
_GOES_ON = re.compile(r"[A-Za-z]+ing\s|(?:the |a )?users?\s|you\s", re.IGNORECASE)
_SAYS_IT = re.compile(r"\buse (?:\w+ ){0,3}when\b|\bwhen the user\b|适用|用于|当", re.IGNORECASE)
_SPECIAL = re.compile(r": |:$| #|^[\[{&*!%@`\"'|>#-]")


def propose(issue: Issue, case: Case) -> Draft | None:
    """Return the longer description; None where the skill lists no occasion, or the value is more than a line."""
    skill, head = case.skill, case.skill.frontmatter
    old, number = head.text("description"), head.lines.get("description", 0)
    line = skill.main.doc.line(number)
    value = line.partition(":")[2].strip()
    if not old or value.strip("\"'") != old or issue.location.file != skill.main.path or head.text("when_to_use"):
        return None
    new = None if _SAYS_IT.search(old) else _described(old, _occasions(skill), skill.is_chinese)
    if new is None:
        return None
    return Draft(
        writes={skill.main.path: edit(skill.main, [Edit(number, number, [f"description: {_scalar(new, value)}"])])},
        description="Let the description say when to use the skill.",
        rationale="The skill names its occasions only in its body, which is not read before it is chosen.",
        impact="The model finds the skill when one of these occasions comes.",
        token_limit=(len(new) - len(old)) // 4 + 2,
        rewrites=(line,),
    )


def _occasions(skill: Skill) -> Sequence[str]:
    """Return the items of the list right below "When to use"; none if one of them does not go on from "Use when"."""
    doc = skill.main.doc
    section = next((s for s in doc.sections if s.level and _TITLE.fullmatch(s.title.strip(" ?:：？"))), None)
    if section is None:
        return ()
    found: list[Block] = []
    for block in (b for b in doc.blocks if section.start < b.start <= section.end):
        if block.kind == "paragraph" and not found and _LEAD_IN.fullmatch(block.text) and not _NOT.search(block.text):
            continue
        if block.kind != "item":
            break
        found.append(block)
    fits = all(skill.is_chinese or _GOES_ON.match(block.text) for block in found)
    plain = all(doc.line(block.start)[:1] in "-*+" and "](" not in doc.line(block.start) for block in found)
    return [block.text.rstrip(" .。;；,，") for block in found[:_MOST]] if fits and plain else ()


def _described(old: str, occasions: Sequence[str], chinese: bool) -> str | None:
    """Return the description with as many occasions as fit."""
    stop = "" if old[-1] in ".。!！" else "。" if chinese else "."
    for count in range(len(occasions), 0, -1):
        new = f"{old}{stop}{_when(occasions[:count], chinese)}"
        if len(new) <= _LONGEST:
            return new
    return None


def _when(occasions: Sequence[str], chinese: bool) -> str:
    if chinese:
        return f"适用于：{'；'.join(occasions)}。"
    *first, last = (text[0].lower() + text[1:] if text[1:2].islower() else text for text in occasions)
    mark = "; " if any("," in text for text in occasions) else ", "
    return f" Use when {mark.join([*first, f'or {last}'])}." if first else f" Use when {last}."


def _scalar(text: str, old: str) -> str:
    """Return a value written as the old one was: plain where YAML allows it, else in double quotes."""
    if old[:1] not in "\"'" and not _SPECIAL.search(text):
        return text
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


_TEXT = """---
name: example
description: {}
---

## When to Use This Skill

- Cutting reeds, at low water or high
- **Binding** sheaves for a roof.
- The user asks for thatch
"""
_CHINESE = """---
name: example
description: {}
---

## 适用场景

- 需要收割芦苇
"""
BEFORE = (_TEXT.format("Reed cutter's handbook"), _CHINESE.format('"芦苇: 手册"'))
AFTER = (
    _TEXT.format(
        "Reed cutter's handbook. Use when cutting reeds, at low water or high; binding sheaves for a roof; or the user asks for thatch."
    ),
    _CHINESE.format('"芦苇: 手册。适用于：需要收割芦苇。"'),
)
