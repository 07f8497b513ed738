"""A value under `env` in the settings has a variable that Claude Code does not replace.

It is:
- `$HOME`, `$PATH` or the like in a value, such as `"PYTHONPATH": "$HOME/lib"` (proven)
- any `${NAME}` in a value, such as `"API_TOKEN": "${API_TOKEN}"` (proven)
- a `~` in a list of folders, such as `"PATH": "~/bin:/usr/bin"` (proven)
It is not:
- a value that a shell runs or expands, such as that of `GIT_SSH_COMMAND` or `BASH_ENV`
- a value in which a script of the project replaces variables
- a `~` in another variable: the program that reads it may replace it
Why it is bad: Each command, hook and server gets the value as it is written. A path in it does not exist, a token is replaced by its
own name, and without the old `PATH` no command is found.
Instead: Write the whole path, or remove the entry and set the variable before Claude Code starts.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, UnitKind
from actions.project.env_values import find_unexpanded_values

PATTERN = Pattern(id="PRJ-050", impact=("every_run", "easy"), asks_model=False, kinds=(UnitKind.HOOKS,))
_SETTINGS = ".claude/settings.json"
_ENV = '{"env": {\n  "%s": "%s"}}\n'
BAD = (
    {_SETTINGS: _ENV % ("PYTHONPATH", "$HOME/birds/lib")},
    {_SETTINGS: _ENV % ("BIRDS_TOKEN", "${BIRDS_TOKEN}")},
    {_SETTINGS: _ENV % ("PATH", "~/bin:/usr/bin")},
)
GOOD = (
    {_SETTINGS: _ENV % ("PYTHONPATH", "/opt/birds/lib")},
    {_SETTINGS: _ENV % ("GIT_SSH_COMMAND", "ssh -i $HOME/.ssh/birds")},
    {_SETTINGS: _ENV % ("BIRDS_FILE", "~/birds.json")},
    {_SETTINGS: _ENV % ("BIRDS_PRICE", "5$ a bird")},
    {_SETTINGS: _ENV % ("BIRDS", "$HOME/birds"), "count.py": 'os.path.expandvars(os.environ["BIRDS"])\n'},
)


def check(case: Case) -> Iterator[Finding]:
    """Yield the values under `env` of this settings file that have a variable."""
    for value in find_unexpanded_values(case.project, case.unit):
        message = f"Claude Code does not replace `{value.variable[:60]}`: `{value.name[:60]}` gets it as it is written."
        yield Finding(case.unit.path, value.line, message)
