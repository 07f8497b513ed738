"""A text calls a subcommand of `claude plugin` or `claude mcp` that does not exist.

It is:
- a command in shell code or a code span whose subcommand Claude Code does not know (proven)
It is not:
- a subcommand that the text calls removed, planned or wrong
- a command of another program, or one with a placeholder for the subcommand
Why it is bad: The command ends with "unknown command", and the model or the user has to guess the right one.
Instead: Write the subcommand that `claude plugin --help` or `claude mcp --help` lists.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, UnitKind
from actions.project.subcommands import find_unknown_subcommands

PATTERN = Pattern(
    id="PRJ-041",
    impact=("blocks",),
    asks_model=False,
    kinds=(UnitKind.SKILL, UnitKind.AGENT, UnitKind.COMMAND, UnitKind.MEMORY),
)
BAD = (
    {"SKILL.md": "# Renew\n\n```bash\nclaude plugin remove-marketplace birds\n```\n"},
    {"SKILL.md": "# Renew\n\nThen run `claude mcp restart birds`.\n"},
)
GOOD = (
    {"SKILL.md": "# Renew\n\n```bash\nclaude plugin marketplace remove birds\nclaude plugin <command>\n```\n"},
    {"SKILL.md": "# Renew\n\nRun `claude mcp get birds`. `claude mcp restart` does not exist.\n"},
)


def check(case: Case) -> Iterator[Finding]:
    """Yield the subcommands that do not exist."""
    for unknown in find_unknown_subcommands(case.skill):
        hint = f" Did you mean `{unknown.near}`?" if unknown.near else ""
        yield Finding(
            unknown.file,
            unknown.line,
            f"Claude Code has no command `{unknown.command}`.{hint}",
            cause=unknown.command,
            is_shared=True,
        )
