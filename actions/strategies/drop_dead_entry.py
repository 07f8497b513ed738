"""Takes an entry out of a list of references whose file is not there and fits no other file.

Only entries that are nothing but the reference and what it is, in a list that keeps others: a reader can lose nothing by
them. Where a sentence or a step needs the file, its author must say what it meant.
"""

import re
from collections.abc import Iterator

from actions.facts.dataflow.candidates import file_for
from actions.facts.dataflow.references import Kind, missing_references
from actions.model import Case, Skill, SkillFile
from actions.model.links import links
from actions.strategies.edits import Edit, edit, indent_of
from actions.strategies.strategy import Draft, Strategy
from schemas.records import Issue
from schemas.vocabulary import Confidence, Risk

STRATEGY = Strategy("drop_dead_entry", mends=("SPEC-005", "DF-009"), risk=Risk.MEDIUM)
_LISTS = re.compile(
    r"\b(?:references?|resources?|documents?|documentation|see also|related|links|further reading)\b"
    r"|参考|相关|资源|文档|链接",
    re.IGNORECASE,
)
_ENTRY = re.compile(r"^\s*(?:[-*+]\s+|\|\s*)(?:\*\*)?(?:\[[^\]\n]*\]\((?P<link>[^)\s]+)\)|`(?P<span>[^`\n]+)`)")
_BINDS = re.compile(r"\b(?:must|always|never|before|first|mandatory|required)\b|必须|务必|始终|之前", re.IGNORECASE)


def propose(issue: Issue, case: Case) -> Draft | None:
    """Draft the removal of the entries on the issue's lines; None if one of the lines is more than an entry."""
    skill, file = case.skill, case.skill.by_path[issue.location.file]
    first = issue.location.line_start or 0
    lines = range(first, max(first, issue.location.line_end or 0) + 1)
    dead = {number: target for number, target in _dead(skill, file) if number in lines}
    if not dead or not all(
        _is_entry(file, n, target) and not file_for(skill, target, file.path) for n, target in dead.items()
    ):
        return None
    if not any(_is_kept(file, n, dead) for n in (min(dead) - 1, max(dead) + 1)):
        return None
    told = ", ".join(f"`{target}`" for target in dead.values())
    return Draft(
        writes={file.path: edit(file, [Edit(n, n, []) for n in dead])},
        description=f"Takes {told} out of the list in {file.path}.",
        rationale="There is no such file, and none that could be meant.",
        impact="The model no longer looks for a file that is not there.",
        token_limit=0,
        drops=tuple(file.doc.line(n) for n in dead),
        confidence=Confidence.MEDIUM,
    )


def _dead(skill: Skill, file: SkillFile) -> Iterator[tuple[int, str]]:
    for link in links(file):
        if skill.resolve(link.target, file.path) is None and not link.target.startswith(".."):
            yield link.line, link.target
    for missing in missing_references(skill):
        if missing.file == file.path and missing.kind is Kind.PATH and missing.sure:
            yield missing.line, missing.target


def _is_entry(file: SkillFile, number: int, target: str) -> bool:
    """Tell whether a line of a list of references begins with the reference, binds nothing and has nothing below."""
    line, below = file.doc.line(number), file.doc.line(number + 1)
    match = _ENTRY.match(line)
    if match is None or target not in (match["link"] or match["span"]) or _BINDS.search(line):
        return False
    nested = bool(below.strip()) and len(indent_of(below)) > len(indent_of(line))
    return not nested and bool(_LISTS.search(file.doc.section_at(number).title))


def _is_kept(file: SkillFile, number: int, dead: dict[int, str]) -> bool:
    """Tell whether a neighbouring line is an entry of the same list that stays."""
    line = file.doc.line(number).strip()
    return number not in dead and line[:1] in ("-", "*", "+", "|") and bool(line.strip("|:- "))


_SCALE = "# Scale\n\nFour grades.\n"
BEFORE = (
    {
        "SKILL.md": "# Audit\n\nGrade.\n\n## References\n\n- [Scale](references/scale.md): the grades\n- [Old cases](archive/2019/cases.md) - worked cases\n- [Old rulings](archive/2019/rulings.md) - what was ruled\n",
        "references/scale.md": _SCALE,
    },
    {
        "SKILL.md": "# 审查\n\n逐项评分。\n\n## 参考文档\n\n| 文档 | 用途 |\n|---|---|\n| [历史案例](specs/history/2019.md) | 过往案例 |\n| [评分](references/scale.md) | 评分标准 |\n",
        "references/scale.md": _SCALE,
    },
)
AFTER = (
    {
        "SKILL.md": "# Audit\n\nGrade.\n\n## References\n\n- [Scale](references/scale.md): the grades\n",
        "references/scale.md": _SCALE,
    },
    {
        "SKILL.md": "# 审查\n\n逐项评分。\n\n## 参考文档\n\n| 文档 | 用途 |\n|---|---|\n| [评分](references/scale.md) | 评分标准 |\n",
        "references/scale.md": _SCALE,
    },
)
