"""The text sends the model to a file, phase, step or section that does not exist.

It is:
- a path in a code span to a file that does not exist in the skill, while the folder has a file with nearly the same name (proven)
- at least two such paths into a folder `references`, or one in it, that the skill does not have (proven)
- such a path in a section where most other paths into that folder exist (proven)
- a path in an instruction such as "Load `references/a.md`", in a file where most such instructions name a file that exists (proven)
- any other path of the skill, in a code span, in prose or in a call, whose file does not exist
- a file name that differs from the name of an existing file only in case (proven)
- "go to Step 7" where the steps are numbered and there is no step 7, or the same with a phase or a section (proven)
- a section named by its title, when no heading or passage has that title
It is not:
- a file that the run creates, one of the user's project, such as CHANGELOG.md, or one that is only planned
- a number that the text mentions without a word such as "to", "see" or "repeat" before it: it may be a label
- a phase, stage or section that a heading or table of another text beside the skill or the agents defines
- a path of another skill that the same line names, a part of such a skill, of a document that the user provides, or of a report that the run writes
- a path in a record with a date in its name, such as `docs/plans/2026-07-08-exports.md`: it describes the state on that day
- a path below an address from which the text fetches its files, or in a text that gives a folder that git ignores as the place of its references
- a name in another case in a heading, or near the right spelling
- a Markdown link (SPEC-005)
Low when:
- the file is an example, an asset or a template that the work does not depend on
- the text that names it is a reference, not SKILL.md or a phase
- the name differs from the file's only in case
Why it is bad: The model searches, gives up or makes up the missing part; a check that should run is silently skipped.
Instead: Use the current name of the part, and remove references to parts that no longer exist.
"""

import posixpath
from collections import Counter
from collections.abc import Iterable, Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, Severity, UnitKind
from actions.project.shared_parts import find_missing_parts
from actions.regex import regex
from actions.skill import Role, Skill, SkillFile, find_missing_folder, is_in_tail
from actions.skill.references import (
    Reference,
    find_links,
    find_miscased_references,
    find_nearest,
    find_spans,
    get_expected_path,
    is_missing,
    mentions_creation,
)

PATTERN = Pattern(
    id="DF-009",
    impact=("blocks",),
    strategies=("repair_reference", "drop_dead_entry"),
    cause="reference",
    kinds=(UnitKind.SKILL, UnitKind.COMMAND, UnitKind.AGENT),
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
    {
        "SKILL.md": "# Audit\n\n"
        + "".join(f"## {n}\n\nLoad `references/{n}.md`.\n\n" for n in ("plan", "grades", "forms", "totals")),
        **{f"references/{n}.md": "# Notes\n" for n in ("plan", "grades", "forms")},
    },
    "# Audit\n\n- `references/grades.md`: the grades\n- `references/forms.md`: the forms\n",
    """## Step 1: Sort

With fewer than three reports, go to Step 6.

## Step 2: Tell
""",
)
GOOD = (
    {
        "SKILL.md": "# Audit\n\nRead PRODUCT.md of the project, and [how to read it](references/product.md).\n",
        "references/product.md": "# Product\n\nIts first line is the name.\n",
    },
    {
        "SKILL.md": "# Audit\n\nGrade by `references/grades.md`. Write the result to `references/result.md`.\n",
        "references/grades.md": "# Grades\n\nFive grades, as in `docs/grades.md` of the user's project.\n",
    },
    "# Audit\n\nFor each area create `references/grades.md` and `references/forms.md`.\n",
    {
        "SKILL.md": "# Audit\n\nGrade by `references/grades.md`. The plans are in `docs/plans/`.\n",
        "references/grades.md": "# Grades\n\nFive grades.\n",
        "docs/plans/2026-07-08-grades.md": "# Grades\n\nToday each one has its own text, as in `references/grade.md`.\n",
    },
    {
        "SKILL.md": "# Sort\n\n" + "".join(f'"[√] Step {n}: sort it"\n' for n in range(1, 6)),
        "details.md": "## Step 1: Sort\n\nSort.\n\n## Step 2: Tell\n\nTell.\n",
    },
    "# Build (Step 1/3)\n\n## Step 1: Sort\n\nSort.\n\n## Step 2: Tell\n\nThen comes Step 3.\n",
    """## Step 1: Sort

With fewer than three reports, go to Step 2. (What was Step 9 is no longer needed.)

## Step 2: Tell, as Step 7 of the `release` skill does

`release`'s contract ends there: its Step 9 sends the notes.
""",
)
_PROJECT_FILES = frozenset(
    f"{name}.md"
    for name in "agents changelog claude contributing gemini license notes readme review security todo".split()
)
"""Names that may instead mean a file of the user's project."""
_REFERENCES = ("references", "reference")
"""Folders whose files are meant to be the skill's own."""
_LOAD_INSTRUCTION = regex(r"\b(?:[Ll]oad|[Rr]ead|[Oo]pen|[Ff]ollow|[Cc]onsult) `([^`\s]+)`")
_BASE_ADDRESS = regex(r"\b(?:BASE|RAW)_?\w{0,20}_?URL\b|\braw\.githubusercontent\.com\b")
"""An address below which a text fetches its files."""
_BASE_LINE = regex(r"(?i)\breferences?\b")
_EXAMPLES_LABEL = regex(r"(?i)\W*examples?\b")
"""The beginning of a line with sample names, as in "**Examples**: `references/prices.md` for prices"."""
_MIN_NEIGHBOURS = 3
"""Minimum number of files that one folder lacks, if they have one cause, such as an incomplete copy."""
_ASSET = frozenset({Role.ASSET, Role.UNRELATED, Role.DOC})


