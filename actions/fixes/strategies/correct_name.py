"""Correct a misspelled event, tool, model or key to the only known name that it resembles.

The name is corrected throughout the unit. There is no fix if a line contains the name more than once. The risk is
medium if a hook starts to run or an agent gets a tool. It is high if a tool no longer needs permission or a key takes
effect.
"""

import re
from collections.abc import Iterator

import msgspec
from msgspec.structs import replace

from actions.case import Case
from actions.fixes.strategies.edits import draft_line_changes
from actions.fixes.strategies.strategy import Draft, Strategy
from actions.memo import compute_once
from actions.project.facts.hooks import EVENTS
from actions.project.hook_faults import find_dropped_hooks, find_idle_settings
from actions.project.hooks_file import find_hook_events
from actions.project.misspelled_names import (
    find_misspelled_keys,
    find_misspelled_settings,
    find_misspelled_tools,
    find_misspellings_in_settings,
)
from actions.project.model_names import find_misspelled_model
from actions.project.near_name import find_near
from actions.project.permission_rules import find_permission_rules, find_rule_fault, find_tool_name
from actions.project.plugin_keys import find_invalid_plugin_keys
from actions.project.server_faults import find_server_faults
from actions.skill.example import Example
from actions.skill.frontmatter_keys import DESCRIPTIVE_KEYS
from actions.skill.skill import SkillFile
from schemas.issues import Issue
from schemas.vocabulary import Risk

_RISKS = {
    "in `allowed-tools`": Risk.HIGH,
    "in `permissions.allow`": Risk.HIGH,
    "in `disallowedTools`": Risk.LOW,
    "in `disallowed-tools`": Risk.LOW,
    "in `permissions.deny`": Risk.LOW,
    "in `permissions.ask`": Risk.LOW,
}
"""The risk by the list that contains the name. For other lists, it is medium, because the agent gets another tool."""
STRATEGY = Strategy(
    "correct_name",
    fixes=("PRJ-001", "PRJ-015", "PRJ-016", "PRJ-017", "PRJ-018", "PRJ-019", "PRJ-020", "PRJ-043"),
    risk=Risk.LOW,
    max_risk=Risk.HIGH,
)


_KEY_PATTERN = r'(?<="){}(?="\s*:)'
_VALUE_PATTERN = r'(?<=:\s"){}(?=")|(?<=:"){}(?=")'


class _WrongName(msgspec.Struct, frozen=True):
    """A wrong name, the line of its key, the known name, and the risk of the correction.

    `around` is a regular expression for the name in its surrounding text, with `{}` in place of the name.
    """

    line: int
    name: str
    known: str
    around: str = r"(?<![\w-]){}(?![\w-])"
    risk: Risk | None = None


def propose(issue: Issue, case: Case) -> Draft | None:
    """Correct the name on the issue's line, and the same name elsewhere in the unit."""
    file, lines = case.skill.main, dict[tuple[str, int], str]()
    key = f"{__name__} {issue.pattern} {case.unit.path}"
    wrong = compute_once(case.project, key, lambda: tuple(_find_wrong_names(issue.pattern, case)))
    places = {place.line_start for place in issue.places}
    pairs_on_lines = {(misspelling.name, misspelling.known) for misspelling in wrong if misspelling.line in places}
    named = {pair for pair in pairs_on_lines if f"`{pair[0][:60]}" in issue.description}
    misspellings = [misspelling for misspelling in wrong if (misspelling.name, misspelling.known) in named]
    for misspelling in misspellings:
        number = _find_line(file, misspelling)
        if number is None:
            return None
        line = lines.get((file.path, number), file.doc.line(number))
        lines[file.path, number] = re.sub(
            misspelling.around.replace("{}", re.escape(misspelling.name)), misspelling.known.replace("\\", r"\\"), line
        )
    if not lines:
        return None
    draft = draft_line_changes(
        case.skill,
        lines,
        description=f"Replace {', '.join(dict.fromkeys(f'`{wrong.name}` with `{wrong.known}`' for wrong in misspellings))}.",
        rationale="Claude Code does not know this name, and only one known name is similar.",
        impact="The entry takes effect.",
    )
    return replace(draft, risk=max((misspelling.risk or Risk.LOW for misspelling in misspellings), key=[*Risk].index))


