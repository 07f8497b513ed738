"""Lets a reference name the file, section or script that it can only mean: moved, other case, spelling or extension.

Refuses where nothing fits or two things fit, and leaves the removal of dead references to the author.
"""

import posixpath
import re
from collections.abc import Iterator, Mapping

from actions.example import Example
from actions.facts.dataflow.artifacts import Mode, artifact_uses
from actions.facts.dataflow.contracts import unread, unwritten
from actions.facts.dataflow.file_names import base
from actions.facts.references.candidates import file_for, name_for, title_for
from actions.facts.references.missing import Kind, Missing
from actions.facts.references.paths import missing_references
from actions.skill import Case, Skill, SkillFile
from actions.skill.references import links
from actions.strategies.edits import Edit, edit
from actions.strategies.strategy import Draft, Strategy
from schemas.issues import Issue
from schemas.vocabulary import Confidence, Risk

STRATEGY = Strategy("repair_reference", ("DF-004", "DF-006", "DF-009", "SPEC-005"), Risk.LOW)

Swaps = dict[tuple[str, str], str]
"""(file, text as it stands) -> the text to write."""


def propose(issue: Issue, case: Case) -> Draft | None:
    """Repair every broken reference on the issue's lines, and the same ones elsewhere; None if one is unclear."""
    skill, file, line = case.skill, case.skill.by_path.get(issue.location.file), issue.location.line_start or 0
    if file is None:
        return None
    lines = range(line, max(line, issue.location.line_end or 0) + 1)
    swaps = _contract(skill, file, line) if issue.pattern in ("DF-004", "DF-006") else _references(skill, file, lines)
    return _draft(skill, swaps) if swaps else None


def _references(skill: Skill, file: SkillFile, lines: range) -> Swaps | None:
    broken = [*_broken_texts(skill, file), *_broken_links(skill, file)]
    wanted = [(old, new) for number, old, new in broken if number in lines]
    if not wanted or any(new is None for _, new in wanted):
        return None
    olds = {old for old, _ in wanted}
    return {(path, old): new for path, old, new in _everywhere(skill, olds) if new is not None}


def _everywhere(skill: Skill, olds: set[str]) -> Iterator[tuple[str, str, str | None]]:
    for file in skill.instructions:
        for _, old, new in (*_broken_texts(skill, file), *_broken_links(skill, file)):
            if old in olds:
                yield file.path, old, new


def _broken_texts(skill: Skill, file: SkillFile) -> Iterator[tuple[int, str, str | None]]:
    for missing in missing_references(skill):
        if missing.file == file.path:
            yield missing.line, missing.target, _meant(skill, missing)


def _meant(skill: Skill, missing: Missing) -> str | None:
    if missing.kind is Kind.SCRIPT:
        return f'"${{CLAUDE_SKILL_DIR}}/{missing.target}"'
    if missing.kind is Kind.SECTION:
        return title_for(missing.target, (s.title for f in skill.instructions for s in f.doc.sections if s.level))
    return file_for(skill, missing.target, missing.file) if missing.kind is Kind.PATH else None


def _broken_links(skill: Skill, file: SkillFile) -> Iterator[tuple[int, str, str | None]]:
    for link in links(file):
        if skill.resolve(link.target, file.path) is None and not link.target.startswith(".."):
            path = file_for(skill, link.target, file.path)
            here = posixpath.dirname(file.path)
            yield link.line, link.target, posixpath.relpath(path, here or ".") if path else None


def _contract(skill: Skill, file: SkillFile, line: int) -> Swaps | None:
    """The reader takes the writer's name, where one file is left unread and one read is never written."""
    lost, wanted = list(unread(skill)), list(unwritten(skill))
    for read in wanted:
        name = name_for(read.name, (use.name for use in lost))
        back = name_for(name, (use.name for use in wanted)) if name else None
        places = {(use.file, use.line) for use in (*lost, read) if use.name in (name, read.name)}
        if name and back == read.name and (file.path, line) in places:
            readers = {use.file for use in artifact_uses(skill) if use.name == read.name and use.mode is Mode.READ}
            return {(path, base(read.name)): base(name) for path in readers}
    return None


