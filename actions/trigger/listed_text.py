"""Reduce a skill to the parts that determine its entry in the listing of a session."""

import json

from actions.project.listing import ListedSkill
from actions.skill.frontmatter import parse_frontmatter

_LISTED = (
    "name", "description", "when_to_use", "argument-hint", "disable-model-invocation", "user-invocable", "paths",
)  # fmt: skip
_MARK, _BODY = "---", "The skill is loaded."


def reduce_to_listing(skill: ListedSkill) -> str:
    """Return a SKILL.md that has the same entry in the listing as the skill and does nothing when it is called.

    It has no hooks, `!` commands, tools, model or context of its own. Its frontmatter has one key with a JSON value per
    line. A skill without a description is listed with the first line of its body, so that line stays.
    """
    lines = tuple(skill.text.lstrip("\ufeff").splitlines())
    frontmatter = parse_frontmatter(lines)
    values = {key: frontmatter.values[key] for key in _LISTED if key in frontmatter.values}
    own = [f"{key}: {json.dumps(value, ensure_ascii=False, default=str)}" for key, value in values.items()]
    first = next((line for line in lines[frontmatter.end :] if line.strip()), _BODY).replace("!`", "`")
    body = _BODY if values.get("description") else first
    return "\n".join((_MARK, *own, _MARK, "", body, ""))
