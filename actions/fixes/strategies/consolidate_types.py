"""Replace the definition of a type with a reference to the only spec that has an equal definition."""

import posixpath

from actions.case import Case
from actions.fixes.strategies.edits import Edit, RemovedStatements, apply_edits, get_indent
from actions.fixes.strategies.strategy import Draft, Strategy
from actions.regex import regex
from actions.skill import Role, Skill
from actions.skill.references import find_links, find_spans
from actions.skill.types import TypePlace, find_equal_types
from schemas.issues import Issue
from schemas.vocabulary import Risk

STRATEGY = Strategy("consolidate_types", fixes=("DOC-RED-003",), risk=Risk.LOW)
_COMMENT = regex(r"(?://|#|/\*|\"\"\").*")
_DEFINITION = regex(r"\s*(?:export\s+)?(?:interface|type|enum|class)\b")


def propose(issue: Issue, case: Case) -> Draft | None:
    """Replace the type definition at the issue with a reference, if exactly one spec defines the same type."""
    skill, path, line = case.skill, issue.location.file, issue.location.line_start or 0
    for places in find_equal_types(skill):
        duplicate = next(
            (p for p in places if p.file.path == path and p.definition.line <= line <= p.definition.line_end), None
        )
        specs = [place for place in places if place.file.role is Role.SPEC]
        if duplicate and len(specs) == 1 and duplicate is not specs[0] and _is_removable(duplicate, specs[0]):
            return _draft_replacement(skill, duplicate, specs[0])
    return None


def _is_removable(duplicate: TypePlace, spec: TypePlace) -> bool:
    """Return whether a duplicate begins its line, has no decorator, and has only comments that are in the spec."""
    doc, definition = duplicate.file.doc, duplicate.definition
    known = "\n".join(_get_lines(spec))
    comments = [match[0] for line in _get_lines(duplicate) if (match := _COMMENT.search(line))]
    is_decorated = doc.line(definition.line - 1).lstrip().startswith("@")
    is_first = _DEFINITION.match(doc.line(definition.line)) is not None
    return is_first and not is_decorated and all(text in known for text in comments)


def _get_lines(place: TypePlace) -> tuple[str, ...]:
    return place.file.doc.lines[place.definition.line - 1 : place.definition.line_end]


def _draft_replacement(skill: Skill, duplicate: TypePlace, spec: TypePlace) -> Draft:
    file, definition, path = duplicate.file, duplicate.definition, spec.file.path
    writes = {file.path: apply_edits(file, [_replace_definition(duplicate, path)])}
    return Draft(
        writes=writes,
        description=f"Keep `{definition.name}` in {path} and refer to it in {file.path}.",
        rationale="The type was defined twice, and one could be changed without the other.",
        impact="The type is defined once; the reference is one line.",
        token_limit=10,
        drops=RemovedStatements(
            skill, writes, [(file.path, number) for number in range(definition.line, definition.line_end + 1)]
        ),
    )


def _replace_definition(duplicate: TypePlace, spec: str) -> Edit:
    """Replace a fence that defines only the type with a sentence, or a definition beside other code with a comment."""
    file, definition, doc = duplicate.file, duplicate.definition, duplicate.file.doc
    fence = doc.fence_at(definition.line)
    rest = [line for n, line in doc.code(fence) if not definition.line <= n <= definition.line_end] if fence else [""]
    if fence and not any(line.strip() for line in rest):
        plain = not any(find_links(file)) and any(find_spans(file))
        path = posixpath.relpath(spec, posixpath.dirname(file.path) or ".")
        where = f"`{spec}`" if plain else f"[{spec}]({path})"
        sentence = (
            f"`{definition.name}` 的定义见{where}。"
            if file.is_chinese
            else f"`{definition.name}` is defined in {where}."
        )
        return Edit(fence.start, fence.end, [get_indent(doc.line(fence.start)) + sentence])
    sentence = f"{definition.name}：见 {spec}" if file.is_chinese else f"{definition.name}: see {spec}"
    return Edit(
        definition.line,
        definition.line_end,
        [f"{get_indent(doc.line(definition.line))}{definition.comment} {sentence}"],
    )


_SPEC = {
    "specs/shapes.md": """# Shapes

```ts
export interface Finding {
  file: string;   // relative to the root
  line: number;
  rule: string;
}
```
"""
}
_TYPE = "interface Finding { file: string, line: number, rule: string }"
_LOOK_PHASE = "# Look\n\nEach finding has this shape:\n\n{}\n\nThen stop.\n"
_REPORT_PHASE = "# 汇报\n\n```typescript\n{}\nlook(files)\n```\n"
BEFORE = (
    {**_SPEC, "phases/01-look.md": _LOOK_PHASE.format(f"```ts\n{_TYPE}\n```")},
    {**_SPEC, "phases/02-tell.md": _REPORT_PHASE.format(_TYPE)},
)
AFTER = (
    {
        **_SPEC,
        "phases/01-look.md": _LOOK_PHASE.format("`Finding` is defined in [specs/shapes.md](../specs/shapes.md)."),
    },
    {**_SPEC, "phases/02-tell.md": _REPORT_PHASE.format("// Finding：见 specs/shapes.md")},
)