def _find_wrong_names(pattern: str, case: Case) -> Iterator[_WrongName]:
    skill, is_text = case.skill, case.skill.main.is_markdown
    if pattern == "PRJ-001":
        events = [event for event in find_hook_events(case.project) if event.unit == case.unit]
        known = EVENTS.keys() - {event.name for event in events}
        for event in events:
            if event.name not in EVENTS and (near := find_near(event.name, EVENTS)) in known and near:
                yield _WrongName(event.line, event.name, near, _KEY_PATTERN, Risk.MEDIUM)
    elif pattern in ("PRJ-015", "PRJ-016"):
        faults = find_dropped_hooks(case.project) if pattern == "PRJ-015" else find_idle_settings(case.project)
        around = _VALUE_PATTERN if pattern == "PRJ-015" else _KEY_PATTERN
        for fault in faults:
            if fault.unit == case.unit and fault.known:
                yield _WrongName(fault.line, fault.name, fault.known, around, Risk.MEDIUM)
    elif pattern == "PRJ-043":
        for server in find_server_faults(case.project):
            if server.unit == case.unit and server.known:
                around = _VALUE_PATTERN if server.problem.startswith("unknown type") else _KEY_PATTERN
                yield _WrongName(server.line, server.name, server.known, around, Risk.HIGH)
    elif pattern == "PRJ-018":
        yield from _find_wrong_rules(case)
    elif pattern == "PRJ-017":
        misspelled = find_misspelled_tools(skill) if is_text else find_misspellings_in_settings(case.project, case.unit)
        for tool in misspelled:
            yield _WrongName(tool.line, tool.name, tool.known, risk=_RISKS.get(tool.place, Risk.MEDIUM))
    elif pattern == "PRJ-019":
        yield from _find_wrong_model(case)
    elif not is_text:
        for key in find_misspelled_settings(case.project, case.unit):
            yield _WrongName(key.line, key.name, key.known, _KEY_PATTERN, Risk.HIGH)
        for plugin in find_invalid_plugin_keys(case.project, case.unit):
            if plugin.known:
                yield _WrongName(plugin.line, plugin.name, plugin.known, _KEY_PATTERN, Risk.HIGH)
    else:
        for key in find_misspelled_keys(skill):
            risk = None if key.known in DESCRIPTIVE_KEYS else Risk.HIGH
            yield _WrongName(key.line, key.name, key.known, r"^{}(?=\s*:)", risk)


def _find_wrong_rules(case: Case) -> Iterator[_WrongName]:
    """Yield the permission rules whose only fault are lowercase letters in the name of the tool."""
    for rule in find_permission_rules(case.project):
        known = find_tool_name(rule.tool)
        right = find_rule_fault(known + rule.text.removeprefix(rule.tool), is_allow=rule.behavior == "allow")
        if rule.unit == case.unit and rule.fault and known and not right:
            risk = Risk.HIGH if rule.behavior == "allow" else Risk.LOW
            yield _WrongName(rule.line, rule.tool, known, r'(?<="){}(?=[("])', risk)


def _find_wrong_model(case: Case) -> Iterator[_WrongName]:
    document = None if case.skill.main.is_markdown else case.project.read_json(case.skill.main_path)
    frontmatter = case.skill.frontmatter
    if document is None:
        name, line = frontmatter.values.get("model"), frontmatter.lines.get("model", 1)
    else:
        name = document.value.get("model") if isinstance(document.value, dict) else None
        line = document.find_line("model")
    if isinstance(name, str) and (known := find_misspelled_model(case.project, name)):
        yield _WrongName(line, name.strip().removesuffix("[1m]"), known)


