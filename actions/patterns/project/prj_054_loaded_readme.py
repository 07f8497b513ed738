"""Claude Code loads a README as a command or an agent.

It is:
- `README.md`, `CHANGELOG.md`, `CONTRIBUTING.md` or `INDEX.md` without frontmatter among the commands, or the agents of a plugin (proven)
It is not:
- a README in `.claude/agents`: without frontmatter it is not loaded
- a file with frontmatter or with `$ARGUMENTS`, which is meant as a command
Why it is bad: Users get a command such as `/README`, the model gets it in its list of skills or agents, and both cost tokens in
every session.
Instead: Move the file out of the folder, for example to `docs/`.
"""

import posixpath
from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, UnitKind

PATTERN = Pattern(id="PRJ-054", impact=("every_run",), asks_model=False, kinds=(UnitKind.COMMAND, UnitKind.AGENT))
_TEXTS = frozenset({"README.md", "CHANGELOG.md", "CONTRIBUTING.md", "INDEX.md"})
_PLUGIN = {".claude-plugin/plugin.json": '{"name": "birds"}'}
_TEXT = "# Commands\n\nWhat each command counts.\n"
BAD = (
    {".claude/commands/README.md": _TEXT},
    {**_PLUGIN, "agents/README.md": _TEXT},
)
GOOD = (
    {".claude/agents/README.md": _TEXT},
    {**_PLUGIN, "commands/README.md": "---\ndescription: Writes a README.\n---\n\nWrite it.\n"},
    {".claude/commands/README.md": "Write a README of $ARGUMENTS.\n"},
    {**_PLUGIN, "docs/README.md": _TEXT, "commands/readme.md": "Write a README.\n"},
)


def check(case: Case) -> Iterator[Finding]:
    """Report this unit if it is a text for people."""
    unit, text = case.unit, case.skill.main.text
    is_loaded = unit.is_loaded and (unit.kind is UnitKind.COMMAND or unit.plugin_root is not None)
    is_text = posixpath.basename(unit.path) in _TEXTS and not text.startswith("---") and "$ARGUMENTS" not in text
    if is_loaded and is_text:
        kind = "agent" if unit.kind is UnitKind.AGENT else "command"
        name = f"/{unit.name}" if kind == "command" else unit.name
        message = f"Claude Code loads this text as the {kind} `{name[:80]}`."
        yield Finding(unit.path, 1, message, cause=f"texts loaded as {kind}s")
