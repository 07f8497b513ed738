"""A dead link or import in CLAUDE.md, AGENTS.md, a rule, a command or an agent.

It is:
- a relative link whose target exists neither relative to its file nor to the root of the plugin or project (proven)
- an import such as `@docs/plan.md` in CLAUDE.md or a rule, if no such file exists relative to the importing file's folder (proven)
- an import with a period or a comma at its end, which Claude Code takes as part of the path (proven)
It is not:
- a file that git ignores, or a build output
- a link with a placeholder, or in a sample of what not to do
- a link in a file or a block that a tool generates, or in a memory file of a skill's folder (SPEC-005)
- a link of a command or an agent into a folder that the project does not have: it may be the user's
- an import in code or HTML or of a path outside the project, or a word such as `@types/node` that names no file
- an import in a memory file beside `settings.json`, outside of `.claude`, that names `~/.claude`: it is meant for that folder
- `@CLAUDE.md` in a rule, if the project has that file: Claude Code loads it anyway
Low when:
- the link has one `../` too many or too few, and exists with the right number: a model finds it
- the link is in a list of related texts, further reading or the like, which no step needs
- a sentence has the import, and the file exists at its path from the root of the project: a model finds it there
- the link is to the CLAUDE.md of the project, which has it in the root or in `.claude`: Claude Code loads it anyway
- a script beside a memory file copies it to `~/.claude`, where the imported file may exist
Why it is bad: The model follows the link, finds nothing, and guesses the content. Claude Code silently skips a dead import.
Instead: Correct the path, relative to the file that contains the link; remove links to files that are gone.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, Severity, UnitKind
from actions.project.imports import find_dead_imports, is_copied_home
from actions.project.missing_targets import find_missing_targets

PATTERN = Pattern(
    id="PRJ-012",
    impact=("every_run", "easy"),
    strategies=("correct_path",),
    asks_model=False,
    kinds=(UnitKind.MEMORY, UnitKind.COMMAND, UnitKind.AGENT),
    in_source=True,
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
    {"CLAUDE.md": "# Birds\n\nEach folder gets AGENTS.md and a CLAUDE.md @AGENTS.md wrapper.\n"},
    {"CLAUDE.md": "<!-- index:start -->\n<!-- written automatically -->\n\n[List](list.md)\n\n<!-- index:end -->\n"},
    {"skills/count/AGENTS.md": "See [the list](gone.md).\n", "skills/count/SKILL.md": "---\nname: count\n---\n"},
    {**_PLUGIN, "agents/counter.md": _AGENT % "docs/list.md", "docs/list.md": "# List\n"},
    {**_PLUGIN, "agents/counter.md": _AGENT % "ledger/today.md"},
    {"CLAUDE.md": "# Birds\n\nCount by @docs/list.md with `@docs/x.md` and @types/node.\n", "docs/list.md": "# List\n"},
    {".claude/rules/count.md": "# Count\n\nFollow @CLAUDE.md in all.\n", "CLAUDE.md": "# Birds\n"},
)


def check(case: Case) -> Iterator[Finding]:
    """Yield the dead links and imports in this unit."""
    for link in find_missing_targets(case.project, case.unit, case.skill.main):
        severity = Severity.LOW if link.is_optional else PATTERN.severity
        yield Finding(case.unit.path, link.line, link.message, severity=severity, cause=link.cause, folder=link.folder)
    if case.unit.kind is UnitKind.MEMORY:
        yield from _report_dead_imports(case)


def _report_dead_imports(case: Case) -> Iterator[Finding]:
    is_home = is_copied_home(case.project, case.unit)
    for dead_import in find_dead_imports(case.project, case.unit, case.skill.main):
        excess = dead_import.excess
        problem = f"Claude Code takes the `{excess}` as part of the path" if excess else "no such file"
        folder = case.project.find_missing_folder(dead_import.path)
        yield Finding(
            case.unit.path,
            dead_import.line,
            f"`@{dead_import.word}` imports nothing: {problem}.",
            severity=Severity.LOW if is_home or dead_import.is_mention else PATTERN.severity,
            cause=dead_import.path,
            folder=folder,
        )
