"""The text and a bundled script disagree about the script's options.

It is:
- a command in the text that passes a bundled script an option which the script's own parser does not have (proven)
- such an option alone in a code span, in the section of a command with another one, if it names no other script (proven)
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
- no other file of the skill or its plugin names the file with the command: only people read it
Why it is bad: The script stops with a usage error, or does not do what the text promises, and the model works around it or gives up.
Instead: Write the option and the default that the script has, or add the option to the script.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, Severity, UnitKind
from actions.project.option_faults import find_option_faults
from actions.skill.script_usage import find_false_defaults

PATTERN = Pattern(
    id="DOC-CON-002",
    impact=("blocks",),
    strategies=("reconcile_conflicting_definitions",),
    kinds=(UnitKind.SKILL, UnitKind.COMMAND, UnitKind.AGENT),
)
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
    """Find unknown options and subcommands, values that an option rejects, and defaults that are stated wrongly."""
    for fault in find_option_faults(case.project, case.unit, case.skill):
        severity = Severity.LOW if fault.is_for_people else PATTERN.severity
        yield Finding(
            fault.file,
            fault.line,
            fault.message,
            also=fault.also,
            severity=severity,
            subject=fault.rejected,
            cause=fault.cause,
        )
    for claim in find_false_defaults(case.skill):
        place = f"{claim.script}:{claim.option.line}"
        message = f"The text gives `{claim.name}` the default {claim.stated}, but {place} sets {claim.option.default}."
        also = (f"{place}: `{claim.name}` = {claim.option.default}",)
        cause = f"{claim.script} {claim.name} {claim.stated}"
        subject = f"{claim.name} = {claim.stated}"
        yield Finding(claim.file, claim.line, message, also=also, severity=Severity.LOW, subject=subject, cause=cause)