def check(case: Case) -> Iterator[Finding]:
    """Find references to missing files, phases, steps and sections, outside samples."""
    by_path = {file.path: file for file in case.skill.files}
    return (finding for finding in _find_faults(case) if not is_in_tail(by_path[finding.file], finding.line))


def _find_faults(case: Case) -> Iterator[Finding]:
    skill = case.skill
    for file in skill.instructions:
        yield from _report_missing_paths(case, file)
        yield from _report_missing_folders(case, file)
        yield from _report_miscased(skill, file)
    for unknown in find_missing_parts(case.project, case.unit, skill):
        part, source = unknown.part, unknown.source
        also = tuple(f"{source.path}:{line}: {source.doc.line(line)}" for line in unknown.series.values())
        message = f"{part.text} does not exist. {source.path} has only {', '.join(unknown.series)}."
        yield Finding(unknown.file.path, part.line, message, also=also, cause=f"{source.path}: {part.text}")


def _report_missing_paths(case: Case, file: SkillFile) -> Iterator[Finding]:
    """Report the paths of a file that do not exist. Several that one folder lacks have one cause, if none is misspelled."""
    skill = case.skill
    groups = [
        *_group_by_target(span for span in _find_missing_paths(skill, file) if not _is_of_named_skill(case, span))
    ]
    keys = [(group[0].folder, find_nearest(skill, group[0]), _get_severity(file, group[0])) for group in groups]
    counts = Counter(keys)
    for (first, *rest), key in zip(groups, keys, strict=True):
        folder, near, severity = key
        if folder and near is None and counts[key] >= _MIN_NEIGHBOURS:
            message = f"{counts[key]} files do not exist in `{folder}`, such as `{first.target}`."
            yield from _report(skill, (first, *rest), message, severity, f"{severity} files of {folder}")
        else:
            message = f"`{first.target}` does not exist in the skill." + (f" Did you mean `{near}`?" if near else "")
            yield from _report(skill, (first, *rest), message, severity)


def _get_severity(file: SkillFile, span: Reference) -> Severity:
    return Severity.LOW if span.role in _ASSET or file.role is Role.REFERENCE else PATTERN.severity


def _report_missing_folders(case: Case, file: SkillFile) -> Iterator[Finding]:
    """Report the paths of a file into missing folders. Skills that are only a SKILL.md have one cause: how they came."""
    skill = case.skill
    for span in _find_paths_into_missing_folder(case, file):
        path = get_expected_path(skill, span)
        folder = find_missing_folder(path, skill.paths)
        severity = Severity.LOW if file.role is Role.REFERENCE else PATTERN.severity
        if skill.is_lone:
            message = f"`{span.target}` does not exist: the skill has only its SKILL.md, and no folder `{folder}`."
            yield Finding(span.file, span.line, message, severity=severity, cause="only SKILL.md", is_shared=True)
        else:
            message = f"`{span.target}` does not exist: the skill has no folder `{folder}`."
            yield Finding(span.file, span.line, message, severity=severity, cause=path, folder=span.folder)


def _report_miscased(skill: Skill, file: SkillFile) -> Iterator[Finding]:
    """Report the file names in another case. All those of a skill have one cause: a rule for names that changed."""
    wrong: dict[str, tuple[str, list[Reference]]] = {}
    for first, *rest in _group_by_target(find_miscased_references(skill, file)):
        near = find_nearest(skill, first)
        is_of_project = first.target.lower() in _PROJECT_FILES or posixpath.splitext(first.target)[0].isupper()
        if near is None or near.count("/") > 1 or (is_of_project and "/" in near):
            continue
        if get_expected_path(skill, first).lower() == near.lower():
            wrong[first.target] = near, [first, *rest]
        else:
            message = f"`{first.target}` does not exist; the file is named `{near}`."
            yield from _report(skill, (first, *rest), message, Severity.LOW)
    names, nears = list(wrong), [near for near, _ in wrong.values()]
    verbs = ("do", "files are") if len(names) > 1 else ("does", "file is")
    message = f"{_quote(names)} {verbs[0]} not exist; the {verbs[1]} named {_quote(nears)}."
    message += f" Case-sensitive systems will not find {'them' if len(names) > 1 else 'it'}."
    for reference in (reference for _, places in wrong.values() for reference in places):
        yield Finding(reference.file, reference.line, message, severity=Severity.LOW, cause="names in another case")


