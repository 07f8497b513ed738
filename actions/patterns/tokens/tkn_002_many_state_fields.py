"""The state has more than 15 fields.

It is:
- a literal, type or JSON sample of the skill's state with more than 15 fields at its top level (proven)
It is not:
- a record of the domain: a form, an answer of a service, a row of a table
- fields within a group of the state
Why it is bad: The state is read and written in every step, so each field costs tokens in every step.
Instead: Keep the fields that a later step reads, group what belongs together, and write what is only recorded to a log.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern
from actions.skill.states import find_state_shapes

PATTERN = Pattern(
    id="TKN-002", impact=("every_run",), strategies=("state_field_reduction",), cause="state-size", asks_model=False
)
_MAX_FIELDS = 15
_NAMES = "id phase round target owner opened changed files errors warnings notes score best last next done".split()
_JSON = ", ".join(f'"{name}": null' for name in _NAMES)
_FIELDS = "\n".join(f"  {name}: string;" for name in _NAMES)
BAD = (
    {
        "SKILL.md": "# Tune\n\nThe state is kept in `state.json`, see [its shape](specs/state.md).\n",
        "specs/state.md": f"""# State

```typescript
interface TuneState {{
{_FIELDS}
}}
```
""",
    },
    f"""Begin with this `tune-state.json`:

```json
{{{_JSON}}}
```
""",
)
GOOD = (
    f"""Keep `state.json`.

The service answers:

```ts
interface Answer {{
{_FIELDS}
}}
```
""",
    f"""A reducer of your app:

```ts
interface CartState {{
{_FIELDS}
}}
```
""",
)


def check(case: Case) -> Iterator[Finding]:
    """Report the state declaration with the most fields, and other large declarations in `also`."""
    large = sorted(
        (shape for shape in find_state_shapes(case.skill) if len(shape.fields) > _MAX_FIELDS),
        key=lambda shape: -len(shape.fields),
    )
    if large:
        first, *rest = large
        message = f"The state has {len(first.fields)} top-level fields. Keep it to {_MAX_FIELDS} or fewer."
        also = tuple(f"{shape.file}:{shape.line}: {len(shape.fields)} fields" for shape in rest)
        yield Finding(first.file, first.line, message, first.line_end, also)
