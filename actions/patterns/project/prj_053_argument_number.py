"""A command or a skill takes `$1` for its first argument.

It is:
- `$1` in the text of a command or a skill with an `argument-hint`, and no `$0`: `$1` is the second argument (proven)
- a list item or a table row of a command that defines `$1`, such as "- `$1`: the branch", and no `$0` (proven)
- lines of a command such as "branch: $1" and "base: $2", and no `$0` (proven)
It is not:
- a number in a code block or in code with spaces, where it may be that of a shell, of awk or of SQL
- an amount of money, the prefix of a hash (`$1$`), or an escaped `\\$1`
- a text of another tool, which may count from 1
Low when:
- the text also has `$ARGUMENTS`, so that no argument is lost, and neither a command that Claude Code runs (``!`…` ``) nor a file that it attaches (`@…`) has `$1`
- the text has only `$1`, in neither, and the hint has at most one argument, which Claude Code appends: it leaves `$1` as it is
Why it is bad: Claude Code counts from 0, as in `$ARGUMENTS[0]`. With two arguments, the first is lost and the second takes its
place; a number without an argument stays in the text as it is.
Instead: Write `$0` for the first argument and `$1` for the second, or `$ARGUMENTS` for all.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, Severity, UnitKind
from actions.project.argument_numbers import find_counted_arguments
from actions.project.other_tools import is_for_other_tool

PATTERN = Pattern(
    id="PRJ-053", impact=("every_run", "easy"), asks_model=False, kinds=(UnitKind.COMMAND, UnitKind.SKILL)
)
_PATH = ".claude/commands/count.md"
_TEXT = "---\ndescription: Counts birds.\n%s---\n\n%s\n"
_HINT = "argument-hint: <place> [hour]\n"
BAD = (
    {_PATH: _TEXT % (_HINT, "Count the birds of $1 at $2.")},
    {_PATH: _TEXT % ("", "- `$1`: the place\n- `$2`: the hour")},
    {_PATH: _TEXT % ("", "## Variables\nplace: $1\nhour: $2, or now")},
    {_PATH: _TEXT % (_HINT, "Read birds/$1.md and append $ARGUMENTS.")},
    {".claude/skills/count/SKILL.md": _TEXT % (f"name: count\n{_HINT}", "Birds: !`ls birds/$1 $2`")},
)
GOOD = (
    {_PATH: _TEXT % (_HINT, "Count the birds of $0 at $1.")},
    {_PATH: _TEXT % (_HINT, "Run `awk '{print $1}' birds` for $ARGUMENTS.")},
    {_PATH: _TEXT % (_HINT, "```sh\necho $1\n```")},
    {_PATH: _TEXT % (_HINT, "| Prefix | Rings |\n|---|---|\n| `$1$` | old |\n| `$5$` | new |")},
    {_PATH: _TEXT % ("", "A ring costs $1 to $2.\n\nSmall: $1.50\nLarge: $2.50")},
    {".claude/skills/count/SKILL.md": _TEXT % ("name: count\n", "- `$1` and `$2` are parameters of SQL.")},
    {".cursor/commands/count.md": _TEXT % (_HINT, "Count the birds of $1.")},
)


def check(case: Case) -> Iterator[Finding]:
    """Yield the first number of this text, if it counts its arguments from 1."""
    counted = find_counted_arguments(case.skill) if case.unit.is_loaded and not is_for_other_tool(case.unit) else None
    if counted:
        has_one = counted.highest == 1 and counted.hinted <= 1
        is_low = (counted.is_complete or has_one) and not counted.is_executed
        message = "Claude Code counts arguments from 0: `$1` is the second argument, and `$0` the first."
        severity = Severity.LOW if is_low else PATTERN.severity
        cause = f"arguments counted from 1{' (low)' * is_low}"
        path = case.skill.main_path
        yield Finding(path, counted.line, message, severity=severity, cause=cause, is_shared=True)
