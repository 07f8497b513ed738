"""A phase reads a file that no phase writes.

What it sees: a later stage reads a data file out of the run's own folder; nothing in the skill writes, lists or
otherwise names that file, and nothing provides for its absence.
Why it is bad: The read fails, or the model makes the content up. Mostly the writer uses another name.
Instead: Write the file in the phase that has the data, or read the name that is written.
May be wrong: A tool outside of the skill leaves the file there.
"""

import re
from collections.abc import Iterator

from actions.model import Case, Skill
from actions.model.artifacts import Mode, Use, artifact_uses, same
from actions.model.file_names import base, is_open
from actions.model.stages import has_stages, is_first
from actions.patterns.pattern import Evidence, Pattern
from schemas.vocabulary import Confidence, Family

PATTERN = Pattern(
    id="DF-006",
    family=Family.DATAFLOW,
    impact=("blocks",),
    confidence=Confidence.MEDIUM,
)
BAD = (
    {
        "phases/01-scan.md": "# Scan\n\nWrite the modules to `${workDir}/modules.json`.\n",
        "phases/02-rank.md": "# Rank\n\n```javascript\nconst risks = JSON.parse(Read(`${workDir}/risk-table.json`))\nconst modules = Read(`${workDir}/modules.json`)\n```\n",
    },
    """# Survey

## Phase 1: Ask
Save the answers to `{run_dir}/answers.json`.

## Phase 2: Group
```python
groups = json.load(open(f"{run_dir}/clusters.json"))
answers = json.load(open(f"{run_dir}/answers.json"))
```
""",
    {
        "phases/01-collect.md": "# 收集\n\n将需求写入 `<session>/requirements.json`。\n",
        "phases/02-design.md": "# 设计\n\n读取 `<session>/requirements.json` 与约束。\n\n根据上一阶段的 `<session>/constraints.json` 给出方案。\n",
    },
    {
        "phases/01-scan.md": "# Scan\n\nSave the hits to `.work/hits.json`.\n",
        "phases/02-judge.md": "# Judge\n\n**Input**:\n- `.work/hit-list.json`\n\nJudge each entry.\n",
    },
)
GOOD = (
    {
        "phases/01-scan.md": "# Scan\n\nWrite the modules to `${workDir}/modules.json`.\n",
        "phases/02-rank.md": "# Rank\n\nRead `${workDir}/modules.json` and rank them.\n",
    },
    {
        "phases/01-scan.md": "# Scan\n\nThe scanner agent leaves one `${workDir}/part-{n}.json` per folder.\n",
        "phases/02-rank.md": "# Rank\n\nRead every `${workDir}/part-*.json`. If `${workDir}/extra.json` exists, read it too.\n",
    },
    """# Survey

## Phase 1: Ask
Read `{project}/package.json` and save the answers to `{run_dir}/answers.json`.

## Phase 2: Group
Read `{run_dir}/answers.json` and `src/config.json`.
""",
)
_HANDED = re.compile(
    r"\bphase\s*\d|\bstep\s*\d|\b(?:previous|prior|earlier|last) (?:phase|step|stage)|上一?个?(?:阶段|步)|前一?(?:阶段|步)|阶段\s*\d",
    re.IGNORECASE,
)


def look(case: Case) -> Iterator[Evidence]:
    """Give each name that is only read, at its first read."""
    skill = case.skill
    if not has_stages(skill):
        return
    uses = artifact_uses(skill)
    roots = {_root(use.name) for use in uses if use.mode is Mode.WRITE and "/" in use.name}
    told: set[str] = set()
    for use in uses:
        if use.mode is not Mode.READ or use.guarded or use.name in told or is_open(use.name):
            continue
        if _is_ours(skill, use, roots) and all(u.mode is Mode.READ and not u.guarded for u in same(uses, use.name)):
            told.add(use.name)
            yield Evidence(use.file, use.line, f"`{base(use.name)}` is read here and no phase writes it.")


def _root(name: str) -> str:
    return name.rsplit("/", 1)[0]


def _is_ours(skill: Skill, use: Use, roots: set[str]) -> bool:
    """Whether the skill's own phases should have made the file."""
    file = skill.by_path[use.file]
    if is_first(skill, file, use.line):
        return False
    if "/" in use.name:
        return _root(use.name) in roots
    return bool(roots) and bool(_HANDED.search(file.doc.line(use.line)))
