"""A type is defined twice.

What it sees: In the skill's own pseudo-code, an `interface`, `type`, `enum` or class of fields that stands again under the same name
with mostly the same fields, or in another file with two of them and a third of all.
Why it is bad: A field added to one is missing in the other; the model writes records by the one it read, and the reader
of the record expects the other.
Instead: Define it in the spec, and name the spec where it is used.
May be wrong: A phase may show the part that it fills in. Two definitions with equal fields do no harm yet: low.
"""

from collections.abc import Iterator

from actions.facts.docs.defined_types import twin_types
from actions.patterns.pattern import Evidence, Pattern
from actions.skill import Case
from schemas.vocabulary import Confidence, Family, Severity

PATTERN = Pattern(
    id="DOC-RED-003",
    family=Family.REDUNDANCY,
    impact=("every_run", "easy"),
    confidence=Confidence.MEDIUM,
    strategies=("consolidate_types",),
    cause="duplicate",
)
_FINDING = "interface Finding {\n  file: string\n  line: number\n  rule: string\n  text: string\n}\n"
BAD = (
    {
        "SKILL.md": "# Lines\n\n```typescript\ninterface Stop { id: string; name: string; zone: number; lift: boolean }\n```\n",
        "references/feed.md": "# Feed\n\n```typescript\ninterface Stop { id: string; label: string; zone: string }\n```\n",
    },
    {
        "specs/shapes.md": f"# Shapes\n\n```typescript\n{_FINDING}```\n",
        "phases/01-look.md": "# Look\n\n```ts\n"
        + _FINDING.replace("  text: string\n", "  text: string\n  weight: number\n")
        + "```\n",
    },
    f"# 检查\n\n调用 `Task()`。\n\n## 结构\n\n```typescript\n{_FINDING}```\n\n## 输出\n\n```typescript\nexport {_FINDING}```\n",
    {
        "phases/01-look.md": "# Look\n\n```python\nclass Finding(TypedDict):\n    file: str\n    line: int\n    rule: str\n```\n",
        "phases/02-tell.md": "# Tell\n\n```python\nclass Finding(TypedDict):\n    file: str\n    line: int\n    rule: str\n    text: str\n```\n",
    },
)
GOOD = (
    {
        "specs/shapes.md": f"# Shapes\n\n```typescript\n{_FINDING}```\n",
        "phases/01-look.md": "# Look\n\nEach finding is a `Finding` of `specs/shapes.md`.\n",
    },
    {
        "phases/01-look.md": f"# Look\n\n```typescript\n{_FINDING}```\n",
        "phases/02-告知.md": "# 告知\n\n```typescript\ninterface Finding {\n  title: string\n  owner: string\n  due: string\n}\n```\n",
    },
)


def look(case: Case) -> Iterator[Evidence]:
    """Give each second definition; it is medium where the fields differ between two files."""
    for second, first in twin_types(case.skill):
        differ = sorted(second.fields ^ first.fields)
        told = f"`{second.name}` is defined here and in {first.file}:{first.start}"
        told += (
            f"; they differ in {', '.join(f'`{name}`' for name in differ[:5])}." if differ else " with the same fields."
        )
        severity = None if differ and second.file != first.file else Severity.LOW
        also = (f"{first.file}:{first.start}: {first.name}",)
        yield Evidence(second.file, second.start, told, line_end=second.end, also=also, severity=severity)
