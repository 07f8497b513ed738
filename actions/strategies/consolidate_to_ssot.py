"""Keeps a passage in the one place that should hold it and puts one linking sentence in place of its copy.

Only whole blocks go, and only where every line of them stands in the place that is kept: in the same words, or in
others that say and bind the same; where an item of the copy only adds to one that is kept, that one takes the addition.
A table whose rows stand in several files is replaced by a link to each. Prompts and files of sub-agents, which read
nothing else, keep theirs; so do rules of SKILL.md.
"""

import posixpath
from collections.abc import Iterator
from dataclasses import dataclass, replace

from actions.example import Example
from actions.facts.docs.blocks import Block, blocks, holds, is_table_head, label_of, said
from actions.facts.docs.glossaries import TwinLists, twin_lists
from actions.facts.docs.passages import Passage, between_files, is_for_agents, within_files
from actions.facts.docs.pointing import beside, references_to, sends_already
from actions.facts.docs.repetition import Repetition, repetitions
from actions.facts.docs.saying import adds_nothing, goes_on
from actions.proof.losses import unsaid
from actions.skill import Case, Skill, SkillFile
from actions.skill.document import Document
from actions.skill.rules import force_of
from actions.skill.skill import MAIN
from actions.skill.text import strip_list_mark, tokens_of, words
from actions.strategies.edits import Edit, edit
from actions.strategies.strategy import Draft, Strategy
from schemas.issues import Issue
from schemas.vocabulary import Risk

STRATEGY = Strategy("consolidate_to_ssot", ("DOC-RED-001", "DOC-RED-004", "TKN-001"), Risk.LOW)
_INTRO = (":", "：", ":**", "：**")
_AROUND = 5


@dataclass(frozen=True)
class _Copy:
    """Lines of a file that say nothing that the places kept do not say."""

    file: SkillFile
    lines: range
    kept: tuple[Passage, ...]


def propose(issue: Issue, case: Case) -> Draft | None:
    """Replace the copy by a link; None where the two differ, or a reader would lose what it must see."""
    skill = case.skill
    twin = _twin(skill, issue)
    if twin is None or twin.code or is_for_agents(twin.file) or is_for_agents(twin.other):
        return None
    draft = _of_blocks(skill, twin) or _of_fuller(skill, twin) or _of_template(skill, twin)
    if draft is None:
        return None
    after = skill.replaced(draft.writes)
    return draft if len(_twins(after, issue.pattern)) < len(_twins(skill, issue.pattern)) else None


def _of_blocks(skill: Skill, twin: Passage) -> Draft | None:
    copy = _copy(skill, twin)
    if copy is None or _binds_only_here(copy):
        return None
    told = references_to(skill, copy.file, copy.lines, copy.kept)
    mark = "和" if skill.is_chinese else " and "
    return _draft(skill, copy, _replaced(skill, copy, mark.join(filter(None, told)))) if all(told) else None


def _of_fuller(skill: Skill, twin: Passage) -> Draft | None:
    """Let the list that is kept go on where the copy's items do, in the same words; then the copy gives way."""
    file, kept = skill.by_path[twin.file], skill.by_path[twin.other]
    place = range(twin.at, twin.at_end + 1)
    items = [file.doc.line(n) for n in range(twin.start, twin.end + 1)]
    fuller = {n: item for n in place for item in items if goes_on(item, kept.doc.line(n))}
    if twin.file == twin.other or not 0 < 2 * len(fuller) <= len(items):
        return None
    edits = [Edit(n, n, [_with_mark(kept.doc.line(n), item)]) for n, item in fuller.items()]
    changed = {twin.other: edit(kept, edits)}
    draft = _of_blocks(skill.replaced(changed), twin)
    if draft is None or twin.other in draft.writes:
        return None
    grown = sum(len(item) - len(kept.doc.line(n)) for n, item in fuller.items())
    after = skill.replaced({**changed, **draft.writes})
    return replace(
        draft,
        writes={**changed, **draft.writes},
        description=f"{draft.description} Items of the copy that say more are taken over.",
        token_limit=draft.token_limit + tokens_of(grown) + 2,
        drops=(*draft.drops, *unsaid(skill, after, [kept.doc.line(n) for n in fuller])),
    )


