"""A model whose name is misspelled.

It is:
- a `model` in frontmatter or settings that misspells an alias or a family, such as `sonet` or `claude-hiaku-4-5` (proven)
- a family with a version in another form than a full name's, such as `opus4.6`, `sonnet-4` or `claude-4-sonnet` (proven)
- a family with `claude-` and without a version, such as `claude-opus` (proven)
It is not:
- a name in upper case, of another provider, of an unknown version, or with spaces, which other tools display
- a family with a version, if the project names `ANTHROPIC_BASE_URL`: a gateway may have own names
Why it is bad: Claude Code sends the name to the API unchanged; the call fails, and with it the agent or the command.
Instead: Write `haiku`, `sonnet`, `opus` or `inherit`, or the full name of a model.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, UnitKind
from actions.project.model_names import find_misspelled_model

PATTERN = Pattern(
    id="PRJ-019",
    impact=("every_run", "easy"),
    strategies=("correct_name",),
    asks_model=False,
    kinds=(UnitKind.SKILL, UnitKind.AGENT, UnitKind.COMMAND, UnitKind.HOOKS),
)
_AGENT = "---\nname: counter\ndescription: Counts.\nmodel: %s\n---\n\nCount.\n"
BAD = (
    {".claude/agents/counter.md": _AGENT % "sonet"},
    {"SKILL.md": _AGENT % "claude-hiaku-4-5"},
    {".claude/settings.json": '{\n  "model": "opsu"\n}\n'},
    {".claude/agents/counter.md": _AGENT % "opus4.6"},
    {".claude/agents/counter.md": _AGENT % "claude-sonnet"},
)
GOOD = (
    {".claude/agents/counter.md": _AGENT % "Sonnet"},
    {"SKILL.md": _AGENT % "claude-haiku-9-9"},
    {".claude/settings.json": '{\n  "model": "opus[1m]"\n}\n'},
    {".claude/commands/count.md": _AGENT % "gpt-5"},
    {".claude/agents/counter.md": _AGENT % "claude-3-5-sonnet"},
    {".claude/agents/counter.md": _AGENT % "sonnet-4", ".claude/settings.json": '{"env": {"ANTHROPIC_BASE_URL": "x"}}'},
)


def check(case: Case) -> Iterator[Finding]:
    """Yield one finding if the model of this unit is misspelled."""
    path = case.skill.main_path
    document = case.project.read_json(path) if case.skill.kind is UnitKind.HOOKS else None
    if document is not None:
        name = document.value.get("model") if isinstance(document.value, dict) else None
        line = document.find_line("model")
    else:
        name = case.skill.frontmatter.values.get("model")
        line = case.skill.frontmatter.lines.get("model", 1)
    if isinstance(name, str) and (known := find_misspelled_model(case.project, name)):
        yield Finding(path, line, f"Unknown model `{name[:60]}`. Did you mean `{known}`?", cause=name, is_shared=True)
