"""The name is missing or malformed, or another one than users read.

It is:
- a frontmatter without `name`, or with an empty one (proven)
- a name that is not 1 to 64 lower-case letters, digits and single hyphens (proven)
- a name that is that of another skill beside it, or the folder's in another spelling (proven)
- a name that is not the folder's, although other texts of the project call the skill by the folder (proven)
It is not:
- another name than the folder's that misleads nobody: Claude Code accepts both
- no name in a skill of `.claude/skills` or a plugin, if nothing in the project is for another tool: Claude Code takes the folder's
- a placeholder such as `<name>` or `{{name}}` in a template, or outside of a folder `skills`
- a title in the text that differs from the name
- a name for people beside an `id` that is the name of the folder, or beside a `skill_id` or `product_id`
- a name in a copy that an installer or a notice marks as one: it comes from the source
- a habit: at least three skills of the project have no name, or names with colons, capitals, dots or underscores, but no blanks
- a folder's name that a text explains on one line with the other, or that a command or an agent has
Why it is bad: The specification requires the name, and other tools reject a skill without a valid one. Who knows only one of two
names does not find the other. Claude Code itself accepts both.
Instead: Set `name:` to the name of the folder.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern
from actions.project.loaders import is_for_claude_code_alone
from actions.project.naming import find_call_by_folder, find_namesake, is_habit, is_misspelled, is_unfilled
from actions.skill.frontmatter_keys import get_folder_name, is_well_formed

PATTERN = Pattern(id="SPEC-002", impact=("easy",), strategies=("repair_frontmatter",), asks_model=False)
_OTHER_IDS = ("skill_id", "product_id")
_REST = """
description: Counts words. Use when a text must be counted.
---

Count the words.
"""
BAD = ({"SKILL.md": "---" + _REST}, {"SKILL.md": "---\nname: Word Counter!" + _REST})
GOOD = (
    {"SKILL.md": "---\nname: tally-words" + _REST},
    {"SKILL.md": "---\nname: tally" + _REST + "\nThe commands `/tally` and `/example` do the same.\n"},
    {"SKILL.md": "---\nname: <skill-name>" + _REST},
    {"SKILL.md": "---\nid: example\nname: Count Words" + _REST},
    {"SKILL.md": "---\nskill_id: tally\nname: Word Counter!" + _REST},
    {"SKILL.md": "---\nname: example" + _REST},
    {"SKILL.md": '---\nname: "example"' + _REST},
)


def check(case: Case) -> Iterator[Finding]:
    """Report the first fault of the name. Equal faults of several skills have one cause."""
    frontmatter = case.skill.frontmatter
    name, folder = frontmatter.text("name"), get_folder_name(case.skill.folder) or ""
    has_id = name != "" and any(map(frontmatter.text, _OTHER_IDS))
    is_display_name = has_id or (folder != "" and frontmatter.text("id") == folder)
    if frontmatter.error or is_display_name or is_habit(case.project, name) or is_unfilled(case.unit, name):
        return
    path, line = case.skill.main.path, frontmatter.lines.get("name", 1)
    if not name:
        if not is_for_claude_code_alone(case.project, case.unit):
            yield Finding(path, line, "The frontmatter has no `name`.", cause="no name", is_shared=True)
    elif not is_well_formed(name):
        message = f"The name `{name[:80]}` must be 1 to 64 lower-case letters, digits and single hyphens."
        yield Finding(path, line, message, cause="malformed name", is_shared=True)
    elif folder and name != folder and (problem := _find_problem(case, name, folder)):
        yield Finding(path, line, f"The skill is named `{name}`, but {problem}.", cause="another name", is_shared=True)


def _find_problem(case: Case, name: str, folder: str) -> str:
    """Return why it matters that the name is not that of the folder, or ""."""
    if namesake := find_namesake(case.project, case.unit, name):
        return f"{namesake.path} is the skill of that name"
    if is_misspelled(name, folder):
        return f"its folder is named `{folder}`"
    place = find_call_by_folder(case.project, case.unit, name, folder)
    return f"{place.path}:{place.line} calls it `{folder}`, as its folder is named" if place else ""
