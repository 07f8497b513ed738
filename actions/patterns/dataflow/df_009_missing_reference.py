"""The text sends the model to a file, phase, step or section that is not there.

It is:
- a path of the skill, in a code span or in a call, whose file the skill does not have
- "go to Step 7" where the steps are numbered and there is no step 7, or the same with a phase or a section
- a section that is named by its title, and no heading or passage is called so
It is not:
- a file that the run creates, or one of the user's project
- a part of another skill, of a document that the user brings, or of a report that the run writes
- a Markdown link (SPEC-005)
Low when:
- the file is an example, an asset or a template that the work can go on without
Why it is bad: The model searches, gives up or makes the missing part up; a check that was to run is silently skipped.
Instead: Name the part as it is called now, and take out what sends to parts that are gone.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from actions.patterns.pattern import Evidence, Pattern
from actions.skill import Case, Role, Skill, SkillFile
from actions.skill.mentions import mentions
from actions.skill.nearest import file_for
from actions.skill.references import Reference, is_missing, spans
from actions.skill.series import unknown_parts
from actions.skill.skill import role_of
from actions.skill.text import is_item
from schemas.vocabulary import Family, Severity

PATTERN = Pattern(
    id="DF-009",
    family=Family.DATAFLOW,
    impact=("blocks",),
    strategies=("repair_reference", "drop_dead_entry"),
    cause="reference",
)
BAD = (
    {
        "SKILL.md": "# Audit\n\nGrade each finding by `references/severity.md`.\n",
        "references/grades.md": "# Grades\n\nFive grades.\n",
    },
    """# Triage

## Step 1: Sort

Sort the reports by area. With fewer than three of them, go to Step 6.

## Step 2: Rank

Rank them.

## Step 3: Tell

Tell the user the first five.
""",
    """# 审查

## 第一阶段：列出

列出改动。

## 第二阶段：评估

评估风险，高风险时进入第五阶段。
""",
)
GOOD = (
    {
        "SKILL.md": "# Audit\n\nGrade by `references/grades.md`. Write the result to `references/result.md`.\n",
        "references/grades.md": "# Grades\n\nFive grades, as in `docs/grades.md` of the user's project.\n",
    },
    """# Triage

## Step 1: Sort

Sort the reports. With fewer than three of them, go to Step 3. (What was Step 9 is no longer needed.)

## Step 2: Rank

1. Rank by area.
2. Rank by age.

## Step 3: Tell

Tell the user the first five, as Step 7 of the `release` skill does.
""",
    """# Trial

Drugs that reached Phase 3 are listed; those in Phase 4 are left out.

## Search

Search the register.
""",
)
_ELSEWHERE = re.compile(
    r"\bskills?\b|\b(?:old|former|formerly|removed|previous|previously|no longer|earlier|upstream|another|other|their|was|were|no|not|without|if)\b"
    r"|\.\w{2,4}\b|https?:|不再|已删除|旧|原来|另一|没有|技能",
    re.IGNORECASE,
)
"""Words beside the number of a part that may make it a part of something else."""
_MADE = re.compile(
    r"\b(?:creat|writ|sav|generat|produc|output|add|appl|optional|if |when present|stor|scaffold|export|record|new|e\.g|for example|such as|like)\w*"
    r"|\b(?:your|user|project|repo|plugin|(?<!this )skills?)\b|`['’]s\b|创建|写入|保存|生成|输出|新建|例如|如果|可选|项目",
    re.IGNORECASE,
)
"""Words beside a path that may make it one that the run creates, or one of the user's."""
_RUN = re.compile(r"\s*(?:\$ )?(?:python3?|uv run|node|npx|bash|sh|cat)\s")
"""A command that needs a file."""
_ASSET = frozenset({Role.ASSET, Role.APART, Role.DOC})


def look(case: Case) -> Iterator[Evidence]:
    """Yield each missing file once per file that names it, and each part that is not there."""
    skill = case.skill
    for file in skill.instructions:
        for target, found in _missing(skill, file).items():
            also = tuple(f"{file.path}:{place.line}: {target}" for place in found[1:])
            near = file_for(skill, target, file.path)
            message = f"`{target}` is not in the skill" + (f"; it has `{near}`." if near else ".")
            severity = Severity.LOW if role_of(target) in _ASSET else None
            yield Evidence(file.path, found[0].line, message, also=also, severity=severity)
    for unknown in unknown_parts(skill):
        file, part, source = unknown.file, unknown.part, unknown.source
        if not file.doc.is_counterexample(part.line) and not _has(_ELSEWHERE, _sentence(file, part.line)):
            also = tuple(f"{source.path}:{line}: {source.doc.line(line)}" for line in unknown.series.values())
            message = f"{part.text} is named here, but {source.path} numbers only {', '.join(unknown.series)}."
            yield Evidence(file.path, part.line, message, also=also)


def _missing(skill: Skill, file: SkillFile) -> dict[str, list[Reference]]:
    """Return the paths of code spans that begin with a folder of the skill and lead to no file."""
    found: dict[str, list[Reference]] = {}
    for span in spans(file):
        folder = span.target.split("/")[0]
        known = folder in skill.paths and is_missing(skill, span) and not file.doc.is_counterexample(span.line)
        if known and (span.target in found or not _is_made(skill, span.target)):
            found.setdefault(span.target, []).append(span)
    return found


def _is_made(skill: Skill, target: str) -> bool:
    """Return whether some place that names the path may be speaking of a file that the run makes or the user has."""
    for file, number in mentions(skill, target):
        doc = file.doc
        run = file.is_markdown and _RUN.match(doc.line(number))
        if not file.is_markdown or (doc.fence_at(number) and not run):
            return True
        if _has(_MADE, f"{doc.section_at(number).title} {_sentence(file, number)}"):
            return True
    return False


def _sentence(file: SkillFile, number: int) -> str:
    """Return a line with the one before it, where they are one paragraph."""
    line = file.doc.line(number)
    return line if is_item(line) else f"{file.doc.line(number - 1)} {line}"


@lru_cache(maxsize=1024)
def _has(words: re.Pattern[str], text: str) -> bool:
    """Return whether a text has one of some words; many references may stand in one line."""
    return words.search(text) is not None
