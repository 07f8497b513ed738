"""A dead link or import in CLAUDE.md, AGENTS.md, a rule, a command or an agent.

It is:
- a relative link whose target exists neither relative to its file nor to the root of the plugin or project (proven)
- an import such as `@docs/plan.md` in CLAUDE.md or a rule, if no such file exists relative to the importing file's folder (proven)
- an import with a period or a comma at its end, which Claude Code takes as part of the path (proven)
It is not:
- a file that git ignores, or a build output
- a link with a placeholder, or in a sample of what not to do
- a link of a command or an agent into a folder that the project does not have: it may be the user's
- an import in code or HTML or of a path outside the project, or a word such as `@types/node` that names no file
Low when:
- the link is in a list of related texts, further reading or the like, which no step needs
- a script beside a memory file copies it to `~/.claude`, where the imported file may exist
Why it is bad: The model follows the link, finds nothing, and guesses the content. Claude Code silently skips a dead import.
Instead: Correct the path, relative to the file that contains the link; remove links to files that are gone.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, Severity, UnitKind
from actions.project.dead_links import find_dead_links, find_intended_path, is_further_reading
from actions.project.imports import find_dead_imports, is_copied_home
from actions.skill.paths import find_missing_folder

PATTERN = Pattern(
    id="PRJ-012",
    impact=("every_run", "easy"),
    strategies=("correct_path",),
    asks_model=False,
    kinds=(UnitKind.MEMORY, UnitKind.COMMAND, UnitKind.AGENT),
)
_PLUGIN = {".claude-plugin/plugin.json": '{"name": "birds"}'}
_AGENT = "---\nname: counter\ndescription: Counts.\n---\n\nCount by the [list](%s).\n"
BAD = (
    {"CLAUDE.md": "# Birds\n\nSee [the list](docs/list.md).\n", "docs/lists.md": "# List\n"},
    {**_PLUGIN, "agents/counter.md": _AGENT % "../docs/list.md"},
    {"CLAUDE.md": "# Birds\n\n@docs/list.md\n", "docs/lists.md": "# List\n"},
    {"CLAUDE.md": "# Birds\n\nCount by @docs/list.md.\n", "docs/list.md": "# List\n"},
)
GOOD = (
    {"CLAUDE.md": '# Birds\n\nA bad link: "See [the list](docs/gone.md) for more".\n'},
    {"CLAUDE.md": "```markdown\n# Birds\n\n```sh\ncount\n```\n\n[List](list.md)\n```\n"},
    {"CLAUDE.md": "# Birds\n\nSee [the list](docs/list.md).\n", "docs/list.md": "# List\n"},
    {**_PLUGIN, "agents/counter.md": _AGENT % "docs/list.md", "docs/list.md": "# List\n"},
    {**_PLUGIN, "agents/counter.md": _AGENT % "ledger/today.md"},
    {"CLAUDE.md": "# Birds\n\nCount by @docs/list.md with `@docs/x.md` and @types/node.\n", "docs/list.md": "# List\n"},
)


def check(case: Case) -> Iterator[Finding]:
    """Yield the dead links and imports in this unit."""
    for link in find_dead_links(case.project, case.unit, case.skill.main):
        path = find_intended_path(case.project, case.unit, link)
        folder = find_missing_folder(path, case.project.folders)
        message = f"The link target `{link.target}` does not exist."
        severity = Severity.LOW if is_further_reading(case.skill.main, link.line) else PATTERN.severity
        yield Finding(case.unit.path, link.line, message, severity=severity, cause=path, folder=folder)
    if case.unit.kind is UnitKind.MEMORY:
        yield from _report_dead_imports(case)


def _report_dead_imports(case: Case) -> Iterator[Finding]:
    severity = Severity.LOW if is_copied_home(case.project, case.unit) else PATTERN.severity
    for dead_import in find_dead_imports(case.project, case.unit, case.skill.main):
        excess = dead_import.excess
        problem = f"Claude Code takes the `{excess}` as part of the path" if excess else "no such file"
        folder = find_missing_folder(dead_import.path, case.project.folders)
        yield Finding(
            case.unit.path,
            dead_import.line,
            f"`@{dead_import.word}` imports nothing: {problem}.",
            severity=severity,
            cause=dead_import.path,
            folder=folder,
        )
