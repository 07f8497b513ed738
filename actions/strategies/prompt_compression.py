"""Takes out a statement that the file's own rules, or the section it refers to, have made already.

Only where the other place surely holds here too: it is a section of general rules, or the line names it ("see Interaction
Rules"). What binds, check lists, tables and steps of one branch are said again on purpose, and stay.
"""

import re
from collections.abc import Iterator

from actions.facts.docs.repetition import Repeated, repeated, repetitions
from actions.facts.docs.saying import adds_nothing
from actions.proof.losses import unsaid
from actions.skill import Case, SkillFile
from actions.skill.rules import force_of
from actions.skill.text import plain
from actions.strategies.edits import Edit, edit, indent_of
from actions.strategies.strategy import Draft, Strategy
from schemas.issues import Issue
from schemas.vocabulary import Confidence, Risk

STRATEGY = Strategy("prompt_compression", mends=("TKN-001",), risk=Risk.MEDIUM)
_GENERAL = re.compile(
    r"\b(?:rules?|principles?|constraints?|guidelines?|conventions?|invariants?|guardrails?)\b|规则|原则|约束|准则|约定|规范",
    re.IGNORECASE,
)
_BULLET = re.compile(r"^\s*[-*+•]\s+(?!\[[ xX]\])")


def propose(issue: Issue, case: Case) -> Draft | None:
    """Draft the removal of the issue's statements; None where one of them may be meant here."""
    file = case.skill.by_path[issue.location.file]
    group = next((g for g in repetitions(file) if g.start == issue.location.line_start), None)
    if group is None or len(issue.evidence) < 2:
        return None  # no evidence of a second place: the line is long, not said twice
    told = [found for found in repeated(file) if group.start <= found.line <= group.end]
    changes = [_change(file, found) for found in told]
    edits = [change for change in changes if change]
    if len(edits) < len(changes) or len({change.start for change in edits}) < len(edits):
        return None
    writes = {file.path: edit(file, edits)}
    titles = ", ".join(dict.fromkeys(f"“{file.doc.section_at(found.twin).title}”" for found in told))
    return Draft(
        writes=writes,
        description=f"Takes out of {file.path}, line {group.start}, what {titles} says already.",
        rationale="The statement holds here by the other place; a second copy is paid with every load.",
        impact=f"About {group.tokens} tokens fewer, and one place to change.",
        token_limit=0,
        drops=unsaid(case.skill, case.skill.replaced(writes), [found.text for found in told]),
        confidence=Confidence.MEDIUM,
    )


def _change(file: SkillFile, found: Repeated) -> Edit | None:
    if force_of(found.text) or not adds_nothing(found.text, file.doc.line(found.twin)):
        return None
    if any(file.doc.is_counterexample(n) for n in (found.line, found.twin)):
        return None
    line = file.doc.line(found.line)
    if _stands_alone(file, found) and _GENERAL.search(file.doc.section_at(found.twin).title):
        return Edit(found.line, found.line, [])
    rest = line.replace(found.text, "", 1).rstrip()
    if found.text in line and _names(rest, file.doc.section_at(found.twin).title):
        return Edit(found.line, found.line, [rest])
    return None


def _stands_alone(file: SkillFile, found: Repeated) -> bool:
    """Tell whether the statement is a whole bullet, with nothing under it and another of its kind beside it."""
    line = file.doc.line(found.line)
    beside = list(_beside(file, found.line))
    below = file.doc.line(found.line + 1)
    nested = bool(below.strip()) and len(indent_of(below)) > len(indent_of(line))
    return bool(_BULLET.match(line)) and plain(line) == plain(found.text) and bool(beside) and not nested


def _beside(file: SkillFile, number: int) -> Iterator[str]:
    indent = indent_of(file.doc.line(number))
    for other in (file.doc.line(number - 1), file.doc.line(number + 1)):
        if _BULLET.match(other) and indent_of(other) == indent:
            yield other


def _names(text: str, title: str) -> bool:
    """Tell whether a text refers to a section by its title."""
    return (
        bool(title) and re.search(rf"(?:\bsee|\bper|\bas in|见|按|参照)\W{{0,4}}{re.escape(title)}", text) is not None
    )


_RULES = (
    "- Ask one question at a time, and wait for the answer before the next one is put.\n"
    "- Offer single choice when one direction, one priority or one next step is wanted.\n"
    "- Otherwise show the numbered options in the chat with one line of reason for each of them, the recommended one first,"
    " and wait until the user has replied to one of them.\n"
)
_STEPS = "".join(
    f"\n{n}. Look at the {word} and write down what you see.\n"
    for n, word in enumerate("door roof wall floor sill lamp".split(), 1)
)
_REGELN = (
    "- 一次只问一个问题，等待用户回答之后再问下一个问题。\n"
    "- 需要选择一个方向或一个优先级时，给出单选的选项列表，为每一项写一句理由，并把推荐的一项放在列表的最前面，等待用户回复。\n"
    "- 没有选项工具时，在对话中列出编号选项并等待用户回复。\n"
)
_SCHRITTE = "".join(f"\n{n}. 查看{word}，记录所见。\n" for n, word in enumerate("门 顶 墙 地 窗 灯".split(), 1))
BEFORE = (
    f"# Survey\n\n## Interaction rules\n\n{_RULES}\n## Look\n{_STEPS}\n## Talk\n\n- Begin with what is broad.\n"
    "- Offer **single choice** when one direction, one priority or one next step is wanted\n- Ask one question at a time, and wait for the answer before the next is put\n- End when the picture is clear.\n",
    f"# Survey\n\n## Interaction rules\n\n{_RULES}\n## Look\n{_STEPS}\n## Talk\n\nName two options and ask which one to take (see Interaction rules). "
    "Otherwise show numbered options in the chat with one line of reason for each of them, the recommended one first, and wait until the user has replied to one of them.\n",
    f"# 勘查\n\n## 交互规则\n\n{_REGELN}\n## 查看\n{_SCHRITTE}\n## 对话\n\n- 先问范围大的。\n"
    "- 需要选择一个方向或一个优先级时，给出单选的选项列表，为每一项写一句理由，把推荐的一项放在列表的最前面，等待用户回复\n- 情况清楚后结束。\n",
)
AFTER = (
    f"# Survey\n\n## Interaction rules\n\n{_RULES}\n## Look\n{_STEPS}\n## Talk\n\n- Begin with what is broad.\n- End when the picture is clear.\n",
    f"# Survey\n\n## Interaction rules\n\n{_RULES}\n## Look\n{_STEPS}\n## Talk\n\nName two options and ask which one to take (see Interaction rules).\n",
    f"# 勘查\n\n## 交互规则\n\n{_REGELN}\n## 查看\n{_SCHRITTE}\n## 对话\n\n- 先问范围大的。\n- 情况清楚后结束。\n",
)
