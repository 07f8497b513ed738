"""The state of the run is scattered over several files.

What it sees: three or more files that each keep where the run stands (`state.json`, `progress.json`, `status.yaml`),
written by the skill; a paragraph that spreads what the run knows over four or more data files,
or over three with one name in all (`order-stage.json`, `order-proofs.json`).
Why it is bad: After a break they disagree, and no phase knows which one is right.
Instead: Keep one state file with one section per concern.
May be wrong: The files belong to different workers, each with its own.
"""

from collections.abc import Iterator

from actions.facts.dataflow.file_names import base
from actions.facts.state.scattered import scattered_states
from actions.patterns.pattern import Evidence, Pattern
from actions.skill import Case
from schemas.vocabulary import Confidence, Family

PATTERN = Pattern(
    id="DF-001",
    family=Family.DATAFLOW,
    impact=("loses",),
    confidence=Confidence.MEDIUM,
    strategies=("state_centralization",),
)
BAD = (
    "# 批次\n\n进度记在 `run/progress.json`，温度记在 `run/temps.json`，答复记在 `run/answers.json`，当前阶段记在 `run/stage.txt`。\n",
    "# Log\n\nGravity goes to `gravity.json`, temperature to `temps.json`, the stage to `stage.json` and the notes to\n`notes.json`.\n",
    "# Move\n\n## Phase 1\nSave where you are to `.run/state.json` and the done steps to `.run/progress.json`.\n\n## Phase 2\nUpdate `.run/status.json` after each box.\n",
    {
        "SKILL.md": "# 迁移\n\n依次执行 `phases/1-准备.md` 与 `phases/2-执行.md`。\n",
        "phases/1-准备.md": "# 准备\n\n将进度写入 `work/progress.yaml`，将阶段写入 `work/phase-state.yaml`。\n",
        "phases/2-执行.md": "# 执行\n\n更新 `work/run-status.yaml`。\n",
    },
    "# Beer\n\nGravity goes to `gravity.json`, temperature to `temps.json`, the stage to `stage.json`, additions to `hops.json` and remarks\nto `remarks.json`.\n",
    "# 审查\n\n进度记在 `run/progress.json`，风险记在 `run/risks.json`，答复记在 `run/answers.json`，当前阶段记在 `run/stage.txt`。\n",
    "# Run\n\n```python\njson.dump(stage, open('work/stage.json', 'w'))\njson.dump(done, open('work/done.json', 'w'))\njson.dump(answers, open('work/answers.json', 'w'))\njson.dump(errors, open('work/errors.json', 'w'))\n```\n",
    "# Post\n\nWhere the run stands: the next letter is in `post/next.json`, the sorted ones in `post/sorted.json`, the answers in `post/answers.json`, the counts in `post/counts.json`.\n",
    "# Post\n\nThe state of the run:\n\n- `post/cursor.json`: the next letter\n- `post/sorted.json`: the sorted ones\n- `post/answers.json`: the answers\n- `post/tries.json`: how often\n\nAll are written after each letter.\n",
    "# Order\n\nThe stage stands in `order-stage.json`, the proofs in `order-proofs.json`, the complaints in `order-complaints.json`.\n",
    "# Bats\n\n```js\nsaveJson('bats/where.json', night)\nsaveJson('bats/done.json', nights)\nsaveJson('bats/pending.json', rest)\n```\n",
)
GOOD = (
    "# Move\n\n## Phase 1\nSave where you are to `.run/state.json`.\n\n## Phase 2\nUpdate `.run/state.json` after each box.\n",
    "# Move\n\nEach worker writes its own `.run/{worker}/state.json`, `.run/{worker}-status.json` and `.run/{worker}-progress.json`.\n",
    "# Beer\n\nGravity, temperature, stage and remarks all go to `batch.json`.\n",
    "# Export\n\nWrite the rooms to `rooms.csv`, the prices to `prices.json`, the guests to `guests.json` and the bills to `bills.json`.\n",
    "# 出版\n\n成品：`out/cover.json`、`out/text.json`、`out/index.json`、`out/notes.json`，交给用户。\n",
    "# Order\n\nThe paper is in `paper.json`, the ink in `ink.json`, the stage in `stage.json`.\n",
)


def look(case: Case) -> Iterator[Evidence]:
    """Give the first write of the first such file, with the others beside it."""
    for found in scattered_states(case.skill):
        first, *rest = found.uses
        kept = "Where the run stands is kept in" if found.written else "What the run knows is spread over"
        names = ", ".join(f"`{base(use.name)}`" for use in found.uses)
        also = tuple(f"{use.file}:{use.line}: {base(use.name)}" for use in rest) if found.written else ()
        yield Evidence(first.file, first.line, f"{kept} {len(found.uses)} files: {names}.", also=also)
