"""The text and a bundled script disagree about the script's options.

It is:
- a command in the text that passes a bundled script an option which the script's own parser does not have (proven)
- such a command with a subcommand that the script does not have, or with an option that only another subcommand has (proven)
- such a command with a value that is not among the option's `choices`, or with a value for an option that takes none (proven)
- a default that the text states for an option, when the script sets another one (proven)
- a statement about what a bundled script writes, returns or checks that its code contradicts
It is not:
- a shortened option that the parser completes, or a script that passes unknown options on
- an option that the text says is removed, planned or missing
- a program that the skill does not bundle
Low when:
- only a default is stated wrongly: the command still runs
Why it is bad: The script stops with a usage error, or does not do what the text promises, and the model works around it or gives up.
Instead: Write the option and the default that the script has, or add the option to the script.
"""

from collections.abc import Iterator
from difflib import get_close_matches

from actions.case import Case
from actions.grouping import group_by_key
from actions.patterns.pattern import Finding, Pattern, Severity, UnitKind
from actions.project.script_calls import find_refused_uses
from actions.skill.script_usage import false_defaults, refused_uses

PATTERN = Pattern(
    id="DOC-CON-002",
    impact=("blocks",),
    strategies=("reconcile_conflicting_definitions",),
    kinds=(UnitKind.SKILL, UnitKind.COMMAND, UnitKind.AGENT),
)
_SHOWN = 8
"""Maximum number of subcommands that a message names."""
_STATUS = """import argparse

p = argparse.ArgumentParser()
commands = p.add_subparsers(dest='command')
add = commands.add_parser('add')
add.add_argument('--title')
report = commands.add_parser('report')
report.add_argument('--format')
args = p.parse_args()
"""
_COUNT = """import argparse

p = argparse.ArgumentParser()
p.add_argument('file')
p.add_argument('-o', '--output')
p.add_argument('--max-words', type=int, default=800)
args = p.parse_args()
"""
BAD = (
    {
        "SKILL.md": """# Count

```bash
uv run ${CLAUDE_SKILL_DIR}/scripts/count.py a \\
  --word-limit 300
```
""",
        "scripts/count.py": _COUNT,
    },
    {
        "SKILL.md": """# Count

## scripts/count.py

- `--max-words N`: stop after N words (default: 500)
""",
        "scripts/count.py": _COUNT,
    },
    {
        "SKILL.md": "# Status\n\n```bash\npython3 scripts/status.py backup\n```\n",
        "scripts/status.py": _STATUS,
    },
    {
        "SKILL.md": "# Status\n\n```bash\npython3 scripts/status.py report --title Birds\n```\n",
        "scripts/status.py": _STATUS,
    },
)
GOOD = (
    {
        "SKILL.md": """# Count

Run `python3 scripts/count.py text.md -o words.json --max-w 300 | sort --unique`.
There is no `python3 scripts/count.py --fast` any more.
""",
        "scripts/count.py": _COUNT,
    },
    {
        "SKILL.md": "# Status\n\n```bash\npython3 scripts/status.py report --form json\npython3 scripts/status.py <command>\n```\n",
        "scripts/status.py": _STATUS,
    },
    {
        "SKILL.md": """# Run

```bash
python scripts/run.py --anything goes
./scripts/run.py
```
""",
        "scripts/run.py": """import argparse

p = argparse.ArgumentParser()
args, rest = p.parse_known_args()
""",
    },
)


def check(case: Case) -> Iterator[Finding]:
    """Find unknown options and subcommands, values that an option rejects, and defaults that the text states wrongly."""
    found = (*refused_uses(case.skill), *find_refused_uses(case.project, case.unit, case.skill))
    for use, accepted in found:
        if reason := accepted.find_refusal(use.option, use.value):
            message = f"{use.script} rejects `{use.option} {use.value}`: {reason}."
            cause = f"{use.script} {use.option} {use.value}"
            yield Finding(use.file, use.line, message, about=f"{use.option} {use.value}", cause=cause)
        elif not use.option:
            known = ", ".join(f"`{name}`" for name in sorted(accepted.subcommands)[:_SHOWN])
            message = f"{use.script} has no subcommand `{use.subcommand}`; it has {known}."
            cause = f"{use.script} {use.subcommand}"
            yield Finding(use.file, use.line, message, about=use.subcommand, cause=cause)
        elif owners := accepted.find_owners(use.subcommand, use.option):
            own = ", ".join(f"`{name}`" for name in owners[:_SHOWN])
            message = f"`{use.script} {use.subcommand}` has no option `{use.option}`; only {own} has it."
            cause = f"{use.script} {use.subcommand} {use.option}"
            yield Finding(use.file, use.line, message, about=use.option, cause=cause)
    unknown = group_by_key(
        ((use.script, use.option), (use, known)) for use, known in found if use.option and use.option not in known.names
    )
    for (script, option), uses in unknown.items():
        accepted = uses[0][1]
        near = [] if accepted.is_crowded else get_close_matches(option, accepted.names, n=1, cutoff=0.6)
        hint = f" Did you mean `{near[0]}`?" if near else ""
        message = f"{script} has no option `{option}`.{hint}"
        also = (f"{script}:{accepted.options[0].line}: the options of the script begin here",)
        cause = f"{script} {option}"
        yield from (Finding(use.file, use.line, message, also=also, about=option, cause=cause) for use, _ in uses)
    for claim in false_defaults(case.skill):
        there = f"{claim.script}:{claim.option.line}"
        message = f"The text gives `{claim.name}` the default {claim.stated}, but {there} sets {claim.option.default}."
        also = (f"{there}: `{claim.name}` = {claim.option.default}",)
        cause = f"{claim.script} {claim.name} {claim.stated}"
        about = f"{claim.name} = {claim.stated}"
        yield Finding(claim.file, claim.line, message, also=also, severity=Severity.LOW, about=about, cause=cause)
