"""Read the hooks of a project: their events, matchers and commands, with the lines."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from actions.memo import memoize_all
from actions.project.facts.hooks import EVENTS
from actions.project.find_units import find_units
from actions.project.idle_hooks_file import is_read
from actions.project.json_document import JsonDocument
from actions.project.near_name import find_near
from actions.project.project import Project
from actions.project.units import Unit
from actions.regex import regex

Steps = tuple[str | int, ...]
_PIECE = regex(
    r"""(?P<end>[ \t\r\n]++|\#[^\n]*+\n?)
    |   '(?P<single>[^']*+)'
    |   "(?P<double>(?:[^"\\]++|\\.)*+)"
    |   \\(?P<escaped>.)
    |   (?P<plain>[^ \t\r\n\#'"\\]++)""",
    re.DOTALL | re.VERBOSE,
)
"""A part of a shell word, or the space or comment that ends a word."""
_ESCAPED_QUOTE = regex(r'\\(["\\])')
_COMMENT = regex(r"_|\$|//|#|comment", re.IGNORECASE)
"""Prefixes of keys that serve as comments. Claude Code ignores them as unknown events."""


class Hook(msgspec.Struct, frozen=True, eq=False):
    """One command hook: its unit, event, command with arguments, and its path (`steps`) in the JSON document."""

    unit: Unit
    event: str
    command: str
    args: tuple[str, ...] | None
    steps: Steps
    settings: Mapping[str, Any]
    document: JsonDocument

    @property
    def line(self) -> int:
        """The line of the command."""
        return self.document.find_line(*self.steps, "command")


class HookEvent(msgspec.Struct, frozen=True, eq=False):
    """A key in the `hooks` of a file. An unknown name without a list (`has_list`) is probably meant as no event."""

    unit: Unit
    name: str
    steps: Steps
    document: JsonDocument
    has_list: bool

    @property
    def line(self) -> int:
        """The line of the event's name."""
        return self.document.find_line(*self.steps)


class HookGroup(msgspec.Struct, frozen=True, eq=False):
    """The hooks of an event under one matcher, of any type.

    `event` is spelled correctly even where the file, and therefore `steps`, misspells it.
    """

    unit: Unit
    event: str
    matcher: str
    hooks: tuple[Mapping[str, Any], ...]
    steps: Steps
    document: JsonDocument

    @property
    def line(self) -> int:
        """The line of the matcher."""
        return self.document.find_line(*self.steps, "matcher")


@memoize_all
def find_hook_events(project: Project) -> Iterator[HookEvent]:
    """Yield the events in the hooks files, settings and manifests of a project, without comments."""
    for unit, document, top in _find_hook_files(project):
        for name, groups in _get_events(document, top).items():
            if not _COMMENT.match(name):
                yield HookEvent(unit, name, (*top, name), document, isinstance(groups, list))


@memoize_all
def find_hook_groups(project: Project) -> Iterator[HookGroup]:
    """Yield the hook groups of a project. Empty groups are left out."""
    for unit, document, top in _find_hook_files(project):
        for event, groups in _get_events(document, top).items():
            for g, group in enumerate(groups if isinstance(groups, list) else []):
                hooks = group.get("hooks") if isinstance(group, dict) else None
                if isinstance(hooks, list) and hooks:
                    steps, intended = (*top, event, g), find_intended_event(event)
                    objects = tuple(hook if isinstance(hook, dict) else {} for hook in hooks)
                    yield HookGroup(unit, intended, _get_text(group.get("matcher")), objects, steps, document)


def find_intended_event(name: str) -> str:
    """Return the event that a key names or misspells, so that the hooks of a misspelled event are checked, too."""
    return name if name in EVENTS or _COMMENT.match(name) else find_near(name, EVENTS) or name


@memoize_all
def find_hooks(project: Project) -> Iterator[Hook]:
    """Yield the command hooks of a project."""
    for group in find_hook_groups(project):
        for h, hook in enumerate(group.hooks):
            if isinstance(hook.get("command"), str):
                steps = (*group.steps, "hooks", h)
                yield Hook(group.unit, group.event, hook["command"], _get_args(hook), steps, hook, group.document)


def split_command(command: str) -> list[str]:
    """Split a shell command into words, like `shlex.split` with comments. Returns [] if a quote is not closed.

    `shlex` takes four times as long for a word of twice the length.
    """
    words, parts, position = list[str](), list[str](), 0
    while position < len(command):
        piece = _PIECE.match(command, position)
        if piece is None:
            return []
        position = piece.end()
        if piece.lastgroup != "end":
            text = piece[piece.lastgroup or 0]
            parts.append(_ESCAPED_QUOTE.sub(r"\1", text) if piece.lastgroup == "double" else text)
        elif parts:
            words.append("".join(parts))
            parts = []
    return [*words, "".join(parts)] if parts else words


def _find_hook_files(project: Project) -> Iterator[tuple[Unit, JsonDocument, Steps]]:
    """Yield each file that may contain hooks, with the path of the hooks in its JSON."""
    for unit in find_units(project):
        document = project.read_json(unit.path) if is_read(unit) else None
        if document is not None and isinstance(document.value, dict):
            yield unit, document, ("hooks",)


def _get_events(document: JsonDocument, top: Steps) -> Mapping[str, Any]:
    value = document.value
    for step in top:
        value = value.get(step) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def _get_args(hook: Mapping[str, Any]) -> tuple[str, ...] | None:
    args = hook.get("args")
    return tuple(arg for arg in args if isinstance(arg, str)) if isinstance(args, list) else None


def _get_text(value: object) -> str:
    return value if isinstance(value, str) else ""
