"""One key has two values.

What it sees: A limit, time, amount or default of two words or more (`max_rounds`, `Max rounds`, `--max-rounds`) that two places set
differently, units brought together; a number with its unit that a sentence, a table row or a constant in another place gives for
the same thing in other words; and a skill that calls itself by a name that is nearly its own.
Why it is bad: The model follows whichever it read last, and one run differs from the next. A call by the wrong name
finds nothing.
Instead: Set the value in one place and name that place elsewhere; call the skill by the name in its frontmatter.
May be wrong: The two may be meant for different cases that the text does not name. Values under another mode, phase or condition are
not compared, nor keys with three values and more.
"""

from collections.abc import Iterator

from actions.facts.docs.disputes import disputes
from actions.facts.spec.skill_name import misnamed, own_name
from actions.patterns.pattern import Evidence, Pattern
from actions.skill import Case
from schemas.vocabulary import Confidence, Family

PATTERN = Pattern(
    id="DOC-CON-001",
    family=Family.CONFLICT,
    impact=("every_run", "easy"),
    confidence=Confidence.MEDIUM,
    strategies=("reconcile_conflicting_definitions",),
)
BAD = (
    {
        "SKILL.md": "# Bus\n\nTake at most ten riders per cabin.\n\nSee `specs/house.md`.\n",
        "specs/house.md": "# House\n\n| rule | value |\n|---|---|\n| riders per cabin | 8 |\n",
    },
    {
        "SKILL.md": "# Letters\n\nTie the letters into bundles of up to 30, the same town together.\n\nSee `specs/post.md`.\n",
        "specs/post.md": "# Post\n\n| what | value |\n|---|---|\n| letters in a bundle | 25 |\n",
    },
    {
        "SKILL.md": "# Mend\n\nWork in rounds. **Max rounds**: 5\n\nRead `specs/limits.md`.\n",
        "specs/limits.md": "# Limits\n\n| Limit | Value |\n|---|---|\n| Max rounds | 3 |\n",
    },
    """# Fetch

- `fetch_timeout`: 5 min

## The loop

```javascript
const fetch_timeout = 120  // seconds
const FETCH_TIMEOUT_MS = 120000
Task({ prompt: `fetch ${url}` })
```
""",
    {
        "SKILL.md": "# Count\n\nRun `scripts/count.py`.\n\n- `--max-words N` stops after N words (default: 500)\n",
        "scripts/count.py": "import argparse\n\np = argparse.ArgumentParser()\np.add_argument('--max-words', type=int, default=800)\n",
    },
    "# 巡检\n\n- 最大重试次数：3\n- 逐台检查\n\n## 失败时的处理\n\n- 最大重试次数：5\n",
    {
        "SKILL.md": "# Ring\n\n1. Ring the bell.\n2. Answer timeout: 90 seconds. Wait for the door of each house.\n\nSee `specs/limits.md`.\n",
        "specs/limits.md": "# Limits\n\n- Answer timeout: 30 seconds.\n",
    },
    {
        "SKILL.md": "# 送货\n\n按等级排好。付款期限：45 天，超过的退回。\n\n见 `specs/limits.md`。\n",
        "specs/limits.md": "# 规定\n\n- 付款期限：30 天。\n",
    },
    {
        "SKILL.md": "# Import\n\nTry a broken download up to 3 times, then skip it.\n\nSee [limits](references/limits.md).\n",
        "references/limits.md": "# Limits\n\nA broken download is retried at most five times.\n",
    },
    {
        "SKILL.md": "# 客服\n\n工单须在 2 小时内首次回复。\n\n见 `references/reply.md`。\n",
        "references/reply.md": "# 回复\n\n首次回复工单的时限是 4 小时。\n",
    },
    {
        "SKILL.md": "# Desk\n\n| Class | Answer within | Close within |\n|---|---|---|\n| red | 15 minutes | 3 days |\n| blue | 2 hours | 9 days |\n\nSee `references/desk.md`.\n",
        "references/desk.md": "# Desk\n\nA case is red when it stops the line (answer within 30 minutes).\n",
    },
    "# Backup\n\n```yaml\nkeep_daily: 14\n```\n\n## Policy\n\nWe hold `keep_daily` at 7, for discs are dear.\n",
    "# Cost\n\n- Cost limit: $2 for the whole run\n\n## Rules\n\n- **Cost limit**: $5 for the whole run\n",
    {
        "SKILL.md": '---\nname: team-desk-v2\ndescription: Runs a desk. Use when a desk is wanted.\n---\n\n# Desk\n\n**Invocation**: `Skill(skill="team-desk", args="task")`\n'
    },
    "# Example\n\n## Usage\n\n```\n/examples fix the door\n/Example-v3 fix the door\n```\n\nCall `Skill('Example-V3')` to go on.\n",
)
GOOD = (
    {
        "SKILL.md": "# Bus\n\nTake at most ten riders per line. Tie the letters into bundles of up to 25, town by town.\n\nSee `specs/house.md`.\n",
        "specs/house.md": "# House\n\n| rule | value |\n|---|---|\n| riders per cabin | 8 |\n| letters in a bundle | 25 |\n",
    },
    {
        "SKILL.md": "# Import\n\nTry a broken download up to 3 times. The pool has 28 °C, the small pool 32 °C.\n\nSee [limits](references/limits.md).\n",
        "references/limits.md": "# Limits\n\nA broken upload is retried at most five times. The air over the pool has 30 °C.\n",
    },
    {
        "SKILL.md": "# 客服\n\n工单须在 2 小时内首次回复。\n\n见 `references/reply.md`。\n",
        "references/reply.md": "# 回复\n\n工单解决的时限是 4 天。\n",
    },
    {
        "SKILL.md": "# Mend\n\n**Fetch timeout**: 5 min\n\nRead `specs/limits.md`.\n",
        "specs/limits.md": "# Limits\n\n| Limit | Value |\n|---|---|\n| Fetch timeout | 300 s |\n",
    },
    "# Mend\n\n## Quick mode\n\n- Max rounds: 2\n\n## Deep mode\n\n- Max rounds: 8\n",
    {
        "SKILL.md": "# Ring\n\nRing the bell. For far houses the answer timeout: 90 seconds. Go on.\n\nSee `specs/limits.md`.\n",
        "specs/limits.md": "# Limits\n\n- Answer timeout: 30 seconds.\n",
    },
    "# 巡检\n\n## 快速模式\n\n- 最大重试次数：1\n\n## 完整模式\n\n- 最大重试次数：5\n",
    "# Limits\n\n| Plan | Max rounds | Max words |\n|---|---|---|\n| free | 2 | 100 |\n| paid | 9 | 900 |\n",
    {
        "phases/01-dig.md": "# Phase 1: Dig\n\n- Max rounds: 2\n",
        "phases/02-fill.md": "# Phase 2: Fill\n\n- Max rounds: 4\n",
    },
    "# Example\n\nCall `Skill('example')`, then `Skill('example-report')` or `/other:example`.\n",
)


def look(case: Case) -> Iterator[Evidence]:
    """Give each disputed key at its odd place, and the first wrong name of the skill."""
    skill = case.skill
    for dispute in disputes(skill):
        odd, usual = dispute.odd, dispute.usual
        told = f"`{odd.text[:80]}` stands here; {usual.file}:{usual.line} says `{usual.text[:80]}`."
        yield Evidence(odd.file, odd.line, told, also=(f"{usual.file}:{usual.line}: {usual.text[:120]}",))
    wrong = misnamed(skill)
    if wrong:
        first = wrong[0]
        told = f"The skill calls itself `{first.name}`; its name is `{own_name(skill)}`."
        also = tuple(dict.fromkeys(f"{w.file}:{w.line}: {w.name}" for w in wrong[1:]))
        yield Evidence(first.file, first.line, told, also=also, confidence=Confidence.HIGH)
