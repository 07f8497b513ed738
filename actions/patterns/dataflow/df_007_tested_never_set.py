"""A condition waits for a value of the state that nothing sets.

It is:
- a field of the state that is compared with a value which no code, declaration or sentence of the skill gives it
- a value that the declared list of the field's values does not have
- a field that a condition asks for and that no step ever sets
It is not:
- a value that an agent, the user or a tool may give
- a field that is only shown or passed on
Low when:
- the branch that is never taken does nothing that the work needs
Why it is bad: The branch is always or never taken: a loop does not end, a step is skipped.
Instead: Set the value where the fact becomes known, or test the one that is set.
"""

import re
from collections.abc import Iterator
from difflib import get_close_matches

from actions.code.fields import Act, FieldUse, field_uses, object_names
from actions.code.tree import Code
from actions.patterns.pattern import Evidence, Family, Pattern
from actions.skill import Case, Skill
from actions.skill.mentions import is_mentioned
from actions.skill.states import declared

PATTERN = Pattern(id="DF-007", family=Family.DATAFLOW, impact=("blocks",), strategies=("field_normalization",))
BAD = (
    {
        "phases/1-sort.md": "```js\nif (ticket.age > 90) state.status = 'archive'\nelse state.status = 'open'\n```\n",
        "phases/2-close.md": "```javascript\nif (state.status === 'archived') close(ticket)\n```\n",
    },
    """```javascript
const incident = { id: slug(title), services: names, severity: null }
```

When all is read:

```javascript
if (incident.status === 'escalated') callManager()
```""",
    """```python
class State(TypedDict):
    stage: Literal["draft", "review", "done"]
```

```python
if state["stage"] == "reviewed":
    publish(letter)
```""",
)
GOOD = (
    """The user may set the status to `archived`.

```javascript
if (ticket.age > 90) state.status = 'stale'
if (state.status === 'archived') close(ticket)
```""",
    """```javascript
const incident = { id: slug(title), services: names }
incident.status = await Task({ subagent_type: 'judge', prompt: question })
if (incident.status === 'escalated') callManager()
```""",
)
Place = tuple[str, FieldUse]
_COMPARED = re.compile(r"\b(\w++)(?:\??\.\w++|\[[^\]\n]{1,80}\])\s*+[!=]=|[!=]==?\s*+(\w++)[.\[]")
"""Only code that holds what some text compares is parsed."""


def look(case: Case) -> Iterator[Evidence]:
    """Yield each literal that a field is compared with, that stands nowhere else, and that its values exclude."""
    skill = case.skill
    uses: dict[str, list[Place]] = {}
    for file in skill.told:
        for code in file.codes:
            for use in field_uses(code):
                uses.setdefault(use.name, []).append((file.path, use))
    for name, places in uses.items():
        values = _values(skill, name, places)
        tested = {use.value: place for place in reversed(places) if (use := place[1]).act is Act.TESTED and use.value}
        for value, (path, use) in tested.items():
            if values and value not in values:
                beside = frozenset((p, u.line) for p, u in places if u.act is Act.TESTED and u.value == value)
                if not is_mentioned(skill, value, beside=beside):
                    yield _evidence(path, use, values)
    yield from _undeclared(skill)


def _undeclared(skill: Skill) -> Iterator[Evidence]:
    """Yield each field that is compared and that nothing names but the comparisons: its record has other fields."""
    every = [(file.path, code) for file in skill.instructions for code in file.codes]
    equal = (code.text for _, code in every if "==" in code.text or "!=" in code.text)
    compared = {name for text in equal for names in _COMPARED.findall(text) for name in names}
    codes = [(path, code) for path, code in every if not code.words.isdisjoint(compared)]
    given, uses = _records(codes), dict[tuple[str, str], list[Place]]()
    for path, code in codes if given else ():
        for use in field_uses(code, frozenset(given)):
            uses.setdefault((use.owner, use.name), []).append((path, use))
    for (owner, name), places in uses.items():
        keys, where = given[owner]
        beside = frozenset((path, use.line) for path, use in places)
        tested = next((place for place in places if place[1].act is Act.TESTED), None)
        if tested and name not in keys and all(use.act in (Act.TESTED, Act.READ) for _, use in places):
            path, use = tested
            if not is_mentioned(skill, name, beside=beside) and not is_mentioned(skill, use.value or "", beside=beside):
                said = f"`{owner}.{name}` is compared with '{use.value}', and no other line of the skill names `{name}`"
                also = (f"{where}: {owner} = {{{', '.join(sorted(keys)[:8])}}}",)
                yield Evidence(path, use.line, f"{said}: {where} makes `{owner}` without it.", also=also)


def _records(codes: list[tuple[str, Code]]) -> dict[str, tuple[frozenset[str], str]]:
    """Return the records that one single literal in some codes makes: name -> keys and place."""
    found: dict[str, list[tuple[frozenset[str], str]]] = {}
    for path, code in codes:
        for name, (keys, line) in object_names(code).items():
            found.setdefault(name, []).append((keys, f"{path}:{line}"))
    return {name: given[0] for name, given in found.items() if len(given) == 1}


def _values(skill: Skill, name: str, places: list[Place]) -> dict[str, str]:
    """Return the values that a field is set to, or may have, with their places; empty where another one is possible."""
    sets = [(path, use) for path, use in places if use.act in (Act.SET, Act.GROWN)]
    if any(use.value is None for _, use in sets):
        return {}
    lists = declared(skill).get(name, ())
    found = {use.value: f"{path}:{use.line}" for path, use in sets if use.value}
    for one in lists if len(lists) == 1 else ():
        found.update(dict.fromkeys(sorted(one.values), f"{one.file}:{one.line}"))
    return found if len(lists) < 2 else {}


def _evidence(path: str, use: FieldUse, values: dict[str, str]) -> Evidence:
    near = (get_close_matches(use.value or "", values, 1, 0.7) or [next(iter(values))])[0]
    also = tuple(f"{place}: `{use.name}` is '{value}'" for value, place in values.items())
    said = f"`state.{use.name}` is compared with '{use.value}', which no other line of the skill names"
    message = f"{said}: its values are others, such as '{near}' in {values[near]}."
    return Evidence(path, use.line, message, also=also)
