"""Reduce a skill to the parts that determine its entry in the listing of a session."""

import json

from actions.project.listing import ListedSkill, find_first_line
from actions.skill.frontmatter import parse_frontmatter

_LISTED = (
    "name", "description", "when_to_use", "argument-hint", "disable-model-invocation", "user-invocable", "paths",
)  # fmt: skip
_MARK, _BODY = "---", "The skill is loaded."


def reduce_to_listing(skill: ListedSkill) -> str:
    """Return a SKILL.md with the skill's entry in the listing that does nothing when it is called.

    It has no hooks, `!` commands, tools, model or context of its own. Its frontmatter has one key with a JSON value per
    line. If a skill has no description, Claude Code lists the first line of its body. This line becomes the
    description, so that Claude Code runs no command in it.
    """
    lines = tuple(skill.text.lstrip("\ufeff").splitlines())
    frontmatter = parse_frontmatter(lines)
    values = {key: frontmatter.values[key] for key in _LISTED if key in frontmatter.values}
    if not frontmatter.text("description"):
        values["description"] = find_first_line(lines[frontmatter.end :])
    own = [f"{key}: {json.dumps(value, ensure_ascii=False, default=str)}" for key, value in values.items()]
    return "\n".join((_MARK, *own, _MARK, "", _BODY, ""))
