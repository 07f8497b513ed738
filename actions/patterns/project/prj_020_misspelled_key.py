"""A command, an agent or settings.json has a misspelled key, or a key of another kind of unit.

It is:
- a known key in another spelling, such as `allowed_tools`, `desciption` or `disallowed-tools` in an agent (proven)
- a key of skills in an agent, such as `allowed-tools`, or a key of agents in a command, such as `tools` (proven)
- the prompt of an agent under a key such as `system-prompt`, with no text below the frontmatter (proven)
- a misspelled key of settings.json, or of `permissions` in it, such as `denny` (proven)
- a key of `enabledPlugins` in settings without a marketplace, such as `sea/birds` for `birds@sea` (proven)
It is not:
- a key that the author or another program defines
- a misspelling in a file that also has the right key
- a key of an agent for Gemini CLI, whose model or tools are Gemini's
Low when:
- the value is the default of the intended key
Why it is bad: Claude Code ignores the key without a message: an agent with `allowed-tools` instead of `tools` has all tools.
Instead: Agents have `tools`, `disallowedTools` and `permissionMode`; commands have `allowed-tools` and `argument-hint`;
`enabledPlugins` has `plugin@marketplace`.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, Severity, UnitKind
from actions.project.misspelled_names import find_misspelled_keys, find_misspelled_settings, find_prompt_key
from actions.project.plugin_keys import find_invalid_plugin_keys

PATTERN = Pattern(
    id="PRJ-020",
    impact=("every_run", "easy"),
    strategies=("correct_name",),
    asks_model=False,
    kinds=(UnitKind.AGENT, UnitKind.COMMAND, UnitKind.HOOKS),
)
_TEXT = "---\nname: counter\n%s\n---\n\nCount.\n"
BAD = (
    {".claude/agents/counter.md": _TEXT % "description: Counts.\nallowed-tools: Read"},
    {".claude/agents/counter.md": _TEXT % "desciption: Counts."},
    {".claude/commands/count.md": _TEXT % "allowed_tools: Read"},
    {".claude/agents/counter.md": _TEXT % "description: Counts.\nmodle: haiku"},
    {".claude/settings.json": '{"permissions": {"denny": ["WebFetch"]}}\n'},
    {".claude/agents/counter.md": "---\nname: counter\ndescription: Counts.\nsystem-prompt: |\n  Count.\n---\n"},
    {".claude/settings.json": '{"enabledPlugins": {"birds": true}}\n'},
)
GOOD = (
    {".claude/agents/counter.md": _TEXT % "description: Counts.\nmodel: gemini-2.5-pro\nmax_turns: 8"},
    {".claude/agents/counter.md": _TEXT % "description: Counts.\ntools: Read\ncategory: birds"},
    {".claude/agents/counter.md": _TEXT % "description: Counts.\nprompt: Count."},
    {".claude/commands/count.md": _TEXT % "allowed-tools: Read\nversion: 2"},
    {".claude/agents/counter.md": _TEXT % "description: Counts.\nmode: subagent\ntool: a hammer"},
    {".claude/settings.json": '{"permissions": {"deny": ["WebFetch"]}, "birds": 3}\n'},
    {".claude/settings.json": '{"enabledPlugins": {"birds@sea": true, "gulls": false}}\n'},
    {".claude/settings.json": '{"agents": {"counter": {"count": ["birds"]}}}\n'},
)


def check(case: Case) -> Iterator[Finding]:
    """Yield the misspelled keys of this unit."""
    if key := find_prompt_key(case.skill):
        message = (
            f"Claude Code ignores `{key}`: the prompt of an agent is the text below its frontmatter, which is empty."
        )
        yield Finding(case.unit.path, case.skill.frontmatter.lines.get(key, 1), message, cause=key)
    for invalid in find_invalid_plugin_keys(case.project, case.unit):
        hint = f" Did you mean `{invalid.known}`?" if invalid.known else ""
        message = f"`{invalid.name[:60]}` enables no plugin: a key of `enabledPlugins` is `plugin@marketplace`.{hint}"
        yield Finding(case.unit.path, invalid.line, message, cause="keys of enabledPlugins")
    names = {UnitKind.AGENT: "an agent", UnitKind.COMMAND: "a command", UnitKind.HOOKS: "settings"}
    if case.skill.kind is UnitKind.HOOKS:
        misspellings = find_misspelled_settings(case.project, case.unit)
    else:
        misspellings = find_misspelled_keys(case.skill)
    for misspelling in misspellings:
        message = f"Claude Code ignores `{misspelling.name[:60]}` in {names[case.skill.kind]}. Did you mean `{misspelling.known}`?"
        severity = Severity.LOW if misspelling.is_harmless else PATTERN.severity
        yield Finding(case.skill.main_path, misspelling.line, message, severity=severity, cause=misspelling.name)