def _draft(skill: Skill, swaps: Swaps) -> Draft | None:
    writes: dict[str, bytes | None] = {}
    dropped: list[str] = []
    for path in sorted({path for path, _ in swaps}):
        file = skill.by_path[path]
        pairs = {old: new for (where, old), new in swaps.items() if where == path}
        changed = {n: new for n, line in enumerate(file.doc.lines, 1) if (new := _swap(line, pairs)) != line}
        dropped += [file.doc.line(n) for n in changed]
        writes[path] = edit(file, [Edit(n, n, [line]) for n, line in changed.items()])
    told = ", ".join(f"`{old}` becomes `{new}`" for old, new in sorted({(old, new) for (_, old), new in swaps.items()}))
    return Draft(
        writes=writes,
        description=f"Repair the reference: {told}.",
        rationale="The name led nowhere, and exactly one thing in the skill fits it.",
        impact="The model finds what the text sends it to.",
        token_limit=20 * sum(len(data or b"") > 0 for data in writes.values()),
        rewrites=tuple(dropped),
        confidence=Confidence.MEDIUM,
    )


def _swap(line: str, pairs: Mapping[str, str]) -> str:
    for old, new in pairs.items():
        before = _RUNS if new.startswith('"') else r"(?<![\w-])"
        line = re.sub(rf"(?P<lead>{before}){re.escape(old)}(?![\w-]|\.\w)", lambda m, new=new: m["lead"] + new, line)  # type: ignore[misc]
    return line


_RUNS = r"(?<![\w-])(?:python3?|bash|sh|node|uv run(?: python3?)?)\s+"

BEFORE: tuple[Example, ...] = (
    {
        "SKILL.md": "# Audit\n\n1. Read `references/severity-scale.md` before you grade.\n2. Grade.\n\nKeep `references/severity-scale.md` open.\n",
        "references/grading/severity_scale.md": "# Severity\n\nFour grades.\n",
    },
    {
        "SKILL.md": '# 部署\n\n1. 询问区域。\n2. `Read("phases/2-Rollout.md")`，按其步骤执行。\n',
        "phases/01-plan.md": "# 计划\n\n列出步骤。\n",
        "phases/02-rollout.md": "# 发布\n\n逐台进行。\n",
    },
    {
        "SKILL.md": "# Minutes\n\nWork in the user's repository.\n\n4. Commit the minutes with `git commit`.\n5. Run `python3 scripts/check_minutes.py docs/today.md` and mend what it names.\n",
        "scripts/check_minutes.py": "print('ok')\n",
    },
    {
        "phases/01-scan.md": "# Scan\n\nWrite the dependencies to `${workDir}/deps.json`.\n",
        "phases/02-rank.md": "# Rank\n\n```javascript\nconst deps = JSON.parse(Read(`${workDir}/dependencies.json`))\n```\n",
    },
    '# Grade\n\nGrade each answer; ties are settled as described in the "Breaking ties" section.\n\n## Breaking of ties\n\nThe older one wins.\n\n## Grades\n\nFrom one to five.\n',
    {
        "SKILL.md": "# Audit\n\n- [Grades](reference/grades.md): five of them\n- [Ties](reference/ties.md): how they are settled\n",
        "references/grades.md": "# Grades\n\nFive grades.\n",
        "references/ties.md": "# Ties\n\nThe older one wins.\n",
    },
)
AFTER: tuple[Example, ...] = (
    {
        "SKILL.md": "# Audit\n\n1. Read `references/grading/severity_scale.md` before you grade.\n2. Grade.\n\nKeep `references/grading/severity_scale.md` open.\n",
        "references/grading/severity_scale.md": "# Severity\n\nFour grades.\n",
    },
    {
        "SKILL.md": '# 部署\n\n1. 询问区域。\n2. `Read("phases/02-rollout.md")`，按其步骤执行。\n',
        "phases/01-plan.md": "# 计划\n\n列出步骤。\n",
        "phases/02-rollout.md": "# 发布\n\n逐台进行。\n",
    },
    {
        "SKILL.md": '# Minutes\n\nWork in the user\'s repository.\n\n4. Commit the minutes with `git commit`.\n5. Run `python3 "${CLAUDE_SKILL_DIR}/scripts/check_minutes.py" docs/today.md` and mend what it names.\n',
        "scripts/check_minutes.py": "print('ok')\n",
    },
    {
        "phases/01-scan.md": "# Scan\n\nWrite the dependencies to `${workDir}/deps.json`.\n",
        "phases/02-rank.md": "# Rank\n\n```javascript\nconst deps = JSON.parse(Read(`${workDir}/deps.json`))\n```\n",
    },
    """# Grade

Grade each answer; ties are settled as described in the "Breaking of ties" section.

## Breaking of ties

The older one wins.

## Grades

From one to five.
""",
    {
        "SKILL.md": "# Audit\n\n- [Grades](references/grades.md): five of them\n- [Ties](references/ties.md): how they are settled\n",
        "references/grades.md": "# Grades\n\nFive grades.\n",
        "references/ties.md": "# Ties\n\nThe older one wins.\n",
    },
)
