"""A frontmatter value that YAML cuts off at ` #`.

It is:
- an unquoted `description`, `when_to_use` or `argument-hint` with a `#` after a space, such as `Fixes issue #12` (proven)
It is not:
- a value in quotes or under `|`
- a comment: `# ` after a sentence or a single word
Low when:
- only the end of a parenthesis or at most a third of a description is cut off, and it does not say when or how to use the unit: `(from issue #2)`
Why it is bad: Everything from the `#` on is a comment. The model does not see the end of the description, which often says when to
use the skill.
Instead: Put the value in quotes.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, Severity, UnitKind
from actions.project.frontmatter import find_cut_values

PATTERN = Pattern(
    id="PRJ-021",
    impact=("every_run", "easy"),
    strategies=("quote_value",),
    asks_model=False,
    kinds=(UnitKind.SKILL, UnitKind.AGENT, UnitKind.COMMAND),
)
_TEXT = "---\nname: counter\n%s\n---\n\nCount.\n"
BAD = (
    {".claude/agents/counter.md": _TEXT % "description: Counts the birds of #bay and #pier"},
    {"SKILL.md": _TEXT % "description: Use when someone asks for C #, F # or Java"},
)
GOOD = (
    {".claude/agents/counter.md": _TEXT % 'description: "Counts the birds of #bay and #pier"'},
    {"SKILL.md": _TEXT % "description: Counts birds. # keep it short"},
    {".claude/commands/count.md": _TEXT % "description: Counts C# and issue#12"},
)


def check(case: Case) -> Iterator[Finding]:
    """Yield the values of this unit that YAML cuts off."""
    for cut in find_cut_values(case.skill.main.text):
        severity = Severity.LOW if cut.is_aside else PATTERN.severity
        yield Finding(case.skill.main_path, cut.line, f"YAML cuts off this value: {cut.problem}.", severity=severity)
