"""Find the active hooks of tune-skill, and the settings that contain them."""

import msgspec

from orchestrator.errors import Refused
from orchestrator.guard.hooks.dispatch import HANDLERS
from orchestrator.installation.install import is_plugin_enabled
from orchestrator.installation.plugin import build_hook_command
from orchestrator.installation.settings import InstalledHook, find_installed
from orchestrator.installation.targets import list_settings_files


class ActiveHook(msgspec.Struct, frozen=True):
    """A hook that Claude Code runs here. `scope` is user, shared or project (settings), or plugin."""

    event: str
    scope: str
    command: str
    current: bool
    other_form: bool = False


class HookStatus(msgspec.Struct, frozen=True):
    """The active hooks, in the order of HANDLERS. `problems` are errors of unreadable settings files."""

    hooks: tuple[ActiveHook, ...]
    problems: tuple[str, ...]

    @property
    def missing(self) -> list[str]:
        """The events for which no hook of tune-skill is active."""
        return [event for event in HANDLERS if not self._list_hooks(event)]

    @property
    def duplicate_events(self) -> list[str]:
        """The events with several different hooks of tune-skill. Claude Code runs equal commands only once."""
        return [event for event in HANDLERS if len({hook.command for hook in self._list_hooks(event)}) > 1]

    @property
    def is_healthy(self) -> bool:
        """Whether each event has exactly one hook of tune-skill, which this installation wrote."""
        return not (self.problems or self.missing or self.duplicate_events) and all(hook.current for hook in self.hooks)

    def _list_hooks(self, event: str) -> list[ActiveHook]:
        return [hook for hook in self.hooks if hook.event == event]


def read_status(speak_at_tools: bool) -> HookStatus:
    """Read the hooks from all Claude Code settings that apply here."""
    hooks: list[ActiveHook] = []
    problems: list[str] = []
    for scope, path in list_settings_files().items():
        try:
            hooks += [_convert_hook(hook, scope, speak_at_tools) for hook in find_installed(path, speak_at_tools)]
        except Refused as error:
            problems.append(str(error))
    if is_plugin_enabled():
        hooks += [ActiveHook(event, "plugin", build_hook_command(event), True) for event in HANDLERS]
    order = list(HANDLERS)
    return HookStatus(tuple(sorted(hooks, key=lambda hook: order.index(hook.event))), tuple(problems))


def _convert_hook(hook: InstalledHook, scope: str, speak_at_tools: bool) -> ActiveHook:
    """Convert an installed hook to an active hook.

    A hook in the user's settings that returns text counts as current even if this project does not use the text,
    because other projects may use it.
    """
    is_allowed = scope == "user" and hook.other_form and not speak_at_tools
    return ActiveHook(hook.event, scope, hook.command, hook.current or is_allowed, hook.other_form and not is_allowed)
