"""State fields that are declared or set and that nothing looks at."""

import re
from collections.abc import Mapping

from actions.facts.state.fields import Act, FieldUse, field_uses
from actions.skill.places import lines_naming
from actions.skill.skill import Skill

_PASSING = frozenset(
    "debug dbg debugging cache cached tmp temp temporary scratch scratchpad dump verbose trace".split()
)


_MOST = 40


def idle_fields(skill: Skill) -> Mapping[str, tuple[FieldUse, ...]]:
    """Give debug, cache and scratch fields with their uses: all declare or set it, and no other line does more."""
    fields: dict[str, list[FieldUse]] = {}
    for use in field_uses(skill):
        if use.name in fields or (len(fields) < _MOST and is_passing(use.name)):
            fields.setdefault(use.name, []).append(use)
    return {
        name: tuple(uses)
        for name, uses in fields.items()
        if all(use.act in (Act.DECLARE, Act.SET) for use in uses) and _only_there(skill, name, uses)
    }


def is_passing(name: str) -> bool:
    """Tell whether a name says debug, cache or scratch."""
    parts = {part.lower() for part in re.findall(r"[a-z]+|[A-Z][a-z]*", name)}
    return bool(parts & _PASSING)


def _only_there(skill: Skill, name: str, uses: list[FieldUse]) -> bool:
    places = {(use.file, use.line) for use in uses}
    used = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)(?![\"'`*]*\s*[:：|])|\.{re.escape(name)}(?!\w)")
    return not any((file.path, n) not in places and used.search(line) for file, n, line in lines_naming(skill, name))
