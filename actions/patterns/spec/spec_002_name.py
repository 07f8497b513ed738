"""The name is missing or malformed, or differs from the folder's.

It is:
- a frontmatter without `name`, or with an empty one (proven)
- a name that is not 1 to 64 lower-case letters, digits and single hyphens (proven)
- a name that differs from the name of the folder (proven)
It is not:
- a title in the text that differs from the name
- a name for people beside an `id` that is the name of the folder
- a second name that README.md, a memory file or the skill itself gives beside the name of the folder
- the folder's name with the name of the author (`metadata: author:`) before it
- a family of at least five skills of the project: their names have the same prefix before the folder's name (`ada-count`, `ada:count`), or they have the same keys, but no `name`
- the name under which a text beside a package.json publishes the skill (`--slug birds`)
- a convention: the name is that of the plugin and the folder (`birds-count` or `birds:count`), at least three folders of the project have the same affix beside the name (`01-count`, `count-skill`) or a hyphen for its colon, or most skills of the plugin are named `group:name` or have the same affix in the name or the folder only, at least three are named like their folders with capitals or underscores, or none of at least three has a name
Why it is bad: The specification requires the name, and other tools reject a skill without a valid one. Claude Code itself accepts
both the name of the folder and this name.
Instead: Set `name:` to the name of the folder.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern
from actions.project.naming import follows_convention, has_prefix_of_author, is_second_name
from actions.skill.frontmatter_keys import get_folder_name, is_well_formed

PATTERN = Pattern(id="SPEC-002", impact=("easy",), strategies=("repair_frontmatter",), asks_model=False)
_REST = """
description: Counts words. Use when a text must be counted.
---

Count the words.
"""
BAD = ({"SKILL.md": "---" + _REST}, {"SKILL.md": "---\nname: Word Counter!" + _REST})
GOOD = (
    {"SKILL.md": "---\nname: ada-example\nmetadata:\n  author: Ada" + _REST},
    {"SKILL.md": "---\nname: tally" + _REST + "\nThe commands `/tally` and `/example` do the same.\n"},
    {"SKILL.md": "---\nid: example\nname: Count Words" + _REST},
    {"SKILL.md": "---\nname: example" + _REST},
    {"SKILL.md": '---\nname: "example"' + _REST},
)


def check(case: Case) -> Iterator[Finding]:
    """Report the first fault of the name."""
    skill, frontmatter = case.skill, case.skill.frontmatter
    if frontmatter.error:
        return
    name, path, line = frontmatter.text("name"), skill.main.path, frontmatter.lines.get("name", 1)
    folder = get_folder_name(skill.folder) or ""
    is_display_name = folder != "" and frontmatter.text("id") == folder
    if is_display_name or follows_convention(case.project, case.unit, name):
        return
    if has_prefix_of_author(frontmatter, folder, name) or is_second_name(case.project, case.unit, folder, name):
        return
    if not name:
        yield Finding(path, line, "The frontmatter has no `name`.")
    elif not is_well_formed(name):
        message = f"The name `{name[:80]}` must be 1 to 64 lower-case letters, digits and single hyphens."
        yield Finding(path, line, message)
    elif folder and name != folder:
        yield Finding(path, line, f"The skill is named `{name}`, but its folder is named `{folder}`.")
