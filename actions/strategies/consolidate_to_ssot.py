"""Keeps a passage in the one place that should hold it and puts one linking sentence in place of its copy.

Only whole blocks go, and only where every line of them stands in the place that is kept, in the same words but for articles,
prepositions and endings. Prompts and files of sub-agents,
which read nothing else, keep theirs; so do rules of SKILL.md.
"""

import posixpath

from actions.example import Example
from actions.facts.context.deferral import anchor_of
from actions.facts.docs.blocks import blocks, holds, said
from actions.facts.docs.passages import Passage, between_files, is_for_agents, within_files
from actions.model import Case, Skill, SkillFile
from actions.model.links import links, spans
from actions.model.rules import force_of
from actions.model.skill import MAIN
from actions.model.text import tokens_of
from actions.strategies.edits import Edit, edit
from actions.strategies.strategy import Draft, Strategy
from schemas.records import Issue
from schemas.vocabulary import Risk

STRATEGY = Strategy("consolidate_to_ssot", ("DOC-RED-001", "DOC-RED-004"), Risk.LOW)
_INTRO = (":", "：", ":**", "：**")


def propose(issue: Issue, case: Case) -> Draft | None:
    """Replace the copy by a link; None where the two differ, or a reader would lose what it must see."""
    skill = case.skill
    twin = _twin(skill, issue)
    if twin is None or twin.code or is_for_agents(twin.file) or is_for_agents(twin.other):
        return None
    copy, kept = skill.by_path[twin.file], skill.by_path[twin.other]
    lines = _removable(copy, kept, twin)
    if lines is None or (twin.file == MAIN and any(force_of(copy.doc.line(n)) for n in lines)):
        return None
    link = _link(skill, copy, kept, twin)
    if link is None:
        return None
    change = _replaced(skill, copy, lines, link)
    saved = sum(len(copy.doc.line(n)) for n in range(change.start, change.end + 1)) - sum(map(len, change.lines))
    return Draft(
        writes={copy.path: edit(copy, [change])},
        description=f"Keep the passage in {twin.other} and link to it from {twin.file}.",
        rationale="The same passage stood in two places, and each could be changed without the other.",
        impact="One place says it; the other costs one sentence.",
        token_limit=2 - tokens_of(saved),
        drops=tuple(copy.doc.line(n) for n in range(change.start, change.end + 1)),
    )


def _twin(skill: Skill, issue: Issue) -> Passage | None:
    path, line = issue.location.file, issue.location.line_start
    if issue.pattern == "DOC-RED-001":
        return next((p for p in within_files(skill) if (p.file, p.start) == (path, line)), None)
    return next((p for p in between_files(skill) if (path, line) in ((p.file, p.start), (p.other, p.at))), None)


def _removable(copy: SkillFile, kept: SkillFile, twin: Passage) -> range | None:
    """Give the lines of the whole blocks that the passage touches, if the kept file holds each block."""
    touched = [b for b in blocks(copy.doc) if b[0] <= twin.end and twin.start <= b[1]]
    heads = {section.start for section in copy.doc.sections if section.level}
    if not touched or any(first in heads for first, _ in touched):
        return None
    below = twin.at_end + (twin.end - twin.start) + 5 if kept != copy else touched[0][0] - 1
    there = said(kept.doc, max(1, twin.at - 5), below)
    if not all(holds(there, said(copy.doc, *block)) for block in touched):
        return None
    return range(touched[0][0], touched[-1][1] + 1)


def _link(skill: Skill, copy: SkillFile, kept: SkillFile, twin: Passage) -> str | None:
    """Give the reference to the section that is kept, as a link, or as a path where the skill writes paths."""
    section = kept.doc.section_at(twin.at)
    titles = [anchor_of(s.title) for s in kept.doc.sections if s.level]
    anchor = anchor_of(section.title) if section.level else ""
    if titles.count(anchor) != 1 or (copy != kept and titles[0] == anchor):
        anchor = ""
    if copy == kept:
        same = copy.doc.section_at(twin.start) == section
        return f"[{section.title}](#{anchor})" if anchor and not same else None
    title = section.title if section.level else posixpath.basename(kept.path)
    if not any(links(copy)) and any(spans(copy)):
        named = f"「{title}」一节" if skill.is_chinese else f'"{title}"'
        return f"`{kept.path}`" + ((f" 的{named}" if skill.is_chinese else f", section {named}") if anchor else "")
    path = posixpath.relpath(kept.path, posixpath.dirname(copy.path) or ".")
    return f"[{title}]({path}{'#' if anchor else ''}{anchor})"


