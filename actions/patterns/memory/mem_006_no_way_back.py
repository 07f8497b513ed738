"""No way to go on after a compaction or in a new session.

What it sees: a skill that says itself that a run which is broken off begins anew, or that keeps days of work in mind; a
start that empties the file in which each step is noted, or makes the state anew and writes it without ever reading it; a
workflow of four or more stages that keeps a state file and never says to read it again when a run begins anew (low); and
a mandatory last step of SKILL.md that is only a pointer to a reference, to be read late: medium behind the 5,000 tokens
that survive a compaction, else low.

Why it is bad: what stands behind the cut is gone after a compaction: the run then ends without its last step, or begins
at the first stage again.

Instead: say at the start to look for the state and to go on with the first open stage; keep the essence of the last
step in the text itself, and say when the skill is complete.

May be wrong: when a run is always short enough to end before a compaction.
"""

from collections.abc import Iterator

from actions.facts.memory.admitting import no_way_back
from actions.facts.memory.keeping import Ending, hidden_ending, never_resumes, stages, state_file
from actions.facts.memory.wiping import wiped
from actions.facts.own import is_workflow
from actions.patterns.pattern import Evidence, Pattern
from actions.skill import Case
from schemas.vocabulary import Confidence, Family, Severity

PATTERN = Pattern(
    id="MEM-006",
    family=Family.MEMORY,
    impact=("loses",),
    confidence=Confidence.MEDIUM,
    strategies=("checkpoint_restore",),
)

_PADDING = "".join(
    f"Consider the {n}th stone of the wall, its weight, its place and the one beside it.\n\n" for n in range(280)
)
BAD = (
    "# Hives\n\nAfter each hive add a line to `hives/log.csv`.\n\nOn start delete `hives/log.csv`, then open the first hive.\n",
    "# 清点\n\n每清点一架就在 `stock/done.md` 记一行，做完打勾。\n\n每次启动先清空 `stock/done.md`，从第一架开始。\n",
    """# Route

```javascript
async function run(words) {
  const state = { request: words, stop: 1 }
  Write('route/state.json', JSON.stringify(state))
  while (state.stop < 40) {
    visit(state.stop++)
    Write('route/state.json', JSON.stringify(state))
  }
}
```
""",
    {
        "SKILL.md": f"# Wall\n\n## Build\n\n{_PADDING}## Hand over\n\nWhen reaching this phase, read `references/hand-over.md` for the inspection and the"
        " menu of next moves. Do not load this file earlier. The inspection is mandatory.\n",
        "references/hand-over.md": "# Hand over\n\nInspect the wall, then offer three moves.\n",
    },
    "# Estate\n\nSettling an estate takes weeks: inventory, debts, taxes.\n\nShould the conversation be lost, it has to be begun anew.\n",
    "# 修谱\n\n修谱历时数月：收集、访谈、核对。\n\n已经核对到哪一支，记在心里即可。\n",
    "# 审稿\n\n请在一次对话里做完，中途关闭后只能从第一步开始。\n",
    """# Tour

Keep `tour/state.json` up to date.

## Step 1

Pick the town.

## Step 2

Pick the sights.

## Step 3

Order them.

## Step 4

Print the map with Write("map.md", map).
""",
    "# Words\n\nA letter has two hundred slips; editing one takes days.\n\nKeep in mind which words are finished, and go on until the letter is done.\n",
)
GOOD = (
    "# Hives\n\nAfter each hive add a line to `hives/log.csv`.\n\nOn start read `hives/log.csv`; if the user wants to begin anew, delete it.\n",
    "# Hives\n\nOn start delete `out/preview.md`, then print the new one.\n",
    """# Route

```javascript
async function run(words) {
  const state = exists('route/state.json') ? load('route/state.json') : { request: words, stop: 1 }
  Write('route/state.json', JSON.stringify(state))
  while (state.stop < 40) visit(state.stop++)
}
```
""",
    "# Estate\n\nSettling an estate takes weeks. Keep in `estate.json` what is done; should the chat be lost, read it, do not start over.\n",
    "# Index\n\nThe index takes two days. If the user wants to start over, or a new session finds no file, begin from scratch.\n",
    {
        "SKILL.md": f"# Wall\n\n## Build\n\n{_PADDING}## Hand over\n\nRead `references/hand-over.md` now: it has the inspection, which is mandatory.\n\n"
        "Then offer these moves:\n\n1. Paint it\n2. Move on\n3. Stop\n\nThe skill is not complete before the user has picked one.\n",
        "references/hand-over.md": "# Hand over\n\nInspect the wall, then offer three moves.\n",
    },
    """# Tour

If `tour/state.json` exists, go on with the first step that is not done.

## Step 1

Pick the town.

## Step 2

Pick the sights.

## Step 3

Order them.

## Step 4

Print the map with Write("map.md", map).
""",
    "# Words\n\nA letter has two hundred slips; editing one takes days.\n\nKeep in mind that spelling follows the slips; note finished words in `words.md` and read it first.\n",
)

_LONG = 4


def look(case: Case) -> Iterator[Evidence]:
    """Give what the skill says of a broken run, the hidden ending, then the state that nobody reads again."""
    said = no_way_back(case.skill)
    if said:
        yield Evidence(said.file.path, said.line, f"A run that is broken off is lost: “{said.text[:160]}”")
    lost = wiped(case.skill)
    if lost:
        yield Evidence(lost.file.path, lost.line, f"Each start throws away what the last run kept: “{lost.text[:160]}”")
    ending = hidden_ending(case.skill)
    if ending:
        yield _ending(ending)
    kept = state_file(case.skill)
    if kept and stages(case.skill) >= _LONG and is_workflow(case.skill) and never_resumes(case.skill):
        file, line, path = kept
        message = f"`{path}` keeps the state, and nothing says to go on from it (low: short runs do without)."
        yield Evidence(file.path, line, message, severity=Severity.LOW)


def _ending(ending: Ending) -> Evidence:
    section = ending.section
    told = f"“{section.title}” is mandatory and only a pointer to {ending.target}"
    if ending.cut:
        return Evidence("SKILL.md", section.start, f"{told}: a compaction drops it.", section.end)
    message = f"{told}: it is easily passed over (low: it survives a compaction)."
    return Evidence("SKILL.md", section.start, message, section.end, severity=Severity.LOW)
