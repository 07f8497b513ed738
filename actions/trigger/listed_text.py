"""Reduce a skill to what the listing of a session shows of it."""

import json

from actions.project.listing import ListedSkill
from actions.skill.frontmatter import parse_frontmatter

_LISTED = (
    "name", "description", "when_to_use", "argument-hint", "disable-model-invocation", "user-invocable", "paths",
)  # fmt: skip
_MARK, _BODY = "---", "The skill is loaded."


def reduce_to_listing(skill: ListedSkill) -> str:
    """Return a SKILL.md that is listed as the skill is and that does nothing when it is called.

    Its hooks, `!` commands, tools, model, and its own context (a sub-agent) are left out: a call ends the run. The
    frontmatter is written anew with one JSON value per line. A skill without a description is listed with the first
    line of its body, so this line stays.
    """
    lines = tuple(skill.text.lstrip("\ufeff").splitlines())
    head = parse_frontmatter(lines)
    values = {key: head.values[key] for key in _LISTED if key in head.values}
    own = [f"{key}: {json.dumps(value, ensure_ascii=False, default=str)}" for key, value in values.items()]
    first = next((line for line in lines[head.end :] if line.strip()), _BODY).replace("!`", "`")
    body = _BODY if values.get("description") else first
    return "\n".join((_MARK, *own, _MARK, "", body, ""))
