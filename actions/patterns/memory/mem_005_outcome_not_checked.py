"""No check of the outcome against what was asked for.

What it sees: a workflow of three or more numbered stages in which no word speaks of checking, reviewing, testing or
comparing the outcome; a request that an early step writes to a file of its own (`brief.md`), and by which no later sentence
checks anything; and a last step that hands the outcome over and ends the run, or says not to look back, in a plan
that nowhere holds it against the request.

Why it is bad: over many stages the work drifts from the request, and nobody looks back before it is handed over.

Instead: compare the outcome with the user's request, point by point, before the run ends.

May be wrong: when the user looks at each stage anyway. So it is low.
"""

from collections.abc import Iterator

from actions.facts.dataflow.stages import numbered_phases, numbered_sections
from actions.facts.memory.admitting import hands_over, mentions_the_goal, unchecked_ending
from actions.facts.memory.asked import unheeded_request
from actions.facts.memory.keeping import never_verifies, stages
from actions.facts.own import is_workflow
from actions.patterns.pattern import Evidence, Pattern
from actions.skill import Case
from schemas.vocabulary import Confidence, Family

PATTERN = Pattern(
    id="MEM-005",
    family=Family.MEMORY,
    impact=("every_run",),
    confidence=Confidence.MEDIUM,
    strategies=("goal_embedding",),
)

BAD = (
    "# Bouquet\n\n1. Ask for the occasion and the two colours that matter.\n2. Choose flowers.\n3. Draw it.\n4. Save it as `bouquet.svg`, say where it is, and stop.\n",
    {
        "SKILL.md": "# Exhibition\n\n[1](phases/1-ask.md) [2](phases/2-find.md) [3](phases/3-hang.md) [4](phases/4-end.md)\n",
        "phases/1-ask.md": "# Ask\n\n```js\nWrite('show/ask.json', JSON.stringify({ request: words, goals: list }))\n```\n",
        "phases/2-find.md": "# Find\n\nRead `show/ask.json`, write `show/pieces.json`.\n",
        "phases/3-hang.md": "# Hang\n\nWrite `show/walls.json`.\n",
        "phases/4-end.md": "# End\n\nRead `show/walls.json` and close the show. The message to the curator names each wall.\n",
    },
    {
        "SKILL.md": "# Poster\n\n1. [Ask](phases/01-ask.md)\n2. [Draw](phases/02-draw.md)\n3. [Hand over](phases/03-hand-over.md)\n",
        "phases/01-ask.md": "# Ask\n\nAsk for the occasion.\n",
        "phases/02-draw.md": "# Draw\n\nDraw the poster into `poster.svg`.\n",
        "phases/03-hand-over.md": "# Hand over\n\nShow `poster.svg` to the user.\n",
    },
    "# Kit\n\nThe wishes stand in `kit.json`.\n\n1. Check the sources.\n2. Write.\n3. Zip it and hand it over; with that the job is finished.\n",
    "# 行程\n\n1. 定交通。\n2. 定住宿。\n3. 把行程表直接发给全体成员，任务结束。\n",
    """# 海报

## 阶段1 询问

询问场合。

## 阶段2 绘制

Write("poster.svg", drawing)

## 阶段3 交付

展示海报。

海报保存在 state.json 所在的文件夹。
""",
    "# Letter\n\n1. Put what the museum wants into `request.md`.\n2. Draft the letter.\n3. Cut it to two pages.\n4. Set it and give it to the museum.\n",
    "# 悼词\n\n1. 把家属希望提到的写进 `request.md`。\n2. 起草。\n3. 润色。\n4. 排版后发给家属。\n",
)
GOOD = (
    "# 花束\n\n1. 问清场合和最想要的两种颜色。\n2. 选花。\n3. 画图。\n4. 回头对照用户要的两种颜色，缺的补上。\n5. 导出图片，把路径告诉用户，收工。\n",
    {
        "SKILL.md": "# Exhibition\n\n[1](phases/1-ask.md) [2](phases/2-find.md) [3](phases/3-hang.md) [4](phases/4-end.md)\n",
        "phases/1-ask.md": "# Ask\n\n```js\nWrite('show/ask.json', JSON.stringify({ request: words, goals: list }))\n```\n",
        "phases/2-find.md": "# Find\n\nRead `show/ask.json`, write `show/pieces.json`.\n",
        "phases/3-hang.md": "# Hang\n\nWrite `show/walls.json`.\n",
        "phases/4-end.md": "# End\n\nFor each entry of `goals` name the wall that serves it. The message to the curator names each wall.\n",
    },
    "# Kit\n\nThe wishes stand in `kit.json`.\n\n1. Write.\n2. Choose.\n3. Go through the wishes line by line, then zip it and hand it over; with that the job is finished.\n",
    """# Poster

## Phase 1: Ask

Write("brief.md", answers)

## Phase 2: Draw

Draw it.

## Phase 3: Hand over

Compare the poster with `brief.md`, then show it.
""",
    "# Poster\n\n## Step 1\n\nAsk.\n\n## Step 2\n\nDraw.\n",
    "# Letter\n\n1. Put what the museum wants into `request.md`.\n2. Draft the letter.\n3. Point to where it meets each line of `request.md`.\n4. Set it and give it to the museum.\n",
    "# Venv\n\n1. Write `requirements.txt`.\n2. Install.\n3. Run the server.\n4. Give the address to the user.\n",
)

_FEWEST = 3
_FAULT = "The run ends here, and nothing compares the outcome with what was asked for"


def look(case: Case) -> Iterator[Evidence]:
    """Give one finding at the last stage."""
    skill = case.skill
    said = unchecked_ending(skill) or unheeded_request(skill)
    if said:
        yield Evidence(said.file.path, said.line, f"{_FAULT}: “{said.text[:160]}”")
        return
    if stages(skill) < _FEWEST or not is_workflow(skill) or not (never_verifies(skill) and hands_over(skill)):
        return
    phases = numbered_phases(skill)
    if len(phases) >= _FEWEST and mentions_the_goal(phases[-1]):
        return
    file = phases[-1] if len(phases) >= _FEWEST else skill.main
    line = file.doc.body_start if phases else list(numbered_sections(skill.main))[-1].start
    yield Evidence(file.path, line, f"{_FAULT}.")
