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
from collections import Counter
from collections.abc import Iterable, Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, Severity
from actions.skill import Role, Skill, SkillFile
from actions.skill.references import Reference, is_missing, links, making, miscased, nearest, spans
from actions.skill.series import unknown_parts

PATTERN = Pattern(
    id="DF-009", impact=("blocks",), strategies=("repair_reference", "drop_dead_entry"), cause="reference"
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

With fewer than three reports, go to Step 6.

## Step 2: Tell
""",
)
GOOD = (
    {
        "SKILL.md": "# Audit\n\nGrade by `references/grades.md`. Write the result to `references/result.md`.\n",
        "references/grades.md": "# Grades\n\nFive grades, as in `docs/grades.md` of the user's project.\n",
    },
    """## Step 1: Sort

With fewer than three reports, go to Step 2. (What was Step 9 is no longer needed.)

## Step 2: Tell, as Step 7 of the `release` skill does
""",
)
_ASSET = frozenset({Role.ASSET, Role.APART, Role.DOC})


def check(case: Case) -> Iterator[Finding]:
    """Yield each missing file once per file that names it, and each part that is not there."""
    skill = case.skill
    for file in skill.instructions:
        for first, *rest in _by_target(_missing(skill, file)):
            near = nearest(skill, first)
            message = f"`{first.target}` is not in the skill" + (f"; it has `{near}`." if near else ".")
            yield _finding(first, rest, message, Severity.LOW if first.role in _ASSET else PATTERN.severity)
        for first, *rest in _by_target(miscased(skill, file)):
            meant = f"is called `{nearest(skill, first)}` in the skill"
            message = f"`{first.target}` {meant}: where case counts, as on Linux, it is not found."
            yield _finding(first, rest, message, Severity.LOW)
    for unknown in unknown_parts(skill):
        part, source = unknown.part, unknown.source
        also = tuple(f"{source.path}:{line}: {source.doc.line(line)}" for line in unknown.series.values())
        message = f"{part.text} is named here, but {source.path} numbers only {', '.join(unknown.series)}."
        yield Finding(unknown.file.path, part.line, message, also=also)


def _finding(first: Reference, rest: list[Reference], message: str, severity: Severity) -> Finding:
    also = tuple(f"{one.file}:{one.line}: {one.target}" for one in rest)
    return Finding(first.file, first.line, message, also=also, severity=severity)


def _by_target(references: Iterable[Reference]) -> Iterable[list[Reference]]:
    found: dict[str, list[Reference]] = {}
    for one in references:
        found.setdefault(one.target, []).append(one)
    return found.values()


def _missing(skill: Skill, file: SkillFile) -> Iterator[Reference]:
    """Return the paths of code spans that lead to no file, where the text takes them for files of the skill.

    That is sure in two cases: the skill has one file of nearly that name in that folder, or the same section names
    more files of that folder that are there than such that are not.
    """
    lost = [s for s in spans(file) if s.folder in skill.paths and is_missing(skill, s)]
    lost = [span for span in lost if not file.doc.is_counterexample(span.line)]
    counts = _neighbours(skill, file) if lost else {}
    made = {target: _is_made(skill, target) for target in {span.target for span in lost}}
    for span in lost:
        known = counts.get(_place(file, span), Counter())
        among = known[True] > 1 and known[True] > known[False] and span.folder
        if not made[span.target] and (among or posixpath.dirname(nearest(skill, span) or "/") == span.folder):
            yield span


def _place(file: SkillFile, span: Reference) -> tuple[int, str]:
    return file.doc.section_at(span.line).start, span.folder


def _neighbours(skill: Skill, file: SkillFile) -> dict[tuple[int, str], Counter[bool]]:
    """Return, for each section and folder, how many of the files that are named there are there, and how many not."""
    named: dict[tuple[int, str], dict[str, bool]] = {}
    for one in (*spans(file), *links(file)):
        named.setdefault(_place(file, one), {})[one.target] = not is_missing(skill, one)
    return {place: Counter(targets.values()) for place, targets in named.items()}


def _is_made(skill: Skill, target: str) -> bool:
    said = skill.mentions(target)
    return any(not f.is_markdown or f.doc.fence_at(line) or line in making(f) for f, line in said)
