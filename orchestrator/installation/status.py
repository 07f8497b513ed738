"""Report which of our hooks are active here, and where they come from."""

from dataclasses import dataclass

from orchestrator.errors import Refused
from orchestrator.guard.hooks.dispatch import HANDLERS
from orchestrator.installation.install import is_plugin_enabled
from orchestrator.installation.places import settings_files
from orchestrator.installation.plugin import hook_command
from orchestrator.installation.settings import InstalledHook, find_installed


@dataclass(frozen=True)
class ActiveHook:
    """A hook that Claude Code runs here. scope: user, shared or project settings, or plugin."""

    event: str
    scope: str
    command: str
    current: bool
    other_form: bool = False


@dataclass(frozen=True)
class HookStatus:
    """The active hooks in the order of events, and the settings that could not be read."""

    hooks: tuple[ActiveHook, ...]
    problems: tuple[str, ...]

    @property
    def missing(self) -> list[str]:
        """The events that none of our hooks answers."""
        return [event for event in HANDLERS if not self._of(event)]

    @property
    def duplicate_events(self) -> list[str]:
        """The events with several different hooks; Claude Code runs equal command lines once."""
        return [event for event in HANDLERS if len({one.command for one in self._of(event)}) > 1]

    @property
    def is_healthy(self) -> bool:
        """Return whether every event has exactly one hook, of this installation."""
        return not (self.problems or self.missing or self.duplicate_events) and all(one.current for one in self.hooks)

    def _of(self, event: str) -> list[ActiveHook]:
        return [one for one in self.hooks if one.event == event]


def read_status(speak_at_tools: bool) -> HookStatus:
    """Read the hooks from all settings of Claude Code that apply here."""
    found: list[ActiveHook] = []
    problems: list[str] = []
    for scope, path in settings_files().items():
        try:
            found += [_active(one, scope, speak_at_tools) for one in find_installed(path, speak_at_tools)]
        except Refused as error:
            problems.append(str(error))
    if is_plugin_enabled():
        found += [ActiveHook(event, "plugin", hook_command(event), True) for event in HANDLERS]
    order = list(HANDLERS)
    return HookStatus(tuple(sorted(found, key=lambda one: order.index(one.event))), tuple(problems))


def _active(one: InstalledHook, scope: str, speak_at_tools: bool) -> ActiveHook:
    """Return a hook as it works here: the user's may speak, because other projects may want it."""
    is_allowed = scope == "user" and one.other_form and not speak_at_tools
    return ActiveHook(one.event, scope, one.command, one.current or is_allowed, one.other_form and not is_allowed)