def _quote(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _report(
    skill: Skill, places: Iterable[Reference], message: str, severity: Severity, cause: str = ""
) -> Iterator[Finding]:
    """Report places with one message. Without a `cause`, it is the missing file."""
    for reference in places:
        path = get_expected_path(skill, reference)
        yield Finding(reference.file, reference.line, message, severity=severity, cause=cause or path)


def _group_by_target(references: Iterable[Reference]) -> Iterable[list[Reference]]:
    by_target: dict[str, list[Reference]] = {}
    for reference in references:
        by_target.setdefault(reference.target, []).append(reference)
    return by_target.values()


def _find_missing_paths(skill: Skill, file: SkillFile) -> Iterator[Reference]:
    """Yield the paths in code spans that do not exist, although they must mean a file of the skill and not of the user.

    A path must mean a file of the skill in three cases. The folder has one file with nearly the same name. The section
    names at least two existing files of the folder, and fewer missing ones. The path is in an instruction to load it
    (see `_find_load_instructions`).
    """
    missing = [span for span in find_spans(file) if span.folder in skill.paths and is_missing(skill, span)]
    missing = [s for s in missing if not file.doc.is_counterexample(s.line) and not file.doc.is_planned(s.line)]
    counts = _count_existing_files(skill, file) if missing else {}
    loaded = _find_load_instructions(skill, file) if missing else frozenset()
    for span in missing:
        existing = counts.get(_locate(file, span), Counter())
        is_among_existing = existing[True] > 1 and existing[True] > existing[False] and span.folder
        should_exist = is_among_existing or span in loaded
        is_misspelled = posixpath.dirname(find_nearest(skill, span) or "/") == span.folder
        if (should_exist or is_misspelled) and not _may_be_created(skill, span.target):
            yield span


def _is_of_named_skill(case: Case, span: Reference) -> bool:
    """Return whether the line of a path names another skill of the project, which has the file."""
    line = case.skill.by_path[span.file].doc.line(span.line)
    owners = (path.removesuffix(f"/{span.target}") for path in case.project.files if path.endswith(f"/{span.target}"))
    return any(posixpath.basename(owner) in line for owner in owners)


def _find_paths_into_missing_folder(case: Case, file: SkillFile) -> list[Reference]:
    """Return the paths in code spans into a folder of references that does not exist, if there are at least two.

    Files that another skill of the project has at such a path may be meant.
    """
    skill = case.skill
    if _BASE_ADDRESS.search(file.text) or _has_ignored_base(case, file):
        return []
    spans = [span for span in find_spans(file) if span.target.split("/")[0] in _REFERENCES]
    missing = [
        span
        for span in spans
        if span.folder not in skill.paths
        and span.target.endswith(".md")
        and is_missing(skill, span)
        and not file.doc.is_counterexample(span.line)
        and not file.doc.is_planned(span.line)
        and not _EXAMPLES_LABEL.match(file.doc.line(span.line))
        and not _may_be_created(skill, span.target)
        and not any(path.endswith(f"/{span.target}") for path in case.project.files)
    ]
    return missing if len({span.target for span in missing}) > 1 else []


def _has_ignored_base(case: Case, file: SkillFile) -> bool:
    """Return whether a line with the word "reference" gives a folder that git ignores, such as a download."""
    folders = (span for span in file.doc.spans if span.text.endswith("/"))
    return any(
        _BASE_LINE.search(file.doc.line(span.line)) and case.project.is_ignored(f"{span.text}SKILL.md")
        for span in folders
    )


def _find_load_instructions(skill: Skill, file: SkillFile) -> frozenset[Reference]:
    """Return the paths in instructions to load a file, such as "Read `references/a.md`".

    Returns an empty set unless at least three of these paths exist and fewer are missing.
    """
    spans = find_spans(file)
    lines = {span.line for span in spans}
    paths_by_line = {line: frozenset(_LOAD_INSTRUCTION.findall(file.doc.line(line))) for line in lines}
    loaded = [span for span in spans if span.target in paths_by_line[span.line]]
    exists = {span.target: not is_missing(skill, span) for span in loaded}
    count = Counter(exists.values())
    return frozenset(loaded) if count[True] > max(2, count[False]) else frozenset()


def _locate(file: SkillFile, span: Reference) -> tuple[int, str]:
    """Return the first line of the section that contains a path, and the folder of the path."""
    return file.doc.section_at(span.line).start, span.folder


def _count_existing_files(skill: Skill, file: SkillFile) -> dict[tuple[int, str], Counter[bool]]:
    """Count the existing (True) and the missing (False) files that are named, by section and folder."""
    exists: dict[tuple[int, str], dict[str, bool]] = {}
    for reference in (*find_spans(file), *find_links(file)):
        exists.setdefault(_locate(file, reference), {})[reference.target] = not is_missing(skill, reference)
    return {place: Counter(targets.values()) for place, targets in exists.items()}


def _may_be_created(skill: Skill, target: str) -> bool:
    """Return whether the path occurs in code, or in a sentence that may say to create the file."""
    mentions = skill.mentions(target)
    return any(
        not file.is_markdown or file.doc.fence_at(line) or mentions_creation(file, line, target)
        for file, line in mentions
    )
