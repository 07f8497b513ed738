"""Lets the description say when to use the skill, in the words of the skill's own list of occasions.

The model sees the description alone when it chooses a skill; a section "When to use" further down comes too late for that.
Only list items that go on from "Use when" are taken; where the skill names no occasion, none is made up.
"""

import re
from collections.abc import Iterator, Sequence

from actions.model import Case, Skill
from actions.model.document import Document
from actions.strategies.edits import Edit, edit
from actions.strategies.strategy import Draft, Strategy
from schemas.records import Issue
from schemas.vocabulary import Risk

STRATEGY = Strategy("describe_occasion", mends=("SPEC-003",), risk=Risk.MEDIUM)
_LONGEST = 1024
_MOST = 5
_TITLE = re.compile(
    r"^(?:when to use(?! .*\bnot\b)|use (?:this skill )?when|何时使用|适用场景|使用场景)|^\*{0,2}(?:this skill should be used|use (?:this|[\w-]+)) when\W*$"
    r"|^\*{0,2}(?:适用场景|使用场景|何时使用)\W*$",
    re.IGNORECASE,
)
_ITEM = re.compile(r"^[-*+]\s+(.+?)[.。;；,，]?\s*$")
_GOES_ON = re.compile(r"[A-Za-z]+ing\s|(?:the |a )?users?\s|you\s", re.IGNORECASE)
_MARKUP = re.compile(r"[*`]+")
_SPECIAL = re.compile(r": |:$| #|^[\[{&*!%@`\"'|>#-]")


def propose(issue: Issue, case: Case) -> Draft | None:
    """Draft the longer description; None where the skill lists no occasion, or the line is no plain value."""
    skill, number = case.skill, issue.location.line_start or 0
    old = skill.frontmatter.text("description")
    line = skill.main.doc.line(number)
    value = line.partition(":")[2].strip()
    if not old or not line.startswith("description:") or value.strip("\"'") != old or len(old) > _LONGEST:
        return None
    new = _described(skill, old)
    if new is None:
        return None
    return Draft(
        writes={skill.main.path: edit(skill.main, [Edit(number, number, [f"description: {_scalar(new, value)}"])])},
        description="Lets the description say when to use the skill.",
        rationale="The skill names its occasions only in its body, which is not read before it is chosen.",
        impact="The model finds the skill when one of these occasions comes.",
        token_limit=(len(new) - len(old)) // 4 + 2,
        rewrites=(line,),
    )


def _described(skill: Skill, old: str) -> str | None:
    """Give the description with as many occasions as fit, or None without any."""
    occasions = list(_occasions(skill))[:_MOST]
    while occasions:
        stop = "" if old[-1] in ".。!！" else "。" if skill.is_chinese else "."
        new = f"{old}{stop}{_told(occasions, skill.is_chinese)}"
        if len(new) <= _LONGEST:
            return new
        occasions.pop()
    return None


def _told(occasions: Sequence[str], chinese: bool) -> str:
    if chinese:
        return f"适用于：{'；'.join(occasions)}。"
    first = [text[0].lower() + text[1:] if text[1:2].islower() else text for text in occasions]
    mark = "; " if any("," in text for text in first) else ", "
    return f" Use when {mark.join(first[:-1])}{mark if first[:-1] else ''}{'or ' if first[:-1] else ''}{first[-1]}."


def _occasions(skill: Skill) -> Iterator[str]:
    doc = skill.main.doc
    for start in _starts(doc):
        for number in range(start + 1, len(doc.lines) + 1):
            match = _ITEM.match(doc.line(number))
            if match is None:
                if doc.line(number).strip() and not _TITLE.match(doc.line(number).strip()):
                    break
                continue
            text = _MARKUP.sub("", match[1])
            if "](" not in text and (skill.is_chinese or _GOES_ON.match(text)):
                yield text
        return


def _starts(doc: Document) -> Iterator[int]:
    """Give the line after which the occasions are listed: a heading, or a line that introduces the list."""
    titles = {section.start for section in doc.sections if section.level and _TITLE.match(section.title)}
    yield from (n for n, line in doc.prose if n in titles or _TITLE.match(line.strip()))


def _scalar(text: str, old: str) -> str:
    """Write a value as the old one was written: plain where YAML allows it, else in double quotes."""
    if old[:1] not in "\"'" and not _SPECIAL.search(text):
        return text
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


_HEAD = "---\nname: example\ndescription: {}\n---\n\n# Reeds\n\n{}\n\nCut them at low water.\n"
_LIST = "## When to Use This Skill\n\nThis skill should be used when:\n- Cutting reeds, at low water or high\n- **Binding** sheaves for a roof.\n- The user asks for thatch"
_USES = "**Use reeds when:**\n- Cutting reeds at low water\n- Reeds: see the map\n\n**Do not use it when:**\n- Selling reeds"
_FAELLE = "## 适用场景\n\n- 需要收割芦苇\n- 用户询问屋顶材料"
BEFORE = (
    {"SKILL.md": _HEAD.format("Reed cutter's handbook", _LIST)},
    {"SKILL.md": _HEAD.format('"Cuts: reeds."', _USES)},
    {"SKILL.md": "---\nname: example\ndescription: 芦苇收割手册\n---\n\n# 芦苇\n\n" + _FAELLE + "\n\n低水位时收割。\n"},
)
AFTER = (
    {
        "SKILL.md": _HEAD.format(
            "Reed cutter's handbook. Use when cutting reeds, at low water or high; binding sheaves for a roof; or the user asks for thatch.",
            _LIST,
        )
    },
    {"SKILL.md": _HEAD.format('"Cuts: reeds. Use when cutting reeds at low water."', _USES)},
    {
        "SKILL.md": "---\nname: example\ndescription: 芦苇收割手册。适用于：需要收割芦苇；用户询问屋顶材料。\n---\n\n# 芦苇\n\n"
        + _FAELLE
        + "\n\n低水位时收割。\n"
    },
)
