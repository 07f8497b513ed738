"""Keeps a type where it is defined first, a spec before a phase, and names that place where it was defined again.

Only where the second definition says nothing that the first does not: each of its lines stands there.
"""

import posixpath

from actions.facts.context.deferral import anchor_of
from actions.facts.docs.defined_types import Type, twin_types
from actions.proof.losses import unsaid
from actions.skill import Case, Skill, SkillFile
from actions.skill.references import links, spans
from actions.strategies.edits import Edit, edit, indent_of
from actions.strategies.strategy import Draft, Strategy
from schemas.issues import Issue
from schemas.vocabulary import Risk

STRATEGY = Strategy("consolidate_types", mends=("DOC-RED-003",), risk=Risk.LOW)


def propose(issue: Issue, case: Case) -> Draft | None:
    """Draft the reference in place of the second definition; None where it holds a line of its own."""
    skill, place = case.skill, (issue.location.file, issue.location.line_start)
    second, first = next(((s, f) for s, f in twin_types(skill) if (s.file, s.start) == place), (None, None))
    if second is None or first is None or not _lines(skill, second) <= _lines(skill, first):
        return None
    file = skill.by_path[second.file]
    told = _told(skill, file, second, first)
    if told is None:
        return None
    writes = {file.path: edit(file, [_change(file, second, told)])}
    return Draft(
        writes=writes,
        description=f"Keep `{second.name}` in {first.file} and name that place in {second.file}.",
        rationale="The type was defined twice, and each could be changed without the other.",
        impact="One definition holds; the other place costs one line.",
        token_limit=10,
        drops=unsaid(skill, skill.replaced(writes), _text(skill, second)),
    )


def _lines(skill: Skill, found: Type) -> set[str]:
    """Give what a definition says, line by line, without the words that only open it."""
    texts = (line.strip().removeprefix("export ").rstrip(";,") for line in _text(skill, found))
    return {text for text in texts if text}


def _text(skill: Skill, found: Type) -> tuple[str, ...]:
    return skill.by_path[found.file].doc.lines[found.start - 1 : found.end]


def _told(skill: Skill, file: SkillFile, second: Type, first: Type) -> tuple[str, str] | None:
    """Give how the place is named in prose and in a comment; None where both stand in one section."""
    section = skill.by_path[first.file].doc.section_at(first.start)
    if first.file == second.file:
        same = not section.level or section == file.doc.section_at(second.start)
        return None if same else (f"[{section.title}](#{anchor_of(section.title)})", f"“{section.title}”")
    path = posixpath.relpath(first.file, posixpath.dirname(file.path) or ".")
    plain = not any(links(file)) and any(spans(file))
    return (f"`{first.file}`" if plain else f"[{first.file}]({path})"), first.file


def _change(file: SkillFile, second: Type, told: tuple[str, str]) -> Edit:
    """Give the edit: a fence that holds nothing else goes, in another one a comment stays."""
    fence = file.doc.fence_at(second.start)
    chinese = any("\u3400" <= char <= "\u9fff" for char in file.text)
    rest = [line for n, line in file.doc.code(fence) if not second.start <= n <= second.end] if fence else []
    if fence and not any(line.strip() for line in rest):
        said = f"`{second.name}` 的定义见{told[0]}。" if chinese else f"`{second.name}` is defined in {told[0]}."
        return Edit(fence.start, fence.end, [indent_of(file.doc.line(fence.start)) + said])
    mark = "#" if fence and fence.lang in ("py", "python") else "//"
    said = f"{second.name}：见 {told[1]}" if chinese else f"{second.name}: see {told[1]}"
    return Edit(second.start, second.end, [f"{indent_of(file.doc.line(second.start))}{mark} {said}"])


_FINDING = "interface Finding {\n  file: string\n  line: number\n  rule: string\n  text: string\n}\n"
_SPEC = f"# Shapes\n\n## Finding\n\n```typescript\n{_FINDING}```\n"
_LOOK = "# Look\n\nEach finding has this shape:\n\n{}\n\nThen stop.\n"
_CODE = "# Tell\n\n```typescript\n{}\nconst found: Finding[] = look(files)\n```\n"
BEFORE = (
    {"specs/shapes.md": _SPEC, "phases/01-look.md": _LOOK.format(f"```ts\n{_FINDING}```")},
    {
        "specs/shapes.md": _SPEC,
        "phases/02-tell.md": _CODE.format(f"export {_FINDING}".replace("  text: string\n", "")),
    },
    f"# 检查\n\n调用 `Task()`，失败时报告。\n\n## 结构\n\n```typescript\n{_FINDING}```\n\n## 输出\n\n```typescript\nexport {_FINDING}```\n",
)
AFTER = (
    {
        "specs/shapes.md": _SPEC,
        "phases/01-look.md": _LOOK.format("`Finding` is defined in [specs/shapes.md](../specs/shapes.md)."),
    },
    {"specs/shapes.md": _SPEC, "phases/02-tell.md": _CODE.format("// Finding: see specs/shapes.md\n")},
    f"# 检查\n\n调用 `Task()`，失败时报告。\n\n## 结构\n\n```typescript\n{_FINDING}```\n\n## 输出\n\n`Finding` 的定义见[结构](#结构)。\n",
)
