"""Lets the description say when to use the skill, in the skill's own words: its occasions, trigger phrases or use cases.

The model sees the description alone when it chooses a skill; a section "When to use" further down comes too late for that.
Taken are list items that go on from "Use when", quoted trigger phrases, the column "Use when" of a table, and headings
of use cases; where the skill names no occasion, none is made up.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile

from actions.skill import Case, Skill
from actions.skill.document import Document
from actions.skill.tables import cells_of, is_row
from actions.strategies.edits import Edit, edit
from actions.strategies.strategy import Draft, Strategy
from schemas.issues import Issue
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
_PHRASES = re.compile(r"\btrigger[ _]?(?:phrases?|words?)\b|触发(?:词|短语|语句)", re.IGNORECASE)
_QUOTED = re.compile(r"[\"“「]([^\"“”「」\n]{2,60})[\"”」]")
_COLUMN = re.compile(r"^\W*(?:use when|when to use|use for|适用场景|使用场景|何时使用)\W*$", re.IGNORECASE)
_CASE = re.compile(r"^(?:use case|用例)\s*\d+\s*[:：—–-]\s*(.{3,80})$", re.IGNORECASE)
_LEAST = 2
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
    """Give the description with as many occasions as fit, of the first kind that the skill names; None without any."""
    for told, found in ((_when, _occasions), (_says, _phrases), (_for, _columns), (_for, _cases)):
        occasions = list(dict.fromkeys(found(skill)))[:_MOST]
        while occasions:
            stop = "" if old[-1] in ".。!！" else "。" if skill.is_chinese else "."
            new = f"{old}{stop}{told(occasions, skill.is_chinese)}"
            if len(new) <= _LONGEST:
                return new
            occasions.pop()
    return None


def _when(occasions: Sequence[str], chinese: bool) -> str:
    if chinese:
        return _for(occasions, chinese)
    first = [text[0].lower() + text[1:] if text[1:2].islower() else text for text in occasions]
    mark = "; " if any("," in text for text in first) else ", "
    return f" Use when {mark.join(first[:-1])}{mark if first[:-1] else ''}{'or ' if first[:-1] else ''}{first[-1]}."


def _says(phrases: Sequence[str], chinese: bool) -> str:
    if chinese:
        return f"用户说{''.join(f'“{text}”' for text in phrases)}时使用。"
    *first, last = (f'"{text}"' for text in phrases)
    return f" Use when the user says {', '.join(first)} or {last}."


def _for(uses: Sequence[str], chinese: bool) -> str:
    return f"适用于：{'；'.join(uses)}。" if chinese else f" Use for: {'; '.join(uses)}."


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


def _phrases(skill: Skill) -> Sequence[str]:
    """Give the quoted phrases of the first line that names trigger phrases, or of the list below it."""
    doc = skill.main.doc
    for number, line in doc.prose:
        if _PHRASES.search(line):
            below = takewhile(
                _ITEM.match, (doc.line(n) for n in range(number + 1, len(doc.lines) + 1) if doc.line(n).strip())
            )
            found = _QUOTED.findall(line) or [phrase for item in below for phrase in _QUOTED.findall(item)]
            if len(found) >= _LEAST:
                return found
    return ()


def _columns(skill: Skill) -> Sequence[str]:
    """Give the cells of the first table with a column that says when each of its things is used."""
    rows: list[list[str]] = []
    for number, line in (*skill.main.doc.prose, (0, "")):
        if is_row(line):
            rows.append([_MARKUP.sub("", cell).strip() for cell in cells_of(line)])
            continue
        column = next((i for i, cell in enumerate(rows[0]) if _COLUMN.match(cell)), None) if rows else None
        if column is not None:
            cells = [row[column] for row in rows[2:] if len(row) == len(rows[0])]
            return cells if len(cells) >= _LEAST and all(cells) else ()
        if line.strip() or not number:
            rows = []
    return ()


def _cases(skill: Skill) -> Sequence[str]:
    """Give the titles of the headings that number use cases."""
    found = [match[1] for section in skill.main.doc.sections if (match := _CASE.match(section.title))]
    return found if len(found) >= _LEAST else ()


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
_SAID = '## Start\n\n**Trigger phrases**:\n\n- "cut the reeds"\n- "it\'s low"\n- "thatch it"'
_TABLE = "| Tool | Use when | Price |\n|---|---|---|\n| Sickle | Roofs, walls | 3 |\n| Knife | **Mats** | 1 |\n| Saw | DIN sheaves | 4 |"
_USED = "## Common use cases\n\n### Use case 1: Roofs by the sea\n\nCut long.\n\n### Use case 2: Mats and screens\n\nCut short."
_FAELLE = "## 适用场景\n\n- 需要收割芦苇\n- 用户询问屋顶材料"
BEFORE = (
    {"SKILL.md": _HEAD.format("Reed cutter's handbook", _LIST)},
    {"SKILL.md": _HEAD.format('"Cuts: reeds."', _USES)},
    {"SKILL.md": "---\nname: example\ndescription: 芦苇收割手册\n---\n\n# 芦苇\n\n" + _FAELLE + "\n\n低水位时收割。\n"},
    {"SKILL.md": _HEAD.format("Reed cutter's handbook.", _SAID)},
    {"SKILL.md": _HEAD.format("Reed cutter's handbook", _TABLE)},
    {"SKILL.md": _HEAD.format("'Reed handbook'", _USED)},
    {
        "SKILL.md": "---\nname: example\ndescription: 芦苇收割手册。\n---\n\n# 芦苇\n\n触发词：“割芦苇”、“修屋顶”\n\n低水位收割。\n"
    },
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
    {
        "SKILL.md": _HEAD.format(
            'Reed cutter\'s handbook. Use when the user says "cut the reeds", "it\'s low" or "thatch it".', _SAID
        )
    },
    {"SKILL.md": _HEAD.format('"Reed cutter\'s handbook. Use for: Roofs, walls; Mats; DIN sheaves."', _TABLE)},
    {"SKILL.md": _HEAD.format('"Reed handbook. Use for: Roofs by the sea; Mats and screens."', _USED)},
    {
        "SKILL.md": "---\nname: example\ndescription: 芦苇收割手册。用户说“割芦苇”“修屋顶”时使用。\n---\n\n# 芦苇\n\n触发词：“割芦苇”、“修屋顶”\n\n低水位收割。\n"
    },
)
