"""The name is missing, malformed or unlike the folder.

It is:
- a frontmatter without `name`, or with an empty one (proven)
- a name that is not 1 to 64 lower-case letters, digits and single hyphens (proven)
- a name that is not the folder's (proven)
It is not:
- a title in the text that differs from the name
Why it is bad: The specification asks for the name, and other tools refuse a skill without a valid one. Claude Code itself calls the skill by
its folder, and by this name as well.
Instead: Set `name:` to the name of the folder.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern
from actions.skill.frontmatter_keys import folder_name, is_well_formed

PATTERN = Pattern(id="SPEC-002", impact=("easy",), strategies=("repair_frontmatter",), asked=False)
_REST = """
description: Counts words. Use when a text must be counted.
---

Count the words.
"""
BAD = ({"SKILL.md": "---" + _REST}, {"SKILL.md": "---\nname: Word Counter!" + _REST})
GOOD = ({"SKILL.md": "---\nname: example" + _REST}, {"SKILL.md": '---\nname: "example"' + _REST})


def check(case: Case) -> Iterator[Finding]:
    """Report the first fault of the name."""
    skill, head = case.skill, case.skill.frontmatter
    if head.error:
        return
    name, path, line = head.text("name"), skill.main.path, head.lines.get("name", 1)
    folder = folder_name(skill.folder)
    if not name:
        yield Finding(path, line, "The frontmatter has no `name`.")
    elif not is_well_formed(name):
        message = f"The name `{name[:80]}` must be 1 to 64 lower-case letters, digits and single hyphens."
        yield Finding(path, line, message)
    elif folder and name != folder:
        yield Finding(path, line, f"The skill is named `{name}`, but its folder is named `{folder}`.")
