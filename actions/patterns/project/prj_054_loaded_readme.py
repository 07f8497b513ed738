"""Claude Code loads a README, or a part for several units, as a command or an agent.

It is:
- `README.md`, `CHANGELOG.md`, `CONTRIBUTING.md` or `INDEX.md` without frontmatter among the commands, or the agents of a plugin (proven)
- a text without frontmatter in a subfolder of them such as `_shared` or `partials`: low (proven)
- a text without frontmatter whose name begins with `_`, among the agents of a plugin: low (proven)
It is not:
- a text in `.claude/agents`: without frontmatter it is not loaded
- a file with frontmatter or with `$ARGUMENTS`, which is meant as a command
Why it is bad: Users get a command such as `/README`, the model gets it in its list of skills or agents, and both cost tokens in
every session.
Instead: Move the file out of the folder, for example to `docs/`, and correct the paths that lead to it.
"""

import posixpath
from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, Severity, UnitKind
from actions.project.units import Unit

PATTERN = Pattern(id="PRJ-054", impact=("every_run",), asks_model=False, kinds=(UnitKind.COMMAND, UnitKind.AGENT))
_TEXTS = frozenset({"README.md", "CHANGELOG.md", "CONTRIBUTING.md", "INDEX.md"})
_PART_FOLDERS = frozenset("_shared _common _partials _includes _snippets _fragments partials includes".split())
"""Folders of texts that several units include."""
_PLUGIN = {".claude-plugin/plugin.json": '{"name": "birds"}'}
_TEXT = "# Commands\n\nWhat each command counts.\n"
BAD = (
    {".claude/commands/README.md": _TEXT},
    {**_PLUGIN, "agents/README.md": _TEXT},
    {**_PLUGIN, "agents/_shared/report.md": _TEXT},
)
GOOD = (
    {".claude/agents/README.md": _TEXT},
    {**_PLUGIN, "commands/README.md": "---\ndescription: Writes a README.\n---\n\nWrite it.\n"},
    {".claude/commands/README.md": "Write a README of $ARGUMENTS.\n"},
    {**_PLUGIN, "docs/README.md": _TEXT, "commands/readme.md": "Write a README.\n"},
    {**_PLUGIN, "agents/shared/counter.md": _TEXT},
    {".claude/agents/_shared/report.md": _TEXT},
    {".claude/commands/_sort.md": "Sort the birds.\n"},
)


def check(case: Case) -> Iterator[Finding]:
    """Report this unit if it is a text for people, or a part for other units."""
    unit, text = case.unit, case.skill.main.text
    is_loaded = unit.is_loaded and (unit.kind is UnitKind.COMMAND or unit.plugin_root is not None)
    is_readme = posixpath.basename(unit.path) in _TEXTS
    is_meant = text.startswith("---") or "$ARGUMENTS" in text
    if is_loaded and not is_meant and (is_readme or _is_part(unit)):
        kind = "agent" if unit.kind is UnitKind.AGENT else "command"
        name = f"/{unit.name}" if kind == "command" else unit.name
        message = f"Claude Code loads this text as the {kind} `{name[:80]}`."
        severity, role = (PATTERN.severity, "texts") if is_readme else (Severity.LOW, "parts")
        yield Finding(unit.path, 1, message, severity=severity, cause=f"{role} loaded as {kind}s")


def _is_part(unit: Unit) -> bool:
    """Return whether a unit is a part for others by its name or the folder that contains it."""
    folder, _, name = unit.path.rpartition("/")
    is_marked = name.startswith("_") and unit.kind is UnitKind.AGENT
    return is_marked or posixpath.basename(folder) in _PART_FOLDERS
