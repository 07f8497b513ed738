"""Which hooks of ours are active here, where they come from, and when each ran last."""

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
    """The active hooks in the order of their events, and the settings that could not be read."""

    hooks: tuple[ActiveHook, ...]
    problems: tuple[str, ...]

    @property
    def missing(self) -> list[str]:
        """The events that no hook of ours answers."""
        return [event for event in HANDLERS if not self._of(event)]

    @property
    def doubled(self) -> list[str]:
        """The events that different hooks answer; Claude Code runs equal command lines once."""
        return [event for event in HANDLERS if len({one.command for one in self._of(event)}) > 1]

    @property
    def is_healthy(self) -> bool:
        """Tell whether every event has one hook, of this installation."""
        return not (self.problems or self.missing or self.doubled) and all(one.current for one in self.hooks)

    def _of(self, event: str) -> list[ActiveHook]:
        return [one for one in self.hooks if one.event == event]


def read_status(speak_at_tools: bool) -> HookStatus:
    """Look into all settings of Claude Code that hold here."""
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
    """Give a hook as it works here: that of the user may speak, because other projects may want it to."""
    may = scope == "user" and one.other_form and not speak_at_tools
    return ActiveHook(one.event, scope, one.command, one.current or may, one.other_form and not may)
