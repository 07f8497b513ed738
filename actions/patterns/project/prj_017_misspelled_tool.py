"""A tool whose name is misspelled, or an agent none of whose tools exist.

It is:
- a misspelled tool in `tools`, `disallowedTools` or `allowed-tools`, such as `read` or `WebFetsh` (proven)
- a misspelled tool in a permission rule, or in a matcher that lists names (proven)
- a misspelled value in a matcher of `SessionStart` or `PreCompact`, such as `stratup` (proven)
- `tools` of an agent in which Claude Code knows no name, such as `eslint, semgrep`: it does not start the agent (proven)
It is not:
- `tools` with a tool of an MCP server, of another program or with an alias of GitHub Copilot such as `search`
- a tool of another program, or of an MCP server, or any tool of an agent for GitHub Copilot (`counter.agent.md`)
- in a skill or a command, a list with a foreign tool and none of Claude Code's: another program reads it
- a tool that older versions had, such as `MultiEdit` or `LS`
Low when:
- Claude Code knows no name in the `tools` of an agent of a plugin, which may be made for several programs
- no name of the list is Claude Code's, as in `bash, read, grep`, unless it is the `tools` of an agent that Claude Code loads
- the name is that of a tool of another agent, such as `web_fetch` of Gemini CLI: the text may be meant for both
Why it is bad: Names are case-sensitive. An agent does not get the tool, a forbidden tool stays allowed, or a hook never runs, and
Claude Code does not report it.
Instead: Write the tool as Claude Code does: `Read`, `Write`, `Edit`, `Bash`, `Grep`, `Glob`, `WebFetch`, `WebSearch`, `Task`.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.grouping import group_by_key
from actions.patterns.pattern import Finding, Pattern, Severity, UnitKind
from actions.project.facts.tools import OTHERS
from actions.project.misspelled_names import (
    find_misspelled_tools,
    find_misspellings_in_settings,
    find_unknown_tools,
    is_loaded_agent,
)

PATTERN = Pattern(
    id="PRJ-017",
    impact=("every_run", "easy"),
    strategies=("correct_name",),
    asks_model=False,
    kinds=(UnitKind.SKILL, UnitKind.AGENT, UnitKind.COMMAND, UnitKind.HOOKS, UnitKind.MANIFEST),
)
_MAX_SHOWN = 3
_AGENT = "---\nname: counter\ndescription: Counts.\n%s\n---\n\nCount.\n"
_HOOKS = '{"hooks": {"%s": [{\n  "matcher": "%s",\n  "hooks": [{"type": "command", "command": "true"}]}]\n}}\n'
BAD = (
    {".claude/agents/counter.md": _AGENT % "tools: read, Grep"},
    {".claude/agents/counter.md": _AGENT % "tools: eslint, semgrep"},
    {".claude/agents/counter.md": _AGENT % "tools: All tools"},
    {"SKILL.md": _AGENT % "allowed-tools: [Read, WebFecth]"},
    {".claude/settings.json": '{"permissions": {"deny": [\n  "WebFetsh"]}}\n'},
    {".claude/settings.json": _HOOKS % ("PreToolUse", "bash|Write")},
    {".claude/settings.json": _HOOKS % ("SessionStart", "stratup")},
)
GOOD = (
    {".claude/agents/counter.md": _AGENT % "tools: Read, MultiEdit, mcp__atlas__find, birdsong"},
    {".claude/agents/counter.md": _AGENT % "tools: [read, edit, search]"},
    {".claude/agents/counter.md": _AGENT % "tools: [eslint, mcp__atlas__find]"},
    {".claude/agents/counter.md": _AGENT % "tools: [read_file, eslint]"},
    {".claude/agents/counter.md": _AGENT % "tools: []"},
    {"SKILL.md": _AGENT % "allowed-tools: [read, eslint]"},
    {".claude/agents/counter.agent.md": _AGENT % "tools: [read, Edit]"},
    {".claude/agents/counter.md": _AGENT % "tools: [read, Edit, search/codebase]"},
    {"SKILL.md": _AGENT % "allowed-tools: Bash(git log:*) Read"},
    {".claude/settings.json": _HOOKS % ("PreToolUse", "Write, Edit|mcp__atlas__.*")},
    {".claude/settings.json": _HOOKS % ("SessionStart", "startup|compact")},
)


def check(case: Case) -> Iterator[Finding]:
    """Yield one finding for each line and place (such as a matcher) in this unit that has misspelled tools."""
    is_text = case.skill.main.is_markdown
    if is_text:
        misspellings = (*find_misspelled_tools(case.skill),)
        if not misspellings:
            yield from _check_agent(case)
    else:
        misspellings = (*find_misspellings_in_settings(case.project, case.unit),)
    by_place = group_by_key(((misspelling.line, misspelling.place), misspelling) for misspelling in misspellings)
    for (line, place), group in by_place.items():
        names = ", ".join(f"`{misspelling.name[:60]}`" for misspelling in group)
        known = ", ".join(dict.fromkeys(f"`{misspelling.known}`" for misspelling in group))
        message = f"Unknown name{'s' * (len(group) > 1)} {names} {place}. Did you mean {known}?"
        is_foreign = all(misspelling.name in OTHERS or misspelling.is_in_foreign_list for misspelling in group)
        is_refused = is_loaded_agent(case.unit) and place == "in `tools`" and group[0].is_in_foreign_list
        if is_refused:
            message += " Claude Code does not start the agent, because it would have no tools."
        severity = Severity.LOW if is_foreign and not is_refused else PATTERN.severity
        yield Finding(case.skill.main_path, line, message, severity=severity, cause=names, is_shared=True)


def _check_agent(case: Case) -> Iterator[Finding]:
    names = find_unknown_tools(case.unit, case.skill)
    if names:
        shown = ", ".join(f"`{name[:40]}`" for name in names[:_MAX_SHOWN])
        more = f" and {len(names) - _MAX_SHOWN} more" if len(names) > _MAX_SHOWN else ""
        message = f"Claude Code does not start this agent, because it has no tool in `tools`: {shown}{more}."
        severity = PATTERN.severity if case.unit.plugin_root is None else Severity.LOW
        yield Finding(case.unit.path, case.skill.frontmatter.lines.get("tools", 1), message, severity=severity)
