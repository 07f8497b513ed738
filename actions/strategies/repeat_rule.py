"""Repeats a rule that a compaction cuts off under the heading of the skill's own rules, with a link to its section.

Only a few short rules that can be read alone, and only where SKILL.md has such a heading before the cut; the rule stays
where it is. What a file can take along moves out instead (`split_to_references`).
"""

import re
from collections.abc import Sequence

from actions.facts.context.budget import last_surviving_line, lost_rules
from actions.facts.context.deferral import anchor_of
from actions.skill import Case, Skill
from actions.skill.document import Section
from actions.skill.rules import Rule
from actions.skill.text import sentences, strip_list_mark, tokens_of, words
from actions.strategies.edits import Edit, edit
from actions.strategies.strategy import Draft, Strategy
from schemas.issues import Issue
from schemas.vocabulary import Confidence, Risk

STRATEGY = Strategy("repeat_rule", mends=("CTX-006",), risk=Risk.MEDIUM)
_MOST = 3
_LONGEST = 50
_LEAST_WORDS = 6
_HOME = re.compile(
    r"\b(?:rules?|principles|constraints|guardrails|invariants|red lines)\b|规则|原则|约束|红线|准则", re.IGNORECASE
)
_LEANS = re.compile(
    r"\b(?:above|below|following|this|these|those|it|its|they|them|here|there|same|such|yet|instead|otherwise|either)\b"
    r"|[:：]\s*$|上述|以下|下面|这|那|此|该|其|否则",
    re.IGNORECASE,
)
_BULLET = re.compile(r"^([-*+]\s+)\S")


def propose(issue: Issue, case: Case) -> Draft | None:
    """Draft the repetition of every lost rule; None if one cannot be read alone, or there is no place for them."""
    skill, rules = case.skill, lost_rules(case.skill)
    home = _home(skill)
    if home is None or not 0 < len(rules) <= _MOST or not all(_stands_alone(skill, rule) for rule in rules):
        return None
    told = [_told(skill, rule) for rule in rules]
    change = _placed(skill, home, told)
    return Draft(
        writes={skill.main.path: edit(skill.main, [change])},
        description=f"Repeats {len(rules)} rule{'s' * (len(rules) > 1)} under “{home.title}”.",
        rationale="After a compaction only the first 5,000 tokens of SKILL.md come back; the rule stands behind them.",
        impact="The rule holds to the end of a long session.",
        token_limit=tokens_of(sum(len(line) + 2 for line in change.lines)) + 2,
        confidence=Confidence.MEDIUM,
    )


def _home(skill: Skill) -> Section | None:
    """Give the first section of rules that the cut leaves whole at its beginning."""
    last = last_surviving_line(skill)
    found = (s for s in skill.main.doc.sections if s.level >= 2 and s.start < last and _HOME.search(s.title))
    return next(found, None)


def _stands_alone(skill: Skill, rule: Rule) -> bool:
    """Tell whether a rule is one whole sentence, of some words, that leans on nothing around it, below a title of its own."""
    doc = skill.main.doc
    title = doc.section_at(rule.line).title
    known = [section.title for section in doc.sections].count(title) == 1
    whole = known and rule.text in sentences(strip_list_mark(doc.line(rule.line)))
    return (
        whole and tokens_of(len(rule.text)) <= _LONGEST and len(words(rule.text)) >= _LEAST_WORDS
        and not _LEANS.search(rule.text)
    )  # fmt: skip


def _told(skill: Skill, rule: Rule) -> str:
    """Give a rule with the section that it comes from."""
    title = skill.main.doc.section_at(rule.line).title
    link = f"[{title}](#{anchor_of(title)})"
    text = rule.text.rstrip().rstrip(".。")
    return f"{text}（见{link}）。" if skill.is_chinese else f"{text} (see {link})."


def _placed(skill: Skill, home: Section, told: Sequence[str]) -> Edit:
    """Give the edit: at the end of the section's own list, where it begins with one, else below its heading."""
    doc = skill.main.doc
    first = next((n for n in range(home.start + 1, home.end + 1) if doc.line(n).strip()), home.end + 1)
    mark = _BULLET.match(doc.line(first))
    if mark is None:
        return Edit(home.start + 1, home.start, ["", *(told if len(told) == 1 else [f"- {text}" for text in told])])
    last = first
    while _BULLET.match(doc.line(last + 1)) or doc.line(last + 1).startswith("  "):
        last += 1
    return Edit(last + 1, last, [f"{mark[1]}{text}" for text in told])


_FILL = "".join(
    f"The column `field_{n}` of the export holds the amount that was booked in week {n} of the year, in whole cents.\n\n"
    for n in range(220)
)
_FILL_ZH = "".join(
    f"第 {n} 列保存第 {n} 周的入账金额，单位为分，来源是财务系统在当周周一导出的汇总表格文件。\n\n" for n in range(500)
)
_TAIL = "## Closing\n\nThe totals are added up. Never send the totals to an outside address.\n"
BEFORE = (
    f"# Export\n\n## Rules\n\n- Round down.\n- Keep cents\n  as whole numbers.\n\n## Columns\n\n{_FILL}{_TAIL}",
    f"# 导出\n\n## 核心原则\n\n先核对，后导出。\n\n## 字段\n\n{_FILL_ZH}## 收尾\n\n发送汇总表之前必须得到用户确认。\n",
)
AFTER = (
    f"# Export\n\n## Rules\n\n- Round down.\n- Keep cents\n  as whole numbers.\n- Never send the totals to an outside address (see [Closing](#closing)).\n\n## Columns\n\n{_FILL}{_TAIL}",
    f"# 导出\n\n## 核心原则\n\n发送汇总表之前必须得到用户确认（见[收尾](#收尾)）。\n\n先核对，后导出。\n\n## 字段\n\n{_FILL_ZH}## 收尾\n\n发送汇总表之前必须得到用户确认。\n",
)
