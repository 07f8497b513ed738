"""The name is missing, malformed or unlike the folder.

It is:
- a frontmatter without `name`, or with an empty one (proven)
- a name that is not 1 to 64 lower-case letters, digits and single hyphens (proven)
- a name that is not the folder's (proven)
It is not:
- a title in the text that differs from the name
Low when:
- the name is well-formed and only unlike the folder, which an installer may have renamed
- the name is the folder's, written with capitals, blanks, underscores or colons
- the name begins with that of the plugin and a colon: Claude Code accepts it, the specification does not
Why it is bad: The specification asks for the name, and other tools refuse a skill without it. A skill is called by its
name: where folder and name differ, a call by one of them finds nothing.
Instead: Set `name:` to the name of the folder.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, Severity
from actions.project.plugins import find_plugin
from actions.skill.frontmatter_keys import folder_name, is_spelling, is_well_formed

PATTERN = Pattern(id="SPEC-002", impact=("blocks",), strategies=("repair_frontmatter",), asked=False)
_REST = """
description: Counts words. Use when a text must be counted.
---

Count the words.
"""
BAD = ({"SKILL.md": "---" + _REST}, {"SKILL.md": "---\nname: Word Counter!" + _REST})
GOOD = ({"SKILL.md": "---\nname: example" + _REST}, {"SKILL.md": '---\nname: "example"' + _REST})


def check(case: Case) -> Iterator[Finding]:
    """Report what is wrong with the name, at most one finding."""
    skill, head = case.skill, case.skill.frontmatter
    if head.error:
        return
    name, path, line = head.text("name"), skill.main.path, head.lines.get("name", 1)
    folder = folder_name(skill.folder)
    if not name:
        yield Finding(path, line, "The frontmatter has no `name`.")
    elif not is_well_formed(name):
        message = f"The name `{name[:80]}` must be 1 to 64 lower-case letters, digits and single hyphens."
        is_low = _has_plugin(case, name) or (folder is not None and is_spelling(name, folder))
        yield Finding(path, line, message, severity=Severity.LOW if is_low else PATTERN.severity)
    elif folder and name != folder:
        message = f"The skill is named `{name}`, but its folder is named `{folder}`."
        yield Finding(path, line, message, severity=Severity.LOW)


def _has_plugin(case: Case, name: str) -> bool:
    """Return whether a name is the plugin's and a well-formed one, joined by a colon."""
    plugin = find_plugin(case.project, case.unit.path)
    return plugin is not None and name.startswith(f"{plugin.name}:") and is_well_formed(name[len(plugin.name) + 1 :])