def _find_line(file: SkillFile, wrong: _WrongName) -> int | None:
    """Return the line that contains the name: the line of its key, or of a list item below the key.

    Returns None unless the name occurs exactly once in these lines.
    """
    numbers = [wrong.line]
    if file.is_markdown:
        while file.doc.line(numbers[-1] + 1)[:1] in (" ", "\t", "-") and file.doc.line(numbers[-1] + 1)[:3] != "---":
            numbers.append(numbers[-1] + 1)
    pattern = re.compile(wrong.around.replace("{}", re.escape(wrong.name)))
    found = [number for number in numbers for _ in pattern.finditer(file.doc.line(number))]
    return found[0] if len(found) == 1 else None


_HOOKS = '{"hooks": {\n  "%s": [{"hooks": [{"type": "command", "command": "true"}]}]\n}}\n'
_HOOK = '{"hooks": {"Stop": [{"hooks": [\n  {"type": "%s", "command": "true", "%s": 30}]}]}}\n'
_AGENT = "---\nname: counter\ndescription: Counts.\n%s\n---\n\nCount.\n"
_PLUGINS = '{"enabledPlugins": {\n  "%s": true}}\n'
_MARKETPLACE = {
    ".claude-plugin/marketplace.json": '{"name": "sea", "owner": {"name": "Ana"}, "plugins": [\n'
    '  {"name": "birds", "source": "./birds"}]}\n',
    "birds/.claude-plugin/plugin.json": '{"name": "birds"}\n',
}
_SERVER = '{"mcpServers": {"count": {\n  "%s": "npx",\n  "type": "%s"}}}\n'
BEFORE: tuple[Example, ...] = (
    {".claude/settings.json": _HOOKS % "preToolUse"},
    {".claude/agents/counter.md": _AGENT % "tools:\n  - read\n  - Grep"},
    {".claude/agents/counter.md": _AGENT % "tools: read, grep, Bash, webfetch"},
    {".claude/agents/counter.md": _AGENT % "model: sonet"},
    {".claude/commands/count.md": _AGENT % "allowed_tools: Read"},
    {".claude/commands/count.md": _AGENT % "tools: Read"},
    {".claude/settings.json": _HOOK % ("comand", "timeout")},
    {".claude/settings.json": _HOOK % ("command", "timout")},
    {".claude/settings.json": '{"permissions": {"deny": [\n  "bash(git push:*)"]}}\n'},
    {".claude/settings.json": '{"permissions": {\n  "denny": ["WebFetch"]}}\n'},
    {".mcp.json": _SERVER % ("comand", "stdio")},
    {".mcp.json": _SERVER % ("command", "sdtio")},
    {".claude/settings.json": _PLUGINS % "sea/birds", **_MARKETPLACE},
)
AFTER: tuple[Example, ...] = (
    {".claude/settings.json": _HOOKS % "PreToolUse"},
    {".claude/agents/counter.md": _AGENT % "tools:\n  - Read\n  - Grep"},
    {".claude/agents/counter.md": _AGENT % "tools: Read, Grep, Bash, WebFetch"},
    {".claude/agents/counter.md": _AGENT % "model: sonnet"},
    {".claude/commands/count.md": _AGENT % "allowed-tools: Read"},
    {".claude/commands/count.md": _AGENT % "allowed-tools: Read"},
    {".claude/settings.json": _HOOK % ("command", "timeout")},
    {".claude/settings.json": _HOOK % ("command", "timeout")},
    {".claude/settings.json": '{"permissions": {"deny": [\n  "Bash(git push:*)"]}}\n'},
    {".claude/settings.json": '{"permissions": {\n  "deny": ["WebFetch"]}}\n'},
    {".mcp.json": _SERVER % ("command", "stdio")},
    {".mcp.json": _SERVER % ("command", "stdio")},
    {".claude/settings.json": _PLUGINS % "birds@sea", **_MARKETPLACE},
)
