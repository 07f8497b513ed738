"""A bundled script that no version of its interpreter accepts.

It is:
- a Python file that a skill contains, or a hook or a server starts, and that no version of Python accepts (proven)
- a shell script with an `if`, `do` or `case` that is never closed (proven)
It is not:
- syntax of a newer or older version of Python
- a template, an example, or a file of tests
Why it is bad: Every call of the script fails immediately with a syntax error.
Instead: Correct the line that the parser names, and run the script once.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, UnitKind
from actions.project.broken_files import find_broken_files

PATTERN = Pattern(
    id="PRJ-024",
    impact=("blocks", "easy"),
    asks_model=False,
    kinds=(UnitKind.SKILL, UnitKind.HOOKS, UnitKind.MANIFEST, UnitKind.MCP),
)
_SKILL = {"SKILL.md": "---\nname: count\ndescription: Counts.\n---\n\nRun `scripts/count.py`.\n"}
_PLUGIN = {".claude-plugin/plugin.json": '{"name": "birds"}'}
_HOOKS = (
    '{"hooks": {"Stop": [{"hooks": [\n  {"type": "command", "command": "bash ${CLAUDE_PLUGIN_ROOT}/check.sh"}]}]}}\n'
)
BAD = (
    {**_SKILL, "scripts/count.py": "def count(birds:\n    return len(birds)\n"},
    {**_SKILL, "scripts/count.sh": "for bird in *; do\n  if [ -f x ]; then\n    echo x\ndone\n"},
    {**_PLUGIN, "hooks/hooks.json": _HOOKS, "check.sh": "if [ -f x ]; then\n  exit 1\n"},
)
GOOD = (
    {**_SKILL, "scripts/count.py": "print 'birds'\n"},
    {**_SKILL, "scripts/count.py": "type Bird = str\n"},
    {**_SKILL, "scripts/count.sh": "cat <<END\nif only\nEND\nfor i in done; do echo fi; done\n"},
    {**_SKILL, "tests/count.py": "def count(birds:\n"},
    {**_PLUGIN, "hooks/hooks.json": _HOOKS, "check.sh": "if [ -f x ]; then\n  exit 1\nfi\n"},
)


def check(case: Case) -> Iterator[Finding]:
    """Yield the scripts of this unit that cannot be parsed."""
    for broken in find_broken_files(case.project, case.unit, case.skill, is_code=True):
        message = f"`{broken.path}` cannot run: line {broken.fault_line} is not valid syntax ({broken.problem})."
        yield Finding(broken.file, broken.line, message, cause=broken.path)
