"""Moves what only one branch, a late phase or a sub-agent needs out of SKILL.md into files that are read then.

The heading stays with one line that says when to read the file and what it holds; links of the moved text go on to
resolve. Text that SKILL.md and a reference hold in the same words stays in the reference alone. Sections with rules that
bind everywhere, sections that lean on their place ("the table above", `$ARGUMENTS`), and a mandatory ending that is a
mere pointer already, do not move.
"""

from collections.abc import Sequence

from actions.facts.context.budget import lost_rules
from actions.facts.context.deferral import (
    Deferrable,
    deferrables,
    groups_of,
    heavy_groups,
    is_overloaded,
    phases_around,
)
from actions.facts.context.moving import Move, is_movable, moved
from actions.facts.docs.verbatim import copies
from actions.facts.memory.keeping import hidden_ending
from actions.proof.losses import unsaid
from actions.skill import Case, Skill
from actions.skill.text import tokens_of
from actions.strategies.edits import Edit, edit, new_file
from actions.strategies.strategy import Draft, Strategy
from schemas.issues import Issue
from schemas.vocabulary import Risk

STRATEGY = Strategy(
    name="split_to_references",
    mends=("CTX-005", "CTX-006", "TKN-006", "TKN-007"),
    risk=Risk.MEDIUM,
    aliases=("lazy_loading",),
)
_ROUNDING = 4
_TRIALS = 20
_LEAST_COPY = 600


def propose(issue: Issue, case: Case) -> Draft | None:
    """Draft the move for the issue's pattern; None where no set of movable sections mends it."""
    skill = case.skill
    if issue.pattern == "TKN-006":
        return _without_copy(issue, skill)
    chosen = _chosen(issue, skill)
    return _moved(skill, chosen) if chosen else None


def _chosen(issue: Issue, skill: Skill) -> Sequence[Deferrable]:
    if issue.pattern == "TKN-007":
        group = next((g for g in heavy_groups(skill) if g[0].section.start == issue.location.line_start), ())
        movable = [item for item in group if _may_move(skill, item)]
        titles = {item.section.title for item in group}
        rest = heavy_groups(_trial(skill, movable))
        return () if any(item.section.title in titles for g in rest for item in g) else movable
    return _enough(skill, issue.pattern)


def _enough(skill: Skill, pattern: str) -> Sequence[Deferrable]:
    """Give as few of the heaviest groups as mend the pattern, then single sections; none if all together do not."""
    singles = [(item,) for item in deferrables(skill)]
    heavy = [group for group in groups_of(deferrables(skill)) if len(group) > 1]
    groups = sorted(heavy, key=_weight, reverse=True) + sorted(singles, key=_weight, reverse=True)
    if pattern == "CTX-006":
        groups += [(item,) for item in phases_around(skill, (rule.line for rule in lost_rules(skill)))]
    chosen: list[Deferrable] = []
    for group in groups[:_TRIALS]:
        fresh = [item for item in group if not _overlaps(item, chosen) and _may_move(skill, item)]
        chosen = sorted([*chosen, *fresh], key=lambda item: item.section.start)
        trial = _trial(skill, chosen)
        if fresh and not (lost_rules(trial) if pattern == "CTX-006" else is_overloaded(trial)):
            return chosen
    return ()


def _may_move(skill: Skill, item: Deferrable) -> bool:
    """Tell whether a section can go, and does not hide an ending deeper that is a mere pointer already."""
    ending = hidden_ending(skill)
    hides = ending is not None and item.section.start <= ending.section.start <= item.section.end
    return not hides and is_movable(skill, item)


def _overlaps(item: Deferrable, chosen: Sequence[Deferrable]) -> bool:
    section = item.section
    return any(c.section.start <= section.end and section.start <= c.section.end for c in chosen)


def _weight(group: Sequence[Deferrable]) -> int:
    return sum(item.tokens for item in group)


def _writes(skill: Skill, result: Move) -> dict[str, bytes | None]:
    writes: dict[str, bytes | None] = {path: _filed(skill, path, lines) for path, lines in result.files.items()}
    whole = Edit(1, len(skill.main.doc.lines), result.main)
    return {**writes, skill.main.path: edit(skill.main, [whole])}


def _filed(skill: Skill, path: str, lines: Sequence[str]) -> bytes:
    known = skill.by_path.get(path)
    if known is None:
        return new_file("\n".join(lines))
    end = len(known.doc.lines)
    return edit(known, [Edit(end + 1, end, lines)])


def _trial(skill: Skill, items: Sequence[Deferrable]) -> Skill:
    return skill.replaced(_writes(skill, moved(skill, items))) if items else skill


def _moved(skill: Skill, items: Sequence[Deferrable]) -> Draft:
    result = moved(skill, items)
    writes = _writes(skill, result)
    names = ", ".join(f"“{item.section.title}”" for item in items)
    tokens = sum(item.tokens for item in items)
    return Draft(
        writes=writes,
        description=f"Moves {names} to {', '.join(path for path in writes if path != skill.main.path)}.",
        rationale="Only some uses of the skill, or only its late phases, need this text.",
        impact=f"SKILL.md is about {tokens} tokens shorter; the text is read when it is needed.",
        token_limit=_size(skill.replaced(writes)) - _size(skill) + _ROUNDING,
        rewrites=result.reworded,
    )