def _with_mark(line: str, item: str) -> str:
    """Give an item behind the list mark that a line has."""
    return line.removesuffix(strip_list_mark(line)) + strip_list_mark(item)


def _of_template(skill: Skill, twin: Passage) -> Draft | None:
    """Put one comment in place of a part of a Markdown template whose lines a section above shows."""
    file = skill.by_path[twin.file]
    doc, fence = file.doc, file.doc.fence_at(twin.start)
    title = doc.section_at(twin.at).title
    if fence is None or fence.lang not in ("markdown", "md") or twin.other != twin.file or not title:
        return None
    part = range(twin.start, twin.end + 1)
    edges = (doc.line(part.start - 1).strip(), doc.line(part.stop).strip())
    lead = label_of(edges[0]) != "" and label_of(edges[0]) == label_of(doc.line(twin.at - 1))
    whole = all(not edge or edge.startswith(("#", "```")) for edge in edges[lead:])
    above = [doc.line(n) for n in range(*_span(twin, (part.start, part.stop)))]
    if not whole or not all(
        any(adds_nothing(doc.line(n), kept) for kept in above) for n in part if doc.line(n).strip()
    ):
        return None
    english, chinese = ("Go on as", "其余") if lead else ("Use the format", "")
    told = f"{chinese}使用「{title}」一节的格式" if skill.is_chinese else f"{english} under “{title}”"
    mark = "> " if doc.line(part.start).startswith(">") and lead else ""
    return _draft(skill, _Copy(file, part, (twin,)), Edit(part.start, part.stop - 1, [f"{mark}<!-- {told} -->"]))


def _span(twin: Passage, block: Block) -> Block:
    first, last = _place(twin, block)
    return first, last + 1


def _draft(skill: Skill, copy: _Copy, change: Edit) -> Draft:
    gone = copy.file.doc.lines[change.start - 1 : change.end]
    intro = copy.lines.start - change.start
    saved = sum(map(len, gone)) - sum(map(len, change.lines))
    writes = {copy.file.path: edit(copy.file, [change])}
    after = skill.replaced(writes)
    kept = " and ".join(dict.fromkeys(twin.other for twin in copy.kept))
    return Draft(
        writes=writes,
        description=f"Keep the passage in {kept} and link to it from {copy.file.path}.",
        rationale="The same passage stood in two places, and each could be changed without the other.",
        impact="One place says it; the other costs one sentence.",
        token_limit=2 - tokens_of(saved),
        drops=unsaid(skill, after, gone[intro:]),
        rewrites=unsaid(skill, after, gone[:intro]),
    )


def _twins(skill: Skill, pattern: str) -> tuple[Passage, ...]:
    """Give what the pattern sees, each with the place that is kept."""
    if pattern == "DOC-RED-004":
        return between_files(skill)
    lists = twin_lists if pattern == "DOC-RED-001" else repetitions
    found = (_listed_twice(f, g) for f in (skill.main, *skill.phases) for g in lists(f))
    return (*within_files(skill), *found) if pattern == "DOC-RED-001" else tuple(found)


def _listed_twice(file: SkillFile, found: TwinLists | Repetition) -> Passage:
    at = found.at if isinstance(found, TwinLists) else found.first
    return Passage(file.path, found.start, found.end, file.path, at, at + found.end - found.start, 0, False)


def _twin(skill: Skill, issue: Issue) -> Passage | None:
    place = issue.location.file, issue.location.line_start
    found = _twins(skill, issue.pattern) if len(issue.evidence) > 1 or issue.pattern != "TKN-001" else ()
    turned = issue.pattern == "DOC-RED-004"
    return next((p for p in found if place == (p.file, p.start) or (turned and place == (p.other, p.at))), None)


