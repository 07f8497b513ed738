"""A type is defined twice.

It is:
- an interface, record type, enum or class of three fields or more that a spec, a phase or SKILL.md defines and another of these files defines again (proven)
- a JSON schema that two files of the workflow spell out for the same record
It is not:
- a sample that documents a third party's API, and must be complete to be understood
- an example record with values for the fields of the type
- a phase that lists the few fields that it fills in
Low when:
- the two are equal in every field
Why it is bad: A field that is added to one is missing in the other; then one step writes records by one definition and the next reads them by the other.
Instead: Define the type in the spec, and name the spec where the type is used.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, Severity
from actions.skill.types import TypePlace, find_conflicting_types, find_equal_types

PATTERN = Pattern(id="DOC-RED-003", impact=("every_run", "easy"), strategies=("consolidate_types",), cause="duplicate")
BAD = (
    {
        "specs/shapes.md": """```ts
export interface Finding {
  file: string; // relative
  line: number;
  rule: string;
}
```
""",
        "phases/01-look.md": """# Look

```ts
interface Finding { file: string, line: number, rule: string }
```
""",
    },
    {
        "specs/shapes.md": "```ts\ninterface Finding { file: string; line: number; rule: string }\n```\n",
        "phases/01-look.md": """# Look

```ts
interface Finding { file: string; line: string; rule: string }
```
""",
    },
)
GOOD = (
    {
        "specs/shapes.md": """# Shapes

```ts
interface Finding { file: string; line: number; rule: string }
```
""",
        "phases/01-look.md": "Return a list of `Finding` (see [shapes](../specs/shapes.md)). Set at least `{ file, line }`.\n",
    },
    {
        "references/forms.md": """```ts
type User = { id: string; name: string; mail: string }
form<User>()
```
""",
        "references/tables.md": """```ts
type User = { id: string; name: string; mail: string }
table<User>()
```
""",
    },
)


def check(case: Case) -> Iterator[Finding]:
    """Find repeated definitions of a type. They equal the first definition, or give a field another type."""
    for first, *others in find_equal_types(case.skill):
        for place in others:
            name, fields = place.definition.name, len(place.definition.fields)
            message = f"`{name}` repeats the {fields} fields of its definition at {first}."
            yield _build_finding(place, first, message, Severity.LOW)
    for place, first, field in find_conflicting_types(case.skill):
        member, first_member = (type_place.definition.members[field] for type_place in (place, first))
        name = place.definition.name
        message = f"`{name}` is defined with `{member}` here, but with `{first_member}` at {first}."
        yield _build_finding(place, first, message, PATTERN.severity)


def _build_finding(place: TypePlace, first: TypePlace, message: str, severity: Severity) -> Finding:
    repeated = place.definition
    also = (f"{first}: `{repeated.name}`",)
    return Finding(place.file.path, repeated.line, message, repeated.line_end, also, severity, subject=repeated.name)
