"""Long instruction text that is loaded at once.

What it sees: A SKILL.md of 2,500 tokens or more, of which 45 % or more is text that waits for its turn: branches that only
some uses take, the later half of four or more phases, prompts of sub-agents, templates and advanced matter. And any
SKILL.md of more than 25,000 tokens, which is all that a compaction leaves of all skills together.

Why it is bad: All of it enters the context with the first line of work and stays there. It crowds out the user's own
files, and it pushes what follows towards the next compaction.

Instead: Keep in SKILL.md what every use needs, and name for the rest the file and the moment to read it.

May be wrong: When nearly every use of the skill goes through all branches and phases in one short run.
"""

from collections.abc import Iterator

from actions.facts.context.budget import ALL_SKILLS_TOKENS
from actions.facts.context.deferral import deferrables, is_overloaded
from actions.facts.context.reading import at_once
from actions.patterns.pattern import Evidence, Pattern
from actions.skill import Case
from schemas.vocabulary import Confidence, Family, Severity

PATTERN = Pattern(
    id="CTX-005",
    family=Family.CONTEXT,
    impact=("every_run", "easy"),
    confidence=Confidence.MEDIUM,
    strategies=("split_to_references",),
)

_MUCH = 1000
_TEXT = "".join(
    f"- Check entry {n} of the list against the register and write down who owns it and since when.\n"
    for n in range(50)
)
_TEXT_ZH = "".join(
    f"- 核对清单第 {n} 项与登记册是否一致，并写明负责人、起始日期以及最近一次变更的原因。\n" for n in range(80)
)
BAD = (
    f"# Ledger\n\nPick the branch that was asked for.\n\n## If the ledger is new\n\n{_TEXT}\n## If the ledger is closed\n\n{_TEXT}\n"
    f"## If the ledger is shared\n\n{_TEXT}\n",
    f"# Ledger\n\n## Phase 1: Open\n\n{_TEXT[:800]}\n## Phase 2: Sort\n\n{_TEXT[:800]}\n## Phase 3: Match\n\n{_TEXT[:800]}\n"
    f"## Phase 4: Settle\n\n{_TEXT}\n## Phase 5: Report\n\n{_TEXT}\n",
    f"# 台账\n\n## 第一步 打开\n\n{_TEXT_ZH[:400]}\n## 第二步 分类\n\n{_TEXT_ZH[:400]}\n## 第三步 核对\n\n{_TEXT_ZH[:400]}\n"
    f"## 第四步 结算\n\n{_TEXT_ZH * 2}\n## 第五步 汇报\n\n{_TEXT_ZH * 2}\n",
    {
        "SKILL.md": "# Kit\n\nBefore you begin, take all files of `references/` into context.\n\n- [a](references/a.md)\n- [b](references/b.md)\n- [c](references/c.md)\n",
        **{f"references/{n}.md": f"# {n}\n\n" + "Do one thing with what this page is about. " * 60 for n in "abc"},
    },
    {
        "SKILL.md": "# Kit\n\nBefore anything else read every one of the manuals in references/ from cover to cover.\n\n- [a](references/a.md) (for a leak)\n- [b](references/b.md) (for a fire)\n",
        "references/a.md": "# A\n\nx\n",
        "references/b.md": "# B\n\nx\n",
    },
    {
        "SKILL.md": "# 箱\n\n开工前，先把 guides/ 里的几份指南逐页看完。\n\n- [a](guides/a.md)（漏水时）\n- [b](guides/b.md)（着火时）\n",
        "guides/a.md": "# A\n\nx\n",
        "guides/b.md": "# B\n\nx\n",
    },
    "# Herbarium\n\n"
    + "".join(f"Sheet {n} lies in drawer {n % 40}, beside the sheet before it.\n\n" for n in range(2500)),
)
GOOD = (
    "# Ledger\n\n## If the ledger is new\n\nRead `references/new.md`.\n\n## If it is closed\n\nRead `references/closed.md`.\n",
    f"# Ledger\n\n## Accounts\n\n{_TEXT}\n## Currencies\n\n{_TEXT}\n## Owners\n\n{_TEXT}\n",
    f"# Ledger\n\n## Phase 1: Open\n\n{_TEXT}\n## Phase 2: Sort\n\n{_TEXT}\n## Phase 3: Match\n\n{_TEXT}\n## Phase 4: Report\n\nShow it.\n",
    {
        "SKILL.md": "# Kit\n\nRead each file of `references/` when its step needs it.\n\n- [a](references/a.md)\n- [b](references/b.md)\n- [c](references/c.md)\n",
        **{f"references/{n}.md": f"# {n}\n\n" + "Do one thing with what this page is about. " * 60 for n in "abc"},
    },
    {
        "SKILL.md": "# Kit\n\nBefore the first step read [a](references/a.md).\n\n- [b](references/b.md) (for a fire)\n",
        "references/a.md": "# A\n\nx\n",
        "references/b.md": "# B\n\nx\n",
    },
    {
        "SKILL.md": "# 箱\n\n用到时再看 guides/ 里的指南，别一次看完。\n\n- [a](guides/a.md)\n- [b](guides/b.md)\n",
        "guides/a.md": "# A\n\nx\n",
        "guides/b.md": "# B\n\nx\n",
    },
)


def look(case: Case) -> Iterator[Evidence]:
    """Give one finding at the heaviest section that can wait, the others in `also`; and each order to read all files."""
    for file in case.skill.instructions:
        for flood in at_once(case.skill, file):
            if not file.doc.is_counterexample(flood.line):
                told = f"About {flood.tokens} tokens of the skill's files are read before any of them is needed."
                severity = Severity.LOW if flood.tokens < _MUCH else None
                yield Evidence(file.path, flood.line, told, severity=severity)
    if is_overloaded(case.skill):
        yield _heaviest(case)
    elif case.skill.body_tokens > ALL_SKILLS_TOKENS:
        told = f"SKILL.md puts about {case.skill.body_tokens:,} tokens into the context at each use."
        yield Evidence("SKILL.md", case.skill.frontmatter.end + 1, told)


def _heaviest(case: Case) -> Evidence:
    heaviest, *rest = sorted(deferrables(case.skill), key=lambda item: -item.tokens)
    waiting, body = sum(item.tokens for item in (heaviest, *rest)), case.skill.body_tokens
    told = f"About {waiting} of {body} tokens wait for their turn, most of them in “{heaviest.section.title}”."
    also = tuple(f"SKILL.md:{item.section.start}: {item.section.title} ({item.tokens} tokens)" for item in rest)
    return Evidence("SKILL.md", heaviest.section.start, told, line_end=heaviest.section.end, also=also)
