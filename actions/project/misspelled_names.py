"""Find misspelled names of tools, agents, frontmatter keys and settings, also in hook matchers."""

import re
from collections.abc import Iterator

import msgspec

from actions.memo import memoize
from actions.project.facts.agents import AGENT_KEYS
from actions.project.facts.hooks import EVENTS, MATCHER_VALUES, TOOL
from actions.project.facts.settings import PERMISSIONS, SETTINGS, SETTINGS_FILES
from actions.project.facts.tools import COPILOT, COPILOT_ALIASES, OTHERS, REMOVED, TOOLS
from actions.project.find_units import find_units
from actions.project.hooks_file import find_hook_groups
from actions.project.near_name import find_near
from actions.project.other_tools import is_for_other_tool
from actions.project.permission_rules import find_permission_rules
from actions.project.project import Project
from actions.project.units import Unit, UnitKind
from actions.regex import regex
from actions.skill.agents import BUILT_IN_TYPES
from actions.skill.frontmatter_keys import find_known_key, is_anagram, is_default, names_tools
from actions.skill.skill import Skill

_TOOL_KEYS = ("tools", "disallowedTools", "allowed-tools", "disallowed-tools")
_OWN = TOOLS | REMOVED
_PARENTHESIZED = regex(r"\([^()]*\)")
_PROMPT_KEY = regex(r"(?i)(?:system[_-]?)?prompt|(?:system[_-]?)?instructions?")
_TOOL_NAME = regex(r"[\w.-]+")
_SEPARATOR = regex(r"[\s,]+")
_NAME_LIST = regex(r"[a-zA-Z0-9_|, -]+")
_KEYS_FOR_AGENTS = {"allowedtools": "tools", "whentouse": "description"}
"""Keys of skills, reduced to their letters, and the corresponding keys of agents."""
_GEMINI_TOOLS = frozenset({"read_file", "run_shell_command", "write_file", "search_file_content", "google_web_search"})
_NAMES_IN_SETTINGS = frozenset({"agent", "language", "model", "outputStyle", "theme"})
"""Settings whose value is a name. A similar key with another value, such as a table of `agents`, is the user's own."""
_MIN_LETTERS = 6
"""Minimum number of letters of a misspelled key. A shorter key may be a different word."""


class Misspelling(msgspec.Struct, frozen=True):
    """A name that misspells a known name: its line, both names, and a phrase for its place.

    `is_harmless` means that the misspelling has no effect, because the value is the default of the key.
    `is_in_foreign_list` means that no name of its list is Claude Code's.
    """

    line: int
    name: str
    known: str
    place: str
    is_harmless: bool = False
    is_in_foreign_list: bool = False


def find_misspelled_tools(skill: Skill) -> Iterator[Misspelling]:
    """Yield the misspelled tools in the frontmatter of a unit, unless it is meant for GitHub Copilot."""
    frontmatter = skill.frontmatter
    keys = _TOOL_KEYS[1:] if skill.kind is UnitKind.SKILL else _TOOL_KEYS  # a skill has no `tools`
    for key in () if _is_for_copilot(skill) else keys:
        names = [*split_names(frontmatter.values.get(key))]
        is_foreign = len(names) > 1 and not any(name in _OWN or name.startswith("mcp__") for name in names)
        known_names = [_find_tool(name) for name in names]
        if is_foreign and not all(known_names):  # a name resembles none of Claude Code's
            continue
        for name, known in zip(names, known_names, strict=True):
            if known:
                place = f"in `{key}`"
                yield Misspelling(frontmatter.lines.get(key, 1), name, known, place, is_in_foreign_list=is_foreign)


def find_unknown_tools(unit: Unit, skill: Skill) -> tuple[str, ...]:
    """Return the names in the `tools` of an agent that Claude Code does not start because it knows none of them.

    Returns () for a list with a tool of an MCP server, which may exist, or with tools of other programs.
    """
    names = tuple(split_names(skill.frontmatter.values.get("tools")))
    if not is_loaded_agent(unit) or _is_for_copilot(skill) or _is_for_gemini(skill):
        return ()
    may_be_known = any(name in _OWN or name == "*" or name.startswith("mcp__") for name in names)
    is_foreign = any(name in OTHERS or not _TOOL_NAME.fullmatch(name) for name in names)
    is_of_copilot = {name.lower() for name in names} <= COPILOT_ALIASES | {tool.lower() for tool in TOOLS}
    return () if may_be_known or is_foreign or is_of_copilot else names


def is_loaded_agent(unit: Unit) -> bool:
    """Return whether Claude Code loads a unit as an agent, and refuses to start it if its `tools` name no tool."""
    return unit.kind is UnitKind.AGENT and unit.is_loaded and not is_for_other_tool(unit)


def _is_for_copilot(skill: Skill) -> bool:
    """Return whether a unit is an agent of GitHub Copilot: by its file name, its model or one of its tools.

    Copilot's own tools have names such as `search/codebase`. Source: its documentation of custom agents.
    """
    values = skill.frontmatter.values
    names = frozenset(name for key in _TOOL_KEYS for name in split_names(values.get(key)))
    is_named_so = skill.main_path.endswith(".agent.md") or "(copilot)" in str(values.get("model", "")).lower()
    return is_named_so or not names.isdisjoint(COPILOT) or any("/" in name for name in names)