def _replaced(skill: Skill, copy: SkillFile, lines: range, link: str) -> Edit:
    """Give the edit: the line that introduces the passage goes on with the link, else a sentence of its own."""
    doc = copy.doc
    before = next((n for n in range(lines.start - 1, lines.start - 3, -1) if doc.line(n).strip()), 0)
    intro = doc.line(before).rstrip()
    if before and intro.endswith(_INTRO) and not doc.fence_at(before) and not intro.lstrip().startswith("#"):
        see = f"见{link}。" if intro.rstrip("*")[-1] == "：" else f" see {link}."
        return Edit(before, lines.stop - 1, [intro + see])
    binds = any(force_of(doc.line(n)) for n in lines)
    english, chinese = ("Follow", "遵循") if binds else ("See", "见")
    gap = " " if link.startswith("`") else ""
    told = f"{chinese}{gap}{link}。" if skill.is_chinese else f"{english} {link}."
    return Edit(lines.start, lines.stop - 1, [told])


_GRADES = (
    "| Grade | Meaning |\n|---|---|\n| A | The claim rests on a primary source that was opened and read in full |\n"
    "| B | The claim rests on one secondary source with a good name |\n| C | The claim rests on memory or on a summary |\n"
    "| D | The claim contradicts a source of grade A |\n"
)
_CHECKS = (
    "- 每一笔付款都必须能对应到一张已审核的发票，否则退回给提交人。\n"
    "- 金额以分为单位保存，展示时再换算为元，不做四舍五入。\n"
    "- 同一供应商一天内的多笔付款要合并成一笔，并在备注里写明发票号。\n"
)
_STYLE = (
    "Write each entry in the past tense and begin it with the verb that says what changed. "
    "Name the person who asked for the change, never the one who typed it. "
    "Close with the release in which a reader will meet the change.\n"
)
_RECORD = (
    "```markdown\n> **Finding**: [what was seen, in one sentence]\n> - **Seen in**: [file and line, or the page of the report]\n"
    "> - **Sure**: [high, medium or low] — **because**: [what it rests on]\n"
    "> - **Changes**: [which earlier finding it confirms, weakens or replaces]\n```\n"
)
BEFORE: tuple[Example, ...] = (
    {
        "SKILL.md": f"# Audit\n\n## Grades\n\n{_GRADES}\nThen read [phase two](phases/02-grade.md).\n",
        "phases/02-grade.md": f"# Grade\n\nGive each claim a grade:\n\n{_GRADES.replace('or on a summary', 'or a summary')}\nWrite the grades down.\n",
    },
    {
        "SKILL.md": "# 付款\n\n先读 `specs/rules.md`，再按 `phases/01-check.md` 执行。\n",
        "specs/rules.md": f"# 规则\n\n{_CHECKS}",
        "phases/01-check.md": f"# 核对\n\n逐笔核对：\n\n{_CHECKS}\n把结果交给用户。\n",
    },
    {
        "SKILL.md": f"# Changelog\n\n## Style\n\n{_STYLE}\nRead `references/review.md` at the end.\n",
        "references/review.md": f"# Review\n\n{_STYLE}\nTell what is wrong, and mend `docs/changes.md`.\n",
    },
    f"# Survey\n\n## How to record\n\n{_RECORD}\n## Rounds\n\nAsk, look, think.\n\n## Report\n\n**Each finding is told so**:\n{_RECORD}\nThen stop.\n",
)
AFTER: tuple[Example, ...] = (
    {
        "SKILL.md": "# Audit\n\n## Grades\n\nSee [Grade](phases/02-grade.md).\n\nThen read [phase two](phases/02-grade.md).\n",
        "phases/02-grade.md": f"# Grade\n\nGive each claim a grade:\n\n{_GRADES.replace('or on a summary', 'or a summary')}\nWrite the grades down.\n",
    },
    {
        "SKILL.md": "# 付款\n\n先读 `specs/rules.md`，再按 `phases/01-check.md` 执行。\n",
        "specs/rules.md": f"# 规则\n\n{_CHECKS}",
        "phases/01-check.md": "# 核对\n\n逐笔核对：见[规则](../specs/rules.md)。\n\n把结果交给用户。\n",
    },
    {
        "SKILL.md": f"# Changelog\n\n## Style\n\n{_STYLE}\nRead `references/review.md` at the end.\n",
        "references/review.md": '# Review\n\nFollow `SKILL.md`, section "Style".\n\nTell what is wrong, and mend `docs/changes.md`.\n',
    },
    f"# Survey\n\n## How to record\n\n{_RECORD}\n## Rounds\n\nAsk, look, think.\n\n## Report\n\n**Each finding is told so**: see [How to record](#how-to-record).\n\nThen stop.\n",
)