def _copy(skill: Skill, twin: Passage) -> _Copy | None:
    """Give the blocks of the passage, side by side, that the kept places hold; the largest such run."""
    file = skill.by_path[twin.file]
    touched = [b for b in _without_intros(file.doc) if b[0] <= twin.end and twin.start <= b[1]]
    held = [(block, _holding(skill, file, block, twin)) for block in touched]
    whole = held if twin.words and all(kept for _, kept in held) else []
    best = whole or max(([one] for one in held if one[1] and _is_introduced(file.doc, one[0])), key=_size, default=[])
    if not best:
        return None
    kept = tuple(dict.fromkeys(p for _, found in best for p in found))
    return _Copy(file, range(best[0][0][0], best[-1][0][1] + 1), kept)


def _without_intros(doc: Document) -> Iterator[Block]:
    """Give the blocks of a file; a line that introduces the rest of its block stays out of it."""
    for first, last in blocks(doc):
        yield (first + 1, last) if first < last and _introduces(doc, first) else (first, last)


def _introduces(doc: Document, number: int) -> bool:
    return doc.line(number).rstrip().endswith(_INTRO) and not doc.fence_at(number)


def _is_introduced(doc: Document, block: Block) -> bool:
    return any(_introduces(doc, n) for n in (block[0] - 1, block[0] - 2))


def _size(run: list[tuple[Block, tuple[Passage, ...]]]) -> int:
    return sum(last - first + 1 for (first, last), _ in run)


def _holding(skill: Skill, file: SkillFile, block: Block, twin: Passage) -> tuple[Passage, ...]:
    """Give the passages whose other places together hold each line of a block; none if a line would be lost."""
    mine = within_files(skill) if twin.file == twin.other else between_files(skill)
    near = sorted(
        (p for p in {twin, *mine} if p.file == file.path and p.start <= block[1] and block[0] <= p.end and not p.code),
        key=lambda p: p.start,
    )
    if any(section.level and section.start == block[0] for section in file.doc.sections):
        return ()
    if file.doc.fence_at(block[0]):
        kept = skill.by_path[twin.other].doc
        return (twin,) if holds(said(kept, *_place(twin, block)), said(file.doc, *block)) else ()
    used: list[Passage] = []
    for number in range(block[0], block[1] + 1):
        line = file.doc.line(number)
        if is_table_head(file.doc, number):
            continue
        found = next((p for p in near if any(adds_nothing(_bare(line, p), k) for k in _there(skill, p, block))), None)
        if found is None or is_for_agents(found.other):
            return ()
        used.append(found)
    return tuple(dict.fromkeys(used))


def _place(twin: Passage, block: Block) -> Block:
    """Give the lines around the place that is kept; in the same file only those above the copy."""
    below = twin.at_end + _AROUND
    return max(1, twin.at - _AROUND), min(below, block[0] - 1) if twin.other == twin.file else below


def _there(skill: Skill, twin: Passage, block: Block) -> Iterator[str]:
    first, last = _place(twin, block)
    return (skill.by_path[twin.other].doc.line(n) for n in range(first, last + 1))


def _bare(line: str, twin: Passage) -> str:
    """Give a table row without a first cell that only names the file that is kept by its number."""
    first, mark, rest = line.strip().lstrip("|").partition("|")
    numbers = {word.lstrip("0") for word in words(posixpath.basename(twin.other)) if word.isdigit()}
    return rest if mark and first.strip() in numbers else line


def _binds_only_here(copy: _Copy) -> bool:
    """Tell whether rules of SKILL.md, which is always loaded, would move to a file that is not."""
    bound = any(force_of(copy.file.doc.line(n)) for n in copy.lines)
    return copy.file.path == MAIN and bound and any(twin.other != MAIN for twin in copy.kept)


