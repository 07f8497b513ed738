"""Find hooks that Claude Code does not load or never runs, and hook settings that have no effect.

Source: the CLI 2.1.330. `claude plugin validate` lists the hooks that Claude Code drops; `tests/e2e/facts` shows which
of the other hooks run.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import msgspec

from actions.memo import memoize_all
from actions.project.facts.hooks import (
    COMMON_FIELDS,
    EVENTS,
    HOOK_FIELDS,
    PLUGIN_SESSION_END_SECONDS,
    SESSION_END_SECONDS,
    STRICT_EVENTS,
    TOOL,
)
from actions.project.find_units import find_units
from actions.project.hooks_file import HookGroup, Steps, find_hook_events, find_hook_groups, find_intended_event
from actions.project.idle_hooks_file import is_read
from actions.project.json_document import JsonDocument
from actions.project.near_name import find_near
from actions.project.permission_rules import find_rule_fault
from actions.project.project import Project
from actions.project.units import Unit, UnitKind

_VALUE_TYPES: Mapping[str, tuple[type | tuple[type, ...], str]] = {
    "text": (str, "a string"),
    "texts": (list, "a list"),
    "flag": (bool, "true or false"),
    "object": (dict, "an object"),
    "seconds": ((int, float), "a number above 0"),
}
_HOUR, _DAY = 3_600, 86_400
_RARE_EVENTS = frozenset({"SessionStart", "PreCompact"})
"""Events that few sessions have more than once."""
_MIN_MILLISECONDS = 5_000
"""Minimum `timeout` that was probably written in milliseconds, if it is a multiple of 1,000. It is over an hour."""
_MIN_MILLISECONDS_BESIDE, _STEP_BESIDE = 1_000, 500
"""The same in a file with such a `timeout`: half an hour is 1,800 seconds, which is no multiple of 500."""


class HookFault(msgspec.Struct, frozen=True):
    """A fault of a hook: the unit, the line, and the message. `key` is the setting that has no effect.

    `name` is a key or type that misspells `known`. Both are empty for other faults. `is_harmless` means that the hook
    runs nearly as it was meant to, `is_unread` that Claude Code does not read the file at all.
    """

    unit: Unit
    line: int
    message: str
    name: str = ""
    known: str = ""
    key: str = ""
    is_harmless: bool = False
    is_unread: bool = False


@memoize_all
def find_dropped_hooks(project: Project) -> Iterator[HookFault]:
    """Yield the hooks that Claude Code does not load, and the hooks that never run because of their `if`."""
    for unit in find_units(project):
        if unit.kind is UnitKind.HOOKS and unit.plugin_root is not None:
            yield from _find_missing_hooks(unit, project.read_json(unit.path))
        if unit.kind is UnitKind.HOOKS and not is_read(unit):
            problem = "Claude Code does not read this file outside plugins. Move its hooks to `.claude/settings.json`."
            yield HookFault(unit, 1, problem, is_unread=True)
        elif is_read(unit) and (document := project.read_json(unit.path)):
            yield from _find_list_faults(unit, document)
    for event in find_hook_events(project):
        document = project.read_json(event.unit.path)
        if find_intended_event(event.name) in EVENTS and document is not None:
            effect = "does not load any hook of this file" if event.name in STRICT_EVENTS else "ignores it"
            for invalid in _find_invalid_hooks(document, event.name):
                message = f"Invalid hook, Claude Code {effect}: {invalid.problem}."
                yield HookFault(event.unit, invalid.line, message, invalid.name, invalid.known)
    for group in find_hook_groups(project):
        for n, hook in enumerate(group.hooks):
            condition = hook.get("if")
            if isinstance(condition, str) and condition and (problem := _find_condition_fault(group.event, condition)):
                yield HookFault(group.unit, group.document.find_line(*group.steps, "hooks", n, "if"), problem)


@memoize_all
def find_idle_settings(project: Project) -> Iterator[HookFault]:
    """Yield the settings of hooks that have no effect or an unintended one."""
    groups = list(find_hook_groups(project))
    mixed_up = {
        group.unit.path for group in groups if any(_is_over_an_hour(hook.get("timeout")) for hook in group.hooks)
    }
    for group in groups:
        if group.event not in EVENTS:
            continue
        value = _get_group_value(group)
        for key in value.keys() - {"matcher", "hooks"}:
            if key in ("matchers", "match", "tool", "tools") or find_near(key, ("matcher",)):
                line = group.document.find_line(*group.steps, key)
                message = f"Claude Code ignores `{key}`: the key is `matcher`."
                yield HookFault(group.unit, line, message, key, "" if "matcher" in value else "matcher", key)
        for n, hook in enumerate(group.hooks):
            is_mixed_up = group.unit.path in mixed_up and _is_milliseconds(hook.get("timeout"))
            for idle in _find_idle_keys(group, hook, is_mixed_up):
                key, known = idle.key, idle.known
                line = group.document.find_line(*group.steps, "hooks", n, key)
                is_harmless = (key == "once" and group.event in _RARE_EVENTS) or (
                    key == "timeout"
                    and group.event == "SessionEnd"
                    and hook[key] < _MIN_MILLISECONDS
                    and not is_mixed_up
                )
                yield HookFault(group.unit, line, idle.problem, key if known else "", known, key, is_harmless)


def _find_missing_hooks(unit: Unit, document: JsonDocument | None) -> Iterator[HookFault]:
    """Yield the fault of a plugin's hooks file that has its events outside `hooks`, or that has none.

    Beside `hooks`, an event counts only in its exact spelling. Without it, a file without events is harmless.
    """
    if document is None or not isinstance(document.value, dict):
        return
    has_hooks = "hooks" in document.value or "modules" in document.value
    if any((key if has_hooks else find_intended_event(key)) in EVENTS for key in document.value):
        problem = 'Claude Code loads no hook of this file: events must be inside `"hooks": {...}`.'
        yield HookFault(unit, 1, problem)
    elif not has_hooks:
        problem = 'Claude Code reports that this plugin failed to load, because the file has no `"hooks": {...}`.'
        yield HookFault(unit, 1, problem, is_harmless=True)


def _find_list_faults(unit: Unit, document: JsonDocument) -> Iterator[HookFault]:
    """Yield the list of hooks that makes Claude Code drop a whole plugin or a whole settings file.

    In a manifest, a list may have paths, and objects like those of hooks.json.
    """
    hooks = document.value.get("hooks") if isinstance(document.value, dict) else None
    if not isinstance(hooks, list):
        return
    steps: Steps = ("hooks",)
    if unit.kind is UnitKind.MANIFEST:
        matchers = (n for n, entry in enumerate(hooks) if isinstance(entry, dict) and _is_matcher(entry))
        if (number := next(matchers, None)) is None:
            return
        steps = (*steps, number)
    if unit.plugin_root is not None or hooks:
        is_of_plugin = unit.plugin_root is not None
        effect = "does not load the plugin" if is_of_plugin else "ignores the whole file, its `permissions` too"
        problem = f'Claude Code {effect}: hooks must be an object by event, as in `"hooks": {{"Stop": [...]}}`.'
        yield HookFault(unit, document.find_line(*steps), problem)


def _is_matcher(entry: Mapping[str, Any]) -> bool:
    return isinstance(entry.get("hooks"), list)


class _InvalidHook(NamedTuple):
    """The line and the problem of a group or hook. `name` is a type that misspells `known`."""

    line: int
    problem: str
    name: str = ""
    known: str = ""


class _KeyFault(NamedTuple):
    """A key, the problem with it, and the key that it misspells, or ""."""

    key: str
    problem: str
    known: str = ""


def _find_invalid_hooks(document: JsonDocument, event: str) -> Iterator[_InvalidHook]:
    """Yield the groups and hooks of an event that Claude Code rejects."""
    groups = document.value["hooks"][event]
    for g, group in enumerate(groups if isinstance(groups, list) else ()):
        steps = ("hooks", event, g)
        hooks = group.get("hooks") if isinstance(group, dict) else None
        if not isinstance(group, dict):
            yield _InvalidHook(document.find_line(*steps), "it is not an object with `hooks`")
        elif not isinstance(hooks, list):
            missing = "it has no `hooks` list" if hooks is None else "`hooks` is not a list"
            yield _InvalidHook(document.find_line(*steps, "hooks"), missing)
        elif not isinstance(group.get("matcher", ""), str):
            yield _InvalidHook(document.find_line(*steps, "matcher"), "`matcher` is not a string")
        else:
            for h, hook in enumerate(hooks):
                if fault := _find_field_fault(hook):
                    kind = str(hook.get("type", "")) if isinstance(hook, dict) else ""
                    known = find_near(kind, HOOK_FIELDS) or ""
                    line = document.find_line(*steps, "hooks", h, fault.key)
                    yield _InvalidHook(line, fault.problem, kind if known else "", known)


def _find_field_fault(hook: object) -> _KeyFault | None:
    """Return the first field that Claude Code rejects, or None if it accepts the hook."""
    if not isinstance(hook, dict):
        return _KeyFault("", "it is not an object")
    if not isinstance(kind := hook.get("type"), str):
        return _KeyFault("type", "it has no `type`")
    if kind not in HOOK_FIELDS:
        near = find_near(kind, HOOK_FIELDS)
        return _KeyFault("type", f"unknown type `{kind}`" + (f", did you mean `{near}`" if near else ""))
    for key, expected in {**COMMON_FIELDS, **HOOK_FIELDS[kind]}.items():
        if key not in hook and expected.endswith("!"):
            return _KeyFault("type", f"a hook of type `{kind}` needs `{key}`")
        if key in hook and not _has_type(hook[key], expected.rstrip("!")):
            wanted = _VALUE_TYPES[expected.rstrip("!")][1] if "|" not in expected else expected.replace("|", " or ")
            return _KeyFault(key, f"`{key}` must be {wanted}")
    return None


def _has_type(value: object, expected: str) -> bool:
    if "|" in expected:
        return value in expected.split("|")
    if expected == "seconds":
        return isinstance(value, int | float) and not isinstance(value, bool) and value > 0
    return isinstance(value, _VALUE_TYPES[expected][0])


def _find_condition_fault(event: str, condition: str) -> str:
    if event in EVENTS and EVENTS[event] != TOOL:
        return f"This hook never runs: `if` needs a tool, and `{event}` has none."
    fault = find_rule_fault(condition, is_allow=False)
    return f"This hook never runs: `if` is not a permission rule ({fault})." if fault else ""


def _find_idle_keys(group: HookGroup, hook: Mapping[str, Any], is_mixed_up: bool) -> Iterator[_KeyFault]:
    """Yield the keys without their intended effect. No correction is given if the hook already has the right key."""
    kind = hook.get("type")
    known = {**COMMON_FIELDS, **HOOK_FIELDS.get(kind, {})} if isinstance(kind, str) and kind in HOOK_FIELDS else None
    if known is None:
        return
    if hook.get("once") is True:
        problem = "`once` works only in the frontmatter of a skill or an agent: this hook runs every time."
        yield _KeyFault("once", problem)
    if problem := _find_timeout_fault(group, hook.get("timeout"), is_mixed_up):
        yield _KeyFault("timeout", problem)
    if "matcher" in hook:
        yield _KeyFault("matcher", "Claude Code ignores `matcher` inside a hook: it belongs next to `hooks`.")
    for key in sorted(hook.keys() - known.keys() - {"matcher"}):
        if near := find_near(key, known):
            yield _KeyFault(key, f"Unknown key `{key}`. Did you mean `{near}`?", "" if near in hook else near)


def _find_timeout_fault(group: HookGroup, seconds: object, is_mixed_up: bool) -> str:
    if not isinstance(seconds, int | float) or isinstance(seconds, bool):
        return ""
    if is_mixed_up:
        time = f"{seconds / _HOUR:,.1f} hours" if seconds >= _HOUR else f"{seconds / 60:.0f} minutes"
        return f"`timeout` is in seconds: {seconds:,} are {time}. Did you mean {seconds / 1000:,g}?"
    is_of_plugin = group.unit.plugin_root is not None
    limit = PLUGIN_SESSION_END_SECONDS if is_of_plugin else SESSION_END_SECONDS
    if group.event == "SessionEnd" and seconds > SESSION_END_SECONDS:
        owner = " of a plugin" if is_of_plugin else ""
        return f"Claude Code ends the hooks of `SessionEnd`{owner} after {limit} seconds, not after {seconds:,}."
    return ""


def _is_over_an_hour(seconds: object) -> bool:
    """Return whether a `timeout` is certainly in milliseconds by itself."""
    return (
        isinstance(seconds, int | float)
        and seconds >= _MIN_MILLISECONDS
        and seconds % 1000 == 0
        and (seconds % _HOUR != 0 or seconds > _DAY)
    )


def _is_milliseconds(seconds: object) -> bool:
    """Return whether a `timeout` is in milliseconds if another of its file is."""
    is_shorter = (
        isinstance(seconds, int | float) and seconds >= _MIN_MILLISECONDS_BESIDE and seconds % _STEP_BESIDE == 0
    )
    return is_shorter or _is_over_an_hour(seconds)


def _get_group_value(group: HookGroup) -> Mapping[str, Any]:
    value = group.document.value
    for step in group.steps:
        value = value[step]
    return value if isinstance(value, dict) else {}
