"""No check of the outcome against what was asked for.

What it sees: a workflow of three or more numbered stages in which no word speaks of checking, reviewing, testing or
comparing the outcome.

Why it is bad: over many stages the work drifts from the request, and nobody looks back before it is handed over.

Instead: compare the outcome with the user's request, point by point, before the run ends.

May be wrong: when the user looks at each stage anyway. So it is low.
"""

from collections.abc import Iterator

from actions.facts.dataflow.stages import numbered_phases, numbered_sections
from actions.facts.memory.keeping import never_verifies, stages
from actions.facts.own import is_workflow
from actions.model import Case
from actions.patterns.pattern import Evidence, Pattern
from schemas.vocabulary import Confidence, Family

PATTERN = Pattern(
    id="MEM-005",
    family=Family.MEMORY,
    impact=("every_run",),
    confidence=Confidence.MEDIUM,
    strategies=("goal_embedding",),
)

BAD = (
    {
        "SKILL.md": "# Poster\n\n1. [Ask](phases/01-ask.md)\n2. [Draw](phases/02-draw.md)\n3. [Hand over](phases/03-hand-over.md)\n",
        "phases/01-ask.md": "# Ask\n\nAsk for the occasion.\n",
        "phases/02-draw.md": "# Draw\n\nDraw the poster into `poster.svg`.\n",
        "phases/03-hand-over.md": "# Hand over\n\nShow `poster.svg` to the user.\n",
    },
    """# 海报

## 阶段1 询问

询问场合。

## 阶段2 绘制

Write("poster.svg", drawing)

## 阶段3 交付

展示海报。

海报保存在 state.json 所在的文件夹。
""",
)
GOOD = (
    """# Poster

## Phase 1: Ask

Write("brief.md", answers)

## Phase 2: Draw

Draw it.

## Phase 3: Hand over

Compare the poster with `brief.md`, then show it.
""",
    "# Poster\n\n## Step 1\n\nAsk.\n\n## Step 2\n\nDraw.\n",
)

_FEWEST = 3


def look(case: Case) -> Iterator[Evidence]:
    """Give one finding at the last stage."""
    skill = case.skill
    if stages(skill) < _FEWEST or not is_workflow(skill) or not never_verifies(skill):
        return
    phases = numbered_phases(skill)
    file = phases[-1] if len(phases) >= _FEWEST else skill.main
    line = file.doc.body_start if phases else list(numbered_sections(skill.main))[-1].start
    yield Evidence(file.path, line, "The run ends here, and nothing compares the outcome with what was asked for.")