def _size(skill: Skill) -> int:
    return skill.body_tokens + skill.on_demand_tokens


def _without_copy(issue: Issue, skill: Skill) -> Draft | None:
    start = issue.location.line_start
    files = (file for file in skill.instructions if file is not skill.main)
    found = next((c for file in files for c in copies(skill.main, file, _LEAST_COPY) if c.start == start), None)
    if found is None:
        return None
    told = f"[{found.other}]({found.other})"
    line = f"详见 {told}，需要时阅读。" if skill.is_chinese else f"Read {told} when you need the details."
    writes = {skill.main.path: edit(skill.main, [Edit(found.start, found.end, [line])])}
    copy = skill.main.doc.lines[found.start - 1 : found.end]
    return Draft(
        writes=writes,
        description=f"Replaces the copy in SKILL.md by a reference to {found.other}.",
        rationale="The same words stand in the reference.",
        impact=f"SKILL.md is about {tokens_of(found.characters)} tokens shorter.",
        token_limit=0,
        drops=unsaid(skill, skill.replaced(writes), copy),
    )


_CRATES = "".join(
    f"- Look up crate {n} in the harbour's book and note its weight, its owner and its next port.\n" for n in range(100)
)
_CUSTOMS = "".join(
    f"- Ask officer {n} for the seal number and write it into column {n} of [the form](forms/seal.md).\n"
    for n in range(50)
)
_FIELDS = "".join(
    f"字段 {n} 保存第 {n} 周的入账金额，单位为分，来源是财务系统在当周周一导出的汇总表格文件。\n\n" for n in range(390)
)
_REPAIR = "".join(
    f"- 打开第 {n} 个备份文件，与当前表格逐行比较，并把差异写入修复记录的第 {n} 行，注明来源。\n" for n in range(100)
)
_CODES = "".join(
    f"| `E{n:03}` | The record {n} has no owner | Ask the owner of folder {n} to claim it |\n" for n in range(1, 9)
)
_TABLE = f"| Code | Meaning | Remedy |\n|---|---|---|\n{_CODES}"
_FORM = "# Seal\n\nOne line per seal.\n"

BEFORE = (
    {
        "SKILL.md": f"# Harbour\n\nNever open a sealed crate.\n\n## Crates\n\n{_CRATES}\n"
        f"## If customs stops the ship\n\nSee [the pledge](#pledge).\n\n### Seals\n\n{_CUSTOMS}\n---\n\n"
        "## Pledge\n\nWe hide nothing, [seals](#seals) least of all.\n",
        "forms/seal.md": _FORM,
    },
    {
        "SKILL.md": f"# 导出\n\n## 如果表格损坏\n\n{_REPAIR}\n## 字段\n\n{_FIELDS}## 收尾\n\n发送之前必须得到用户确认。\n"
    },
    {
        "SKILL.md": f"# Audit\n\n## Errors\n\n{_TABLE}\n## Closing\n\nRead [errors](references/errors.md) once more.\n",
        "references/errors.md": f"# Errors\n\n{_TABLE}",
    },
    {
        "SKILL.md": f"# 导出\n\n## 字段\n\n{_FIELDS}## 如果表格损坏\n\n### 步骤 1：比较（逐行）\n\n{_REPAIR}\n### 2. 记录\n\n告知用户。\n"
    },
)
AFTER = (
    {
        "SKILL.md": f"# Harbour\n\nNever open a sealed crate.\n\n## Crates\n\n{_CRATES}\n## If customs stops the ship\n\n"
        "Read [references/if-customs-stops-the-ship.md](references/if-customs-stops-the-ship.md) when this applies, "
        "and follow it.\n\n---\n\n"
        "## Pledge\n\nWe hide nothing, [seals](references/if-customs-stops-the-ship.md#seals) least of all.\n",
        "references/if-customs-stops-the-ship.md": "# If customs stops the ship\n\nSee [the pledge](../SKILL.md#pledge).\n\n"
        f"## Seals\n\n{_CUSTOMS.replace('](forms', '](../forms')}",
        "forms/seal.md": _FORM,
    },
    {
        "SKILL.md": "# 导出\n\n## 如果表格损坏\n\n仅在此情况适用时阅读 "
        "[references/如果表格损坏.md](references/如果表格损坏.md)，并按其执行。\n\n"
        f"## 字段\n\n{_FIELDS}## 收尾\n\n发送之前必须得到用户确认。\n",
        "references/如果表格损坏.md": f"# 如果表格损坏\n\n{_REPAIR}",
    },
    {
        "SKILL.md": "# Audit\n\n## Errors\n\nRead [references/errors.md](references/errors.md) when you need the details.\n\n"
        "## Closing\n\nRead [errors](references/errors.md) once more.\n",
        "references/errors.md": f"# Errors\n\n{_TABLE}",
    },
    {
        "SKILL.md": f"# 导出\n\n## 字段\n\n{_FIELDS}## 如果表格损坏\n\n仅在此情况适用时阅读 "
        "[references/如果表格损坏.md](references/如果表格损坏.md)，并按其执行。内容：比较、记录。\n",
        "references/如果表格损坏.md": f"# 如果表格损坏\n\n## 步骤 1：比较（逐行）\n\n{_REPAIR}\n## 2. 记录\n\n告知用户。\n",
    },
)
