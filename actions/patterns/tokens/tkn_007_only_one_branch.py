"""Always-loaded text that only one branch needs.

What it sees: In a SKILL.md of 2,500 tokens or more, 800 tokens or more that only one branch, the last phases of a sequence
(in the last third of the text), a later round or a sub-agent needs, or that is looked up now and then (templates, examples,
advanced matter); in a shorter one, a branch of 500 tokens or more that is half of it or more, or a
quarter that says itself that only some uses need it.

Why it is bad: Every use of the skill pays for it, also the uses that end before it or take another way; and each call
carries it from the first step on.

Instead: Move the section into a file of its own; leave its heading and one line that says when to read the file.

May be wrong: When nearly every use of the skill comes to this section. It is a matter of cost, not a fault, and so is low.
"""

from collections.abc import Iterator

from actions.facts.context.deferral import Kind, heavy_groups
from actions.facts.context.later_rounds import later_rounds
from actions.patterns.pattern import Evidence, Pattern
from actions.skill import Case
from schemas.vocabulary import Confidence, Family

PATTERN = Pattern(
    id="TKN-007",
    family=Family.TOKENS,
    impact=("every_run",),
    confidence=Confidence.MEDIUM,
    strategies=("split_to_references",),
)

_TEXT = "".join(
    f"- Look up crate {n} in the harbour's book and note its weight, its owner and its next port.\n" for n in range(50)
)
_TEXT_ZH = "".join(
    f"- 在港口登记簿中查找第 {n} 号货箱，记录其重量、货主、下一个停靠港与预计到港时间。\n" for n in range(90)
)
BAD = (
    f"# Harbour\n\n1. Ask for the ship.\n2. Note its crates.\n\n## Barges\n\nA handful of ships are; for these and nothing else:\n\n{_TEXT[:900]}\n",
    f"# Harbour\n\n1. Ask for the ship.\n2. Note its crates.\n\n## In winter\n\nThis part matters only when the harbour is frozen:\n\n{_TEXT[:900]}\n",
    f"# 港口\n\n1. 问船名。\n2. 记货箱。\n\n## 冬天\n\n港口没结冰的，可以跳过这一节。\n\n{_TEXT_ZH[:400]}\n",
    f"# Harbour\n\n## Crates\n\n{_TEXT * 2}\n## If customs stops the ship\n\n{_TEXT}\n",
    f"# Harbour\n\n## Crates\n\n{_TEXT * 2}\n## Agent 1: Weight reviewer\n\n{_TEXT}\n## Agent 2: Owner reviewer\n\n{_TEXT}\n",
    f"# Harbour\n\nTwo inspections at most:\n\n**1. First.** Look at all crates.\n\n**2. Again.** Every round after the first is narrower.\n\n{_TEXT}\n**3. End.** Stop after the second.\n\n## Crates\n\n{_TEXT}",
    f"# Harbour\n\n## Crates\n\n{_TEXT * 2}\n## If customs stops the ship\n\n{_TEXT[:1600]}\n## Weigh\n\nWeigh.\n\n## If a storm comes\n\n{_TEXT[:2000]}\n",
    f"# 港口\n\n## 货箱\n\n{_TEXT_ZH * 3}\n## 如果海关扣船\n\n{_TEXT_ZH}\n",
    "# Seals\n\n1. Ask for the photo.\n2. Describe it.\n\n## Lead\n\nMost seals are wax. For lead, and for nothing else:\n\n- Write down sign 0 of the seal.\n- Write down sign 1 of the seal.\n- Write down sign 2 of the seal.\n- Write down sign 3 of the seal.\n- Write down sign 4 of the seal.\n- Write down sign 5 of the seal.\n- Write down sign 6 of the seal.\n- Write down sign 7 of the seal.\n- Write down sign 8 of the seal.\n",
    "# Seals\n\n1. Ask for the photo.\n2. Describe it.\n\n## Seals of lead only\n\n- Write down sign 0 of the seal.\n- Write down sign 1 of the seal.\n- Write down sign 2 of the seal.\n- Write down sign 3 of the seal.\n- Write down sign 4 of the seal.\n- Write down sign 5 of the seal.\n- Write down sign 6 of the seal.\n- Write down sign 7 of the seal.\n- Write down sign 8 of the seal.\n",
)
GOOD = (
    f"# Harbour\n\n1. Ask for the ship.\n2. Barges go to the quay.\n\n## Barges\n\nOnly these have a towing rope:\n\n{_TEXT[:900]}\n",
    f"# Harbour\n\n1. Ask for the ship.\n2. Note its crates.\n\n## In winter\n\nThis part matters only when the harbour is frozen: then call the pilot.\n\n## Crates\n\n{_TEXT[:900]}\n",
    f"# Harbour\n\n## Crates\n\n{_TEXT * 2}\n## If customs stops the ship\n\n{_TEXT[:1000]}\n## Weigh\n\nWeigh.\n\n## If a storm comes\n\n{_TEXT[:1000]}\n"
    f"\n## Sail\n\nSail.\n\n## If the mast breaks\n\n{_TEXT[:1000]}\n",
    f"# Harbour\n\n## Phase 1: Moor\n\n{_TEXT}\n## Phase 2: Open\n\n{_TEXT}\n## Phase 3: Weigh\n\nWeigh.\n\n## Phase 4: Count\n\n{_TEXT * 2}\n## Phase 5: Close\n\nClose.\n",
    f"# Harbour\n\nAfter the first round of the clerks:\n\n## Crates\n\n{_TEXT * 2}",
    f"# Harbour\n\n## Crates\n\n{_TEXT * 2}\n## If customs stops the ship\n\nRead [customs](references/customs.md).\n",
    f"# Harbour\n\n## Crates\n\n{_TEXT}\n## If customs stops the ship\n\n{_TEXT[:2000]}\n",
    f"# Harbour\n\n## Rules if customs stops the ship\n\n{_TEXT}\n## Crates\n\n{_TEXT * 2}\n",
    "# Seals\n\n1. Ask for the photo.\n2. Describe it.\n\n## Seals\n\nOnly the keeper may touch them.\n\n- Write down sign 0 of the seal.\n- Write down sign 1 of the seal.\n- Write down sign 2 of the seal.\n- Write down sign 3 of the seal.\n- Write down sign 4 of the seal.\n- Write down sign 5 of the seal.\n- Write down sign 6 of the seal.\n- Write down sign 7 of the seal.\n- Write down sign 8 of the seal.\n",
)
_WHO = {
    Kind.BRANCH: "only one branch needs it",
    Kind.PHASE: "nothing needs it before the run comes to its end",
    Kind.PROMPT: "only sub-agents need it",
    Kind.BULK: "it is only looked up",
}


def look(case: Case) -> Iterator[Evidence]:
    """Give each group of neighbouring sections of one kind, at its first heading, and what only later rounds need."""
    for group in heavy_groups(case.skill):
        tokens = sum(item.tokens for item in group)
        names = ", ".join(f"“{item.section.title}”" for item in group)
        apart = len(group) > 1 and group[0].kind is Kind.BRANCH
        who = "each is needed by one branch alone" if apart else _WHO[group[0].kind]
        told = f"{names}: about {tokens} tokens are loaded with every use, but {who}."
        also = tuple(f"SKILL.md:{item.section.start}: {item.section.title}" for item in group[1:]) if apart else ()
        end = (group[0] if apart else group[-1]).section.end
        yield Evidence("SKILL.md", group[0].section.start, told, line_end=end, also=also)
    for later in later_rounds(case.skill):
        told = f"About {later.tokens} tokens here are loaded with every use, but only a later round needs them."
        yield Evidence("SKILL.md", later.start, told, line_end=later.end)
