"""Says where a run notes what is done, and to go on from there when it begins anew."""

from actions.facts.memory.admitting import no_way_back, nothing_kept
from actions.facts.memory.keeping import state_file, where_stages_are_listed
from actions.skill import Case, Skill
from actions.strategies.edits import Edit, edit
from actions.strategies.strategy import Draft, Strategy
from schemas.issues import Issue
from schemas.vocabulary import Risk

STRATEGY = Strategy("checkpoint_restore", mends=("MEM-003", "MEM-006"), risk=Risk.LOW)

_FILES = {
    f"phases/0{n}-{name}.md": f"# {name.title()}\n\nThink about the {name} with the user.\n"
    for n, name in enumerate(("guests", "menu", "rooms", "music", "costs"), 1)
}
_LIST = "# Feast\n\n## Phases\n\n" + "".join(f"{n}. [{p}]({p})\n" for n, p in enumerate(_FILES, 1))
_STEPS = "".join(
    f"\n## Step {n}\n\nPick the {what}.\n" for n, what in enumerate(("town", "sights", "order", "paper"), 1)
)
_MAP = '\nWrite("map.md", map) at the end.\n'
_SHI = "".join(
    f"\n## 第{n}步\n\n与用户谈{what}。\n" for n, what in enumerate(("日期", "公司", "价格", "时间", "清单"), 1)
)

BEFORE = (
    {"SKILL.md": _LIST, **_FILES},
    f"# Tour\n\nKeep `tour/state.json` up to date.\n{_STEPS}{_MAP}",
    f'# 搬家\n\n先用 Task(subagent_type="Explore", prompt="查找本地的搬家公司并比较价格") 查找；代理失败时报告。\n{_SHI}',
)
AFTER = (
    {
        "SKILL.md": _LIST
        + "\nAfter each phase, write to `progress.md` what is done and what was found. If that file exists when a run begins,"
        " read it first and go on with the first phase that is not done.\n",
        **_FILES,
    },
    f"# Tour\n\nKeep `tour/state.json` up to date.\n\nIf `tour/state.json` exists when a run begins, read it first and go on with the first step that is not done.\n{_STEPS}{_MAP}",
    f'# 搬家\n\n先用 Task(subagent_type="Explore", prompt="查找本地的搬家公司并比较价格") 查找；代理失败时报告。\n\n'
    f"每个阶段完成后，将已完成的内容和结果写入 `progress.md`。开始时若该文件已存在，先读取它，再从第一个未完成的阶段继续。\n{_SHI}",
)


def propose(issue: Issue, case: Case) -> Draft | None:
    """Add the sentences where the stages are listed.

    A hidden ending needs a writer who knows what it holds, and one who takes back what the skill says of keeping nothing.
    """
    if nothing_kept(case.skill) or no_way_back(case.skill):
        return None
    if issue.pattern == "MEM-006" and issue.severity != "low":
        return None
    kept = state_file(case.skill) if issue.pattern == "MEM-006" else None
    if issue.pattern == "MEM-006" and kept is None:
        return None
    file, line = where_stages_are_listed(case.skill)
    while line > file.doc.body_start and not file.doc.line(line).strip():
        line -= 1
    said = _resume(case.skill, kept[2]) if kept else _checkpoint(case.skill)
    return Draft(
        writes={file.path: edit(file, [Edit(line + 1, line, ["", said])])},
        description="Says where a run notes what is done, and to go on from there.",
        rationale="After a compaction or in a new session the conversation is gone; only files are left.",
        impact="A run that was broken off goes on where it stood.",
        token_limit=70,
    )


def _stage(skill: Skill) -> str:
    return "phase" if skill.phases or "phase" in skill.body.lower() else "step"


def _checkpoint(skill: Skill) -> str:
    if skill.main.is_chinese:
        return "每个阶段完成后，将已完成的内容和结果写入 `progress.md`。开始时若该文件已存在，先读取它，再从第一个未完成的阶段继续。"
    stage = _stage(skill)
    return (
        f"After each {stage}, write to `progress.md` what is done and what was found. If that file exists when a run begins,"
        f" read it first and go on with the first {stage} that is not done."
    )


def _resume(skill: Skill, path: str) -> str:
    if skill.main.is_chinese:
        return f"开始时若 `{path}` 已存在，先读取它，再从第一个未完成的阶段继续。"
    return f"If `{path}` exists when a run begins, read it first and go on with the first {_stage(skill)} that is not done."