def _replaced(skill: Skill, copy: _Copy, link: str) -> Edit:
    """Give the edit: the line that introduces the passage goes on with the link, else a sentence of its own."""
    doc, lines = copy.file.doc, copy.lines
    before = next((n for n in range(lines.start - 1, lines.start - 3, -1) if doc.line(n).strip()), 0)
    intro = doc.line(before).rstrip()
    introduced = before and _introduces(doc, before) and not intro.lstrip().startswith("#")
    if introduced and intro[-1] in ":：" and sends_already(skill, copy.file, [before], copy.kept):
        return Edit(before, lines.stop - 1, [intro[:-1] + ("。" if intro[-1] == "：" else ".")])
    if not introduced and sends_already(skill, copy.file, beside(copy.file, lines), copy.kept):
        return Edit(lines.start, lines.stop - 1 + (not doc.line(lines.stop).strip()), [])
    if introduced:
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
_LATER = _RECORD[12:-5].replace("[what was seen, in one sentence]", "[what this round has found]")
_ASK = (
    "| The user names no folder | Ask for it once, then take the current one and say so in the report |\n"
    "| The folder holds no scans at all | Tell the user which endings were looked for, and stop there |\n"
    "| Two scans carry the same number | Show both to the user side by side and keep the newer one of them |\n"
)
_FILE = (
    "| The archive is full to the last byte | Free the oldest export, tell the user which one it was |\n"
    "| A label has no date on it | Take the date of the scan and mark it with a question mark in the index |\n"
    "| The index turns out to be broken | Rebuild it from the labels, once, and report how many of them were read |\n"
)
_WHEN = "| When | Do |\n|---|---|\n"
_ROWS = "| Phase | When | Do |\n|---|---|---|\n"
_PROMPT = (
    "- 逐页核对扫描件与目录，找出缺页、重复页和顺序颠倒的页\n- 用目录中的编号命名每一页，编号之间用连字符分隔\n"
    "- 把模糊的页单独列出，并写明模糊发生在页面的哪个位置\n- 生成核对报告 `report.md`，每一处问题占一行\n"
)
_HABITS = (
    "1. **Keep slips**: each slip of the day goes into the tin by the door\n"
    "2. **Lock up**: the notes of every evening go into the vault\n"
    "3. **Count twice**: a second clerk counts what the first one has counted\n"
    "4. **Book late money**: what comes after the bell is booked on the same day\n"
)
_AGENTEN = (
    "- `scout`：在代码库中查找与任务有关的文件，并列出每个文件的用途和最近的修改时间\n"
    "- `judge`：按照规范逐条检查每个文件，给出结论以及对应的依据和所在的行号\n"
)
_SCHRITTE = "".join(f"\n{n}. 查看{word}，记录所见。\n" for n, word in enumerate("门 顶 墙 地 窗 灯".split(), 1))
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
    {
        "SKILL.md": f"# File\n\nRead [ask](phases/1-ask.md), then [file](phases/2-file.md).\n\n## Errors\n\n{_ROWS}{_ASK.replace('| The', '| 1 | The').replace('| Two', '| 1 | Two')}"
        f"{_FILE.replace('| The', '| 2 | The').replace('| A l', '| 2 | A l')}\nThen stop.\n",
        "phases/1-ask.md": f"# Ask\n\nAsk for the folder.\n\n## Errors\n\n{_WHEN}{_ASK}",
        "phases/2-file.md": f"# File\n\nFile the scans.\n\n## Errors\n\n{_WHEN}{_FILE}",
    },
    "# 核对\n\n代理失败时询问用户。\n\n## 执行\n\n```js\nconst r = Task({ prompt: `核对扫描件：\n"
    f"{_PROMPT}` }})\nif (!r) return\n```\n\n**预期行为**：\n{_PROMPT.replace('并写明', '写明')}\n**输出**：核对报告。\n",
    f"# Survey\n\n## Rounds\n\nAsk, look, think.\n\n## How to record\n\n{_RECORD}\n## Report\n\n```markdown\n# Report\n\n## Finding\n\n{_RECORD[12:-5]}\n\n## Next\n\n[what to do]\n```\n",
    f"# 勘查\n\n调用 Task 时若代理失败则报告。\n\n## 代理\n\n**第一步**：\n{_AGENTEN}\n## 步骤\n{_SCHRITTE}\n## 附录\n\n**用到的代理**：\n{_AGENTEN}\n完成后通知用户。\n",
    {
        "SKILL.md": f"# Audit\n\n## Grades\n\nThe grades follow [the list of them](specs/grades.md).\n\n{_GRADES}\n## Close\n\nStop.\n",
        "specs/grades.md": f"# Grades\n\n{_GRADES}",
    },
    {
        "SKILL.md": f"# 付款\n\n按照 `specs/rules.md` 逐笔核对：\n\n{_CHECKS.replace('必须', '')}\n## 收尾\n\n告知用户。\n",
        "specs/rules.md": f"# 规则\n\n{_CHECKS.replace('必须', '')}",
    },
    {
        "SKILL.md": f"# Pay\n\n## Habits\n\n{_HABITS}\nRead [cases](references/cases.md).\n",
        "references/cases.md": f"# Cases\n\nTwo of them.\n\n## Habits\n\n{_HABITS.replace('the vault', 'the vault, not the drawer')}",
    },
    f"# Survey\n\n## How to record\n\n{_RECORD}\n## Rounds\n\nAsk, look, think.\n\n## Report\n\n```markdown\n# Report\n\n{_LATER}\n\n## Next\n\n[what to do]\n```\n",
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
    {
        "SKILL.md": "# File\n\nRead [ask](phases/1-ask.md), then [file](phases/2-file.md).\n\n## Errors\n\n"
        "See [Ask](phases/1-ask.md#errors) and [File](phases/2-file.md#errors).\n\nThen stop.\n",
        "phases/1-ask.md": f"# Ask\n\nAsk for the folder.\n\n## Errors\n\n{_WHEN}{_ASK}",
        "phases/2-file.md": f"# File\n\nFile the scans.\n\n## Errors\n\n{_WHEN}{_FILE}",
    },
    "# 核对\n\n代理失败时询问用户。\n\n## 执行\n\n```js\nconst r = Task({ prompt: `核对扫描件：\n"
    f"{_PROMPT}` }})\nif (!r) return\n```\n\n**预期行为**：见上面的代码块。\n\n**输出**：核对报告。\n",
    f"# Survey\n\n## Rounds\n\nAsk, look, think.\n\n## How to record\n\n{_RECORD}\n## Report\n\n```markdown\n# Report\n\n## Finding\n\n<!-- Use the format under “How to record” -->\n\n## Next\n\n[what to do]\n```\n",
    f"# 勘查\n\n调用 Task 时若代理失败则报告。\n\n## 代理\n\n**第一步**：\n{_AGENTEN}\n## 步骤\n{_SCHRITTE}\n## 附录\n\n**用到的代理**：见[代理](#代理)。\n\n完成后通知用户。\n",
    {
        "SKILL.md": "# Audit\n\n## Grades\n\nThe grades follow [the list of them](specs/grades.md).\n\n## Close\n\nStop.\n",
        "specs/grades.md": f"# Grades\n\n{_GRADES}",
    },
    {
        "SKILL.md": "# 付款\n\n按照 `specs/rules.md` 逐笔核对。\n\n## 收尾\n\n告知用户。\n",
        "specs/rules.md": f"# 规则\n\n{_CHECKS.replace('必须', '')}",
    },
    {
        "SKILL.md": f"# Pay\n\n## Habits\n\n{_HABITS.replace('the vault', 'the vault, not the drawer')}\nRead [cases](references/cases.md).\n",
        "references/cases.md": "# Cases\n\nTwo of them.\n\n## Habits\n\nSee [Habits](../SKILL.md#habits).\n",
    },
    f"# Survey\n\n## How to record\n\n{_RECORD}\n## Rounds\n\nAsk, look, think.\n\n## Report\n\n```markdown\n# Report\n\n{_LATER.splitlines()[0]}\n> <!-- Go on as under “How to record” -->\n\n## Next\n\n[what to do]\n```\n",
)
