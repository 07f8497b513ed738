"""Takes out an entry of a list of references, or a line that is only a pointer, whose file is not there.

Only what is nothing but the reference and what it is: an entry of a list that keeps others, "See `references/x.md`"
below text that stands without it, a comment of code with that alone. A reader can lose nothing by them. Where a
sentence or a step needs the file, its author must say what it meant.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import count

from actions.facts.references.candidates import file_for
from actions.facts.references.missing import Kind, Missing
from actions.facts.references.paths import missing_references
from actions.skill import Case, Skill, SkillFile
from actions.skill.references import links
from actions.strategies.edits import Edit, edit, indent_of
from actions.strategies.strategy import Draft, Strategy
from schemas.issues import Issue
from schemas.vocabulary import Confidence, Risk

STRATEGY = Strategy("drop_dead_entry", mends=("SPEC-005", "DF-009"), risk=Risk.MEDIUM)
_LISTS = re.compile(
    r"\b(?:references?|resources?|documents?|documentation|see also|related|links|further reading)\b"
    r"|参考|相关|资源|文档|链接",
    re.IGNORECASE,
)
_ENTRY = re.compile(r"^\s*(?:[-*+]\s+|\|\s*)(?:\*\*)?(?:\[[^\]\n]*\]\((?P<link>[^)\s]+)\)|`(?P<span>[^`\n]+)`)")
_OWN = ("references/", "assets/")
"""Folders in which only a skill keeps its files."""
_POINTER = re.compile(
    r"^\s*(?:>\s*|[-*+]\s+)?[*_]*(?:(?:full |more )?(?:references?|details?|examples?|see also|more)|参考|详情|示例)?[*_]*[:：]?[*_]*\s*"
    r"(?:(?:see|refer to|参见|详见|参考|见)\s*)?`(?P<span>[^`\n]+)`[*_]*[.。]?\s*$",
    re.IGNORECASE,
)
_SENDS = re.compile(r"see\b|refer|reference|details?|examples?|more\b|参见|详见|参考|见|详情|示例", re.IGNORECASE)
_COMMENT = re.compile(
    r"^\s*(?:#|//)\s*(?:see|refer to|参见|详见|见)\s*[:：]?\s*`?(?P<path>[\w./-]+)`?[.。]?\s*$", re.IGNORECASE
)
_BINDS = re.compile(r"\b(?:must|always|never|before|first|mandatory|required)\b|必须|务必|始终|之前", re.IGNORECASE)


def propose(issue: Issue, case: Case) -> Draft | None:
    """Draft the removal of what names the issue's files; None if one of the lines is more than that."""
    skill, file = case.skill, case.skill.by_path[issue.location.file]
    first = issue.location.line_start or 0
    lines = range(first, max(first, issue.location.line_end or 0) + 1)
    targets = {target for number, target in _dead(skill, file) if number in lines}
    dead = {number: target for number, target in _dead(skill, file) if target in targets}
    if not dead or any(file_for(skill, target, file.path) for target in targets):
        return None
    gone = {n: _gone(file, n, target, dead) for n, target in dead.items()}
    if not all(gone.values()):
        return None
    told = ", ".join(f"`{target}`" for target in dict.fromkeys(dead.values()))
    return Draft(
        writes={file.path: edit(file, [Edit(taken.start, taken.stop - 1, []) for taken in gone.values() if taken])},
        description=f"Takes {told} out of the list in {file.path}."
        if all(_is_entry(file, n, target) for n, target in dead.items())
        else f"Takes the pointer to {told} out of {file.path}.",
        rationale="There is no such file, and none that could be meant. If it was only forgotten, add it instead.",
        impact="The model no longer looks for a file that is not there.",
        token_limit=0,
        drops=tuple(file.doc.line(n) for n in dead),
        confidence=Confidence.MEDIUM,
    )


def _gone(file: SkillFile, number: int, target: str, dead: Mapping[int, str]) -> range | None:
    """Give the lines to take out for a dead reference; None where its line is more than an entry or a pointer."""
    if _is_entry(file, number, target):
        return range(number, number + 1) if _leaves_others(file, number, dead) else None
    if _is_comment(file, number, target):
        return range(number, number + 1)
    return _paragraph(file, number, target)


def _paragraph(file: SkillFile, number: int, target: str) -> range | None:
    """Give a pointer that is a paragraph of its own below text of its section, with the blank line above it."""
    line = file.doc.line(number)
    match = _POINTER.match(line)
    if match is None or target not in match["span"] or not _SENDS.search(line[: match.start("span")]):
        return None
    above, below = file.doc.line(number - 2).strip(), file.doc.line(number + 1).strip()
    alone = not below and not file.doc.line(number - 1).strip() and file.doc.fence_at(number) is None
    return range(number - 1, number + 1) if alone and above and not above.startswith("#") else None


def _is_comment(file: SkillFile, number: int, target: str) -> bool:
    """Tell whether a line of code is a comment that only points to the file, beside lines that stay."""
    fence, match = file.doc.fence_at(number), _COMMENT.match(file.doc.line(number))
    others = [text for n, text in file.doc.code(fence) if n != number and text.strip()] if fence else []
    return match is not None and match["path"].endswith(target) and bool(others)


def _dead(skill: Skill, file: SkillFile) -> Iterator[tuple[int, str]]:
    for link in links(file):
        if skill.resolve(link.target, file.path) is None and not link.target.startswith(".."):
            yield link.line, link.target
    for missing in missing_references(skill):
        if missing.file == file.path and missing.kind is Kind.PATH and (missing.sure or _is_own(file, missing)):
            yield missing.line, missing.target


def _is_own(file: SkillFile, missing: Missing) -> bool:
    """Tell whether a file that may be the project's is pointed to as a part of the skill."""
    line = file.doc.line(missing.line)
    return missing.target.startswith(_OWN) and bool(_POINTER.match(line) or _COMMENT.match(line))


def _is_entry(file: SkillFile, number: int, target: str) -> bool:
    """Tell whether a line of a list of references begins with the reference, binds nothing and has nothing below."""
    line, below = file.doc.line(number), file.doc.line(number + 1)
    match = _ENTRY.match(line)
    if match is None or target not in (match["link"] or match["span"]) or _BINDS.search(line):
        return False
    nested = bool(below.strip()) and len(indent_of(below)) > len(indent_of(line))
    return not nested and bool(_LISTS.search(file.doc.section_at(number).title))


def _leaves_others(file: SkillFile, number: int, dead: Mapping[int, str]) -> bool:
    """Tell whether an entry of the same list stays, above or below the dead ones."""
    up = next(n for n in count(number, -1) if n not in dead)
    down = next(n for n in count(number) if n not in dead)
    beside = (file.doc.line(n).strip() for n in (up, down))
    return any(line[:1] in ("-", "*", "+", "|") and line.strip("|:- ") for line in beside)


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
    "# Weir\n\nOpen it at high water.\n\n```yaml\ngate: north\n```\n\n**Reference:** See `assets/gates.yml`\n\n## Locks\n\nClose them first.\n",
    "# 水闸\n\n高水位时打开。\n\n```python\n# 先看水位\n# 详见 references/levels.md\nlevel = read()\n```\n\n详见 `references/levels.md`。\n",
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
    "# Weir\n\nOpen it at high water.\n\n```yaml\ngate: north\n```\n\n## Locks\n\nClose them first.\n",
    "# 水闸\n\n高水位时打开。\n\n```python\n# 先看水位\nlevel = read()\n```\n",
)
