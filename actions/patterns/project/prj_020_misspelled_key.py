"""A frontmatter key of a command or an agent that misspells one that Claude Code reads.

It is:
- a known key in another spelling, such as `allowed_tools`, `desciption` or `disallowed-tools` in an agent (proven)
- a key of skills in an agent, such as `allowed-tools`, or a key of agents in a command, such as `tools` (proven)
It is not:
- a key of the author's own, or of another program
- a misspelling beside the right key
Why it is bad: The key has no effect, silently: an agent whose tools are restricted by `allowed-tools` has all tools.
Instead: Agents have `tools`, `disallowedTools` and `permissionMode`; commands have `allowed-tools` and `argument-hint`.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, UnitKind
from actions.project.misspelled_names import find_misspelled_keys

PATTERN = Pattern(
    id="PRJ-020",
    impact=("every_run", "easy"),
    strategies=("correct_name",),
    asked=False,
    kinds=(UnitKind.AGENT, UnitKind.COMMAND),
)
_TEXT = "---\nname: counter\n%s\n---\n\nCount.\n"
BAD = (
    {".claude/agents/counter.md": _TEXT % "description: Counts.\nallowed-tools: Read"},
    {".claude/agents/counter.md": _TEXT % "desciption: Counts."},
    {".claude/commands/count.md": _TEXT % "allowed_tools: Read"},
)
GOOD = (
    {".claude/agents/counter.md": _TEXT % "description: Counts.\ntools: Read\ncategory: birds"},
    {".claude/commands/count.md": _TEXT % "allowed-tools: Read\nversion: 2"},
)


def check(case: Case) -> Iterator[Finding]:
    """Yield the misspelled keys of this unit."""
    kind = "an agent" if case.skill.kind is UnitKind.AGENT else "a command"
    for found in find_misspelled_keys(case.skill):
        message = f"Claude Code ignores `{found.name[:60]}` in {kind}. Did you mean `{found.known}`?"
        yield Finding(case.skill.main_path, found.line, message, cause=found.name)