def _is_for_gemini(skill: Skill) -> bool:
    """Return whether a unit is an agent of Gemini CLI, by its model or the names of its tools.

    Source: the documentation of its subagents, which have keys such as `max_turns`.
    """
    values = skill.frontmatter.values
    is_named_so = str(values.get("model", "")).lower().startswith("gemini")
    return is_named_so or not _GEMINI_TOOLS.isdisjoint(split_names(values.get("tools")))


def find_misspellings_in_settings(project: Project, unit: Unit) -> Iterator[Misspelling]:
    """Yield the misspelled tools in permission rules, and the misspelled names in matchers of hooks."""
    for rule in project.list_for_unit(find_permission_rules, unit.path):
        if not rule.fault and (known := _find_tool(rule.tool)):
            yield Misspelling(rule.line, rule.tool, known, f"in `permissions.{rule.behavior}`")
    for group in project.list_for_unit(find_hook_groups, unit.path):
        if _NAME_LIST.fullmatch(group.matcher):
            is_tool, values = EVENTS.get(group.event) == TOOL, MATCHER_VALUES.get(group.event, ())
            for name in filter(None, map(str.strip, re.split(r"[|,]", group.matcher))):
                if known := _find_tool(name) if is_tool else find_near(name, values):
                    yield Misspelling(group.line, name, known, f"in the matcher of `{group.event}`")


def find_misspelled_settings(project: Project, unit: Unit) -> Iterator[Misspelling]:
    """Yield the keys of settings.json, and of its `permissions`, that misspell a key that Claude Code reads."""
    if unit.path.rpartition("/")[2] not in SETTINGS_FILES or not (document := project.read_json(unit.path)):
        return
    settings = project.read_object(unit.path)
    rules = settings.get("permissions")
    rules = rules if isinstance(rules, dict) else {}
    for steps, value, keys in (((), settings, SETTINGS), (("permissions",), rules, PERMISSIONS)):
        for key in value:
            known = find_near(key, keys)
            is_own = known in _NAMES_IN_SETTINGS and not isinstance(value[key], str)
            if known and known not in value and not is_own:
                yield Misspelling(document.find_line(*steps, key), key, known, "in the settings")


def find_misspelled_agent(project: Project, skill: Skill) -> Misspelling | None:
    """Return the misspelled name of the agent in which a skill or a command runs, or None if the name may be right."""
    frontmatter = skill.frontmatter
    name = frontmatter.values.get("agent")
    if frontmatter.values.get("context") != "fork" or not isinstance(name, str):
        return None
    names = _list_agents(project)
    is_known = name.lower() in {known.lower() for known in names}
    known = None if is_known else find_near(name, names)
    return Misspelling(frontmatter.lines.get("agent", 1), name, known, "in `agent`") if known else None


@memoize
def _list_agents(project: Project) -> frozenset[str]:
    """Return the names of the built-in agents and the project's agents, with and without the plugin's name."""
    agents = [unit.name for unit in find_units(project) if unit.kind is UnitKind.AGENT]
    return frozenset({*BUILT_IN_TYPES, *agents, *(agent.rpartition(":")[2] for agent in agents)})


def find_misspelled_keys(skill: Skill) -> Iterator[Misspelling]:
    """Yield the frontmatter keys of a command or an agent that misspell a key that Claude Code reads."""
    frontmatter = skill.frontmatter
    for key, value in () if _is_for_gemini(skill) else frontmatter.values.items():
        known = _find_agent_key(str(key), value) if skill.kind is UnitKind.AGENT else find_known_key(str(key), value)
        if known and known not in frontmatter.values:
            yield Misspelling(frontmatter.lines.get(str(key), 1), str(key), known, "", is_default(known, value))


def find_prompt_key(skill: Skill) -> str:
    """Return the key with the prompt of an agent that has no text below its frontmatter, or "".

    Claude Code does not read the key and starts such an agent without a prompt.
    """
    values = skill.frontmatter.values if skill.kind is UnitKind.AGENT else {}
    has_text = any(line.strip() for line in skill.main.doc.lines[skill.main.doc.body_start - 1 :])
    keys = () if has_text else (key for key in values if _PROMPT_KEY.fullmatch(str(key)))
    return next((str(key) for key in keys if isinstance(values[key], str) and values[key].strip()), "")


def _find_agent_key(key: str, value: object) -> str | None:
    plain = re.sub(r"[\W_]", "", key).lower()
    if key in AGENT_KEYS:
        return None
    if key == "tool":
        return "tools" if names_tools(value) else None
    near = find_near(key, AGENT_KEYS)
    is_certain = near and (len(plain) >= _MIN_LETTERS or is_anagram(plain, near))
    return _KEYS_FOR_AGENTS.get(plain) or (near if is_certain else None)


def _find_tool(name: str) -> str | None:
    return None if name in REMOVED or name.startswith("mcp__") else find_near(name, TOOLS)


def split_names(value: object) -> Iterator[str]:
    """Yield the names in a value of `tools`, a text or a list, without what stands in parentheses."""
    text = ",".join(map(str, value)) if isinstance(value, list) else value if isinstance(value, str) else ""
    yield from filter(None, (part.strip("\"'[]") for part in _SEPARATOR.split(_PARENTHESIZED.sub("", text))))
