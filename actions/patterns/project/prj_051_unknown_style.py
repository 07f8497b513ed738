"""Settings name an output style that does not exist.

It is:
- an `outputStyle` that differs from a style only in upper and lower case, or in a letter (proven)
- the name of a style's file, if the frontmatter of the style has another `name` (proven)
It is not:
- a style that the user or an installed plugin may have
Why it is bad: Claude Code ignores the name without a message and answers in its default style.
Instead: Write the `name` in the style's frontmatter, in the same case; a style without a name has that of its file.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, UnitKind
from actions.project.style_names import find_unknown_style

PATTERN = Pattern(id="PRJ-051", impact=("every_run", "easy"), asks_model=False, kinds=(UnitKind.HOOKS,))
_SETTINGS = '{\n  "outputStyle": "%s"}\n'
_STYLE = {".claude/output-styles/brief.md": "---\nname: Terse Notes\ndescription: Brief.\n---\n\nWrite less.\n"}
BAD = (
    {".claude/settings.json": _SETTINGS % "terse notes", **_STYLE},
    {".claude/settings.json": _SETTINGS % "brief", **_STYLE},
    {".claude/settings.json": _SETTINGS % "explanatory"},
)
GOOD = (
    {".claude/settings.json": _SETTINGS % "Terse Notes", **_STYLE},
    {".claude/settings.json": _SETTINGS % "sober", **_STYLE},
    {".claude/settings.json": _SETTINGS % "Default"},
)


def check(case: Case) -> Iterator[Finding]:
    """Yield one finding if the output style of this settings file does not exist."""
    if style := find_unknown_style(case.project, case.unit):
        message = (
            f"Unknown output style `{style.name[:60]}`: Claude Code ignores it. Did you mean `{style.known[:80]}`?"
        )
        yield Finding(case.unit.path, style.line, message)
