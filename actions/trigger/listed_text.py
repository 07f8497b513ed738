"""Reduce a skill to its entry in the skill listing of a session."""

import json

from actions.project.listing import ListedSkill, find_first_line
from actions.skill.document import list_body_lines
from actions.skill.frontmatter import parse_frontmatter

_LISTED_KEYS = (
    "name", "description", "when_to_use", "argument-hint", "disable-model-invocation", "user-invocable", "paths",
)  # fmt: skip
_MARK, _BODY = "---", "The skill is loaded."


def reduce_to_listing(skill: ListedSkill) -> str:
    """Return a SKILL.md that has the skill's entry in the listing but does nothing when it is called.

    It has no hooks, `!` commands, tools, model or context of its own. Each line of its frontmatter is a key with a JSON
    value. Claude Code lists the first line of the body if a skill has no description. This line becomes the
    description, so that Claude Code does not run a command in it.
    """
    lines = tuple(skill.text.lstrip("\ufeff").splitlines())
    frontmatter = parse_frontmatter(lines)
    values = {key: frontmatter.values[key] for key in _LISTED_KEYS if key in frontmatter.values}
    if not frontmatter.text("description"):
        values["description"] = find_first_line(list_body_lines(lines))
    frontmatter_lines = [
        f"{key}: {json.dumps(value, ensure_ascii=False, default=str)}" for key, value in values.items()
    ]
    return "\n".join((_MARK, *frontmatter_lines, _MARK, "", _BODY, ""))
