"""Lets one file keep where the run stands: what other files kept becomes a key of it.

Only where the files lie in one folder, have one format, and are named in code spans of the instructions alone; calls and
scripts that read or write them are left to the author.
"""

import posixpath
import re
from collections.abc import Iterator, Mapping

from actions.facts.state.scattered import scattered_states
from actions.skill import Case, Skill, SkillFile
from actions.skill.text import CJK
from actions.strategies.edits import Edit, edit, reworded
from actions.strategies.strategy import Draft, Strategy
from schemas.issues import Issue
from schemas.vocabulary import Confidence, Risk

STRATEGY = Strategy("state_centralization", mends=("DF-001",), risk=Risk.MEDIUM)


def propose(issue: Issue, case: Case) -> Draft | None:
    """Draft the one file; None where a name stands anywhere but in a code span of prose."""
    skill = case.skill
    names = [use.name for found in scattered_states(skill) if found.written for use in found.uses]
    if len({(posixpath.dirname(name), posixpath.splitext(name)[1]) for name in names}) != 1:
        return None
    home = min(names, key=lambda name: (_stem(name) != "state", "state" not in _stem(name)))
    keys = {name: _stem(name).replace("-", "_") for name in names if name != home}
    if not all(_only_in_spans(skill, name) for name in names):
        return None
    changes = {file.path: list(_edits(file, home, keys)) for file in skill.instructions}
    first = next((path for path in changes if home in skill.by_path[path].text), None)
    if first is None:
        return None
    changes[first] = _with_rule(skill.by_path[first], changes[first], home)
    told = {path: found for path, found in changes.items() if found}
    return Draft(
        writes={path: edit(skill.by_path[path], found) for path, found in told.items()},
        description=f"Keep in `{home}` alone where the run stands, with a key for what each other file held.",
        rationale="After a break several files disagree, and nothing says which one is right.",
        impact="One file tells where the run stands.",
        token_limit=40 + 12 * sum(map(len, told.values())),
        rewrites=tuple(line for path, found in told.items() for line in reworded(skill.by_path[path], found)),
        confidence=Confidence.MEDIUM,
    )


def _stem(name: str) -> str:
    return posixpath.splitext(posixpath.basename(name))[0].lower()


def _only_in_spans(skill: Skill, name: str) -> bool:
    base = posixpath.basename(name)
    for file in skill.files:
        for number, line in enumerate(file.doc.lines, 1) if base in file.text else ():
            if base in line and (file.doc.fence_at(number) or line.count(base) != line.count(f"`{name}`")):
                return False
    return True


def _edits(file: SkillFile, home: str, keys: Mapping[str, str]) -> Iterator[Edit]:
    for number, line in file.doc.prose:
        new = line
        for name, key in keys.items():
            told = f"`{home}`（键 `{key}`）" if CJK.search(line) else f"`{home}` (key `{key}`)"
            new = new.replace(f"`{name}`", told)
        if new != line:
            yield Edit(number, number, [new])


def _with_rule(file: SkillFile, edits: list[Edit], home: str) -> list[Edit]:
    """Add after the paragraph that names the file first how it is written."""
    line = next(n for n, text in file.doc.prose if f"`{home}`" in text)
    while file.doc.line(line + 1).strip() and not re.match(r"\s*(?:#|```|\|)", file.doc.line(line + 1)):
        line += 1
    told = (
        f"`{home}` 每项内容一个键；写入一个键时保留其余的键。"
        if file.is_chinese
        else "These are keys of one file; when you write one, keep the others."
    )
    return [*edits, Edit(line + 1, line, ["", told])]


BEFORE = (
    "# Move\n\n## Phase 1\n\nSave where you are to `.run/state.json` and the done steps to `.run/progress.json`.\n\n## Phase 2\n\n"
    "Update `.run/status.json` after each box. If `.run/progress.json` names the box, pass it over.\n",
    {
        "SKILL.md": "# 迁移\n\n依次执行 `phases/1-准备.md` 与 `phases/2-执行.md`。\n",
        "phases/1-准备.md": "# 准备\n\n将进度写入 `work/progress.yaml`，将阶段写入 `work/phase-state.yaml`。\n",
        "phases/2-执行.md": "# 执行\n\n更新 `work/run-status.yaml`，并更新 `work/phase-state.yaml`。\n",
    },
)
AFTER = (
    "# Move\n\n## Phase 1\n\nSave where you are to `.run/state.json` and the done steps to `.run/state.json` (key `progress`).\n\n"
    "These are keys of one file; when you write one, keep the others.\n\n## Phase 2\n\n"
    "Update `.run/state.json` (key `status`) after each box. If `.run/state.json` (key `progress`) names the box, pass it over.\n",
    {
        "SKILL.md": "# 迁移\n\n依次执行 `phases/1-准备.md` 与 `phases/2-执行.md`。\n",
        "phases/1-准备.md": "# 准备\n\n将进度写入 `work/phase-state.yaml`（键 `progress`），将阶段写入 `work/phase-state.yaml`。\n\n"
        "`work/phase-state.yaml` 每项内容一个键；写入一个键时保留其余的键。\n",
        "phases/2-执行.md": "# 执行\n\n更新 `work/phase-state.yaml`（键 `run_status`），并更新 `work/phase-state.yaml`。\n",
    },
)
