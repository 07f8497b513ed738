"""The text sends the model to a file, phase, step or section that is not there.

It is:
- a path of the skill, in a code span or in a call, whose file the skill does not have
- the bare name of a file, also in prose, that only upper and lower case keep from being one of the skill's
- "go to Step 7" where the steps are numbered and there is no step 7, or the same with a phase or a section
- a section that is named by its title, and no heading or passage is called so
It is not:
- a file that the run creates, or one of the user's project
- a part of another skill, of a document that the user brings, or of a report that the run writes
- a Markdown link (SPEC-005)
Low when:
- the file is an example, an asset or a template that the work can go on without
- only upper and lower case are another than in the file's name
Why it is bad: The model searches, gives up or makes the missing part up; a check that was to run is silently skipped.
Instead: Name the part as it is called now, and take out what sends to parts that are gone.
"""

import posixpath
import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache

from actions.patterns.pattern import Evidence, Family, Pattern, Severity
from actions.skill import Case, Role, Skill, SkillFile
from actions.skill.nearest import file_for
from actions.skill.references import Reference, is_missing, links, miscased, spans
from actions.skill.series import unknown_parts
from actions.skill.skill import role_of
from actions.skill.text import is_item

PATTERN = Pattern(
    id="DF-009",
    family=Family.DATAFLOW,
    impact=("blocks",),
    strategies=("repair_reference", "drop_dead_entry"),
    cause="reference",
)
BAD = (
    {
        "SKILL.md": "# Audit\n\nGrade each finding by `references/grade.md`.\n",
        "references/grades.md": "# Grades\n\nFive grades.\n",
    },
    {
        "SKILL.md": "# Forms\n\nTo fill in a form, read FORMS.md.\n",
        "forms.md": "# Forms\n\nOne field after the other.\n",
    },
    """## Step 1: Sort

Sort the reports by area. With fewer than three of them, go to Step 6.

## Step 2: Tell

Tell the user the first five.
""",
)
GOOD = (
    {
        "SKILL.md": "# Audit\n\nGrade by `references/grades.md`. Write the result to `references/result.md`.\n",
        "references/grades.md": "# Grades\n\nFive grades, as in `docs/grades.md` of the user's project.\n",
    },
    """## Step 1: Sort

With fewer than three reports, go to Step 2. (What was Step 9 is no longer needed.)

## Step 2: Tell

Tell the user the first five, as Step 7 of the `release` skill does.
""",
)
_ELSEWHERE = re.compile(
    r"\bskills?\b|\b(?:old|former|formerly|removed|previous|previously|no longer|earlier|upstream|another|other|their|was|were|no|not|without|if)\b"
    r"|\.\w{2,4}\b|https?:|不再|已删除|旧|原来|另一|没有|技能",
    re.IGNORECASE,
)
"""Words beside the number of a part that may make it a part of something else."""
_OWNED = re.compile(r"\s*(?:of|in|from|before)\b|\s*[的之]")
"""What gives a part to something else, right behind it."""
_MADE = re.compile(
    r"\b(?:creat|writ|sav|generat|produc|output|add|appl|optional|if |when present|stor|scaffold|export|record|new|e\.g|for example|such as|like)\w*"
    r"|\b(?:your|user|project|repo|plugin|(?<!this )skills?)\b|`['’]s\b|创建|写入|保存|生成|输出|新建|例如|如果|可选|项目",
    re.IGNORECASE,
)
"""Words beside a path that may make it one that the run creates, or one of the user's."""
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
        yield from _miscased(skill, file)
    for unknown in unknown_parts(skill):
        file, part, source = unknown.file, unknown.part, unknown.source
        said = _sentence(file, part.line)
        elsewhere = _has(_ELSEWHERE, said) or _OWNED.match(said.partition(part.text)[2])
        if part.number != "0" and not elsewhere and not file.doc.is_counterexample(part.line):
            also = tuple(f"{source.path}:{line}: {source.doc.line(line)}" for line in unknown.series.values())
            message = f"{part.text} is named here, but {source.path} numbers only {', '.join(unknown.series)}."
            yield Evidence(file.path, part.line, message, also=also)


def _miscased(skill: Skill, file: SkillFile) -> Iterator[Evidence]:
    found: dict[str, list[int]] = {}
    for name in miscased(skill, file):
        found.setdefault(name.target, []).append(name.line)
    for target, (line, *others) in found.items():
        also = tuple(f"{file.path}:{number}: {target}" for number in others)
        meant = file_for(skill, target, file.path)
        message = f"`{target}` is called `{meant}` in the skill: where case counts, as on Linux, it is not found."
        yield Evidence(file.path, line, message, also=also, severity=Severity.LOW)


def _missing(skill: Skill, file: SkillFile) -> dict[str, list[Reference]]:
    """Return the paths of code spans that lead to no file, where the text takes them for files of the skill.

    That is sure in two cases: the skill has one file of nearly that name in that folder, or the same section names
    more files of that folder that are there than such that are not.
    """
    lost = [span for span in spans(file) if _is_lost(skill, file, span)]
    found: dict[str, list[Reference]] = {}
    counts = _neighbours(skill, file) if lost else {}
    for span in lost:
        folder, known = posixpath.dirname(span.target), counts.get(_place(file, span), Counter())
        if _is_slip(skill, span) or (known[True] > 1 and known[True] > known[False] and folder):
            found.setdefault(span.target, []).append(span)
    return {target: places for target, places in found.items() if not _is_made(skill, target)}


def _is_lost(skill: Skill, file: SkillFile, span: Reference) -> bool:
    among_ours = is_missing(skill, span) and posixpath.dirname(span.target) in skill.paths
    return among_ours and not file.doc.is_counterexample(span.line)


def _is_slip(skill: Skill, span: Reference) -> bool:
    near = file_for(skill, span.target, span.file)
    return near is not None and posixpath.dirname(near) == posixpath.dirname(span.target)


def _place(file: SkillFile, span: Reference) -> tuple[int, str]:
    return file.doc.section_at(span.line).start, posixpath.dirname(span.target)


def _neighbours(skill: Skill, file: SkillFile) -> dict[tuple[int, str], Counter[bool]]:
    """Return, for each section and folder, how many of the files that are named there are there, and how many not."""
    named: dict[tuple[int, str], dict[str, bool]] = {}
    for one in (*spans(file), *links(file)):
        named.setdefault(_place(file, one), {})[one.target] = not is_missing(skill, one)
    return {place: Counter(targets.values()) for place, targets in named.items()}


def _is_made(skill: Skill, target: str) -> bool:
    """Return whether some place that names the path may be speaking of a file that the run makes or the user has."""
    return any(
        not file.is_markdown or file.doc.fence_at(number) or _has(_MADE, _sentence(file, number))
        for file, number in skill.mentions(target)
    )


def _sentence(file: SkillFile, number: int) -> str:
    """Return a line with the one before it, where they are one paragraph."""
    line = file.doc.line(number)
    return line if is_item(line) else f"{file.doc.line(number - 1)} {line}"


@lru_cache(maxsize=1024)
def _has(words: re.Pattern[str], text: str) -> bool:
    """Return whether a text has one of some words; many references may stand in one line."""
    return words.search(text) is not None
