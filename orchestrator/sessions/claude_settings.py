"""Our hooks in a settings.json of Claude Code: put in, taken out, and nobody else's touched."""

import json
import shlex
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from orchestrator import durable
from orchestrator.errors import Refused
from orchestrator.hooks.dispatch import HANDLERS
from orchestrator.hooks.entry import RECORDED
from orchestrator.hooks.entry import __file__ as _ENTRY  # noqa: N812
from orchestrator.transcripts import projects_folder

Settings = dict[str, Any]
TIMEOUTS = {"Stop": 120}
"""Seconds that Claude Code waits for a hook, where not `USUAL_TIMEOUT`."""
USUAL_TIMEOUT = 30
SPEAKING_AT_TOOLS = ("PreToolUse", "PostToolUse", "SubagentStop")
"""Recording hooks that have something to say when `hooks.speak_at_tools` is on."""


@dataclass(frozen=True)
class Installed:
    """A hook of ours in a settings file; `current` when it is what `install` would write now."""

    event: str
    command: str
    current: bool


def settings_path(root: Path | None) -> Path:
    """Give the settings of the project at `root`; of the user for None."""
    return (root / ".claude" if root else projects_folder().parent) / "settings.json"


def command_of(event: str, speak_at_tools: bool = False) -> str:
    """Give the command line of a hook: the bare entry for those that only record, else `tune-skill hook EVENT`."""
    if event in RECORDED and not (speak_at_tools and event in SPEAKING_AT_TOOLS):
        return shlex.join([sys.executable, "-I", "-S", str(Path(_ENTRY).resolve()), event])
    beside = Path(sys.executable).with_name("tune-skill")
    return shlex.join([str(beside) if beside.exists() else "tune-skill", "hook", event])


def install(path: Path, speak_at_tools: bool = False) -> Path | None:
    """Put our hooks into the settings at `path`, in place of older ones of ours.

    Gives the backup of what stood there; None when nothing had to change or no file was there. Raises Refused, and
    changes nothing, when the file is no plain JSON object (comments, say) or its hooks are of another shape.
    """
    old = _read(path)
    new = _without_ours(path, old)
    for event in HANDLERS:
        entry = {
            "type": "command",
            "command": command_of(event, speak_at_tools),
            "timeout": TIMEOUTS.get(event, USUAL_TIMEOUT),
        }
        new.setdefault("hooks", {}).setdefault(event, []).append({"hooks": [entry]})
    return _write(path, old, new)


def uninstall(path: Path) -> Path | None:
    """Take our hooks out of the settings at `path`: see `install`."""
    old = _read(path)
    return _write(path, old, _without_ours(path, old))


def installed(path: Path, speak_at_tools: bool = False) -> list[Installed]:
    """Give our hooks that stand in the settings at `path`. Raises Refused as `install` does."""
    return [
        Installed(event, hook["command"], hook["command"] == command_of(event, speak_at_tools))
        for event, groups in _hooks(path, _read(path)).items()
        for group in groups
        for hook in group["hooks"]
        if _is_ours(hook)
    ]


def _without_ours(path: Path, settings: Settings) -> Settings:
    kept: Settings = {}
    for event, groups in _hooks(path, settings).items():
        left = [_foreign(group) for group in groups]
        kept[event] = [one for one, group in zip(left, groups, strict=True) if one["hooks"] or not group["hooks"]]
        if groups and not kept[event]:
            del kept[event]
    rest = {key: value for key, value in settings.items() if key != "hooks"}
    return {**settings, "hooks": kept} if kept or not settings.get("hooks", True) else rest


def _foreign(group: Settings) -> Settings:
    return {**group, "hooks": [hook for hook in group["hooks"] if not _is_ours(hook)]}


def _is_ours(hook: Any) -> bool:
    command = hook.get("command") if isinstance(hook, dict) else None
    if not isinstance(command, str):
        return False
    try:
        words = shlex.split(command)
    except ValueError:
        return False
    if len(words) < 2 or words[-1] not in HANDLERS:
        return False
    return words[-2].endswith("/orchestrator/hooks/entry.py") or (
        len(words) == 3 and words[1] == "hook" and words[0].rpartition("/")[2] == "tune-skill"
    )


def _hooks(path: Path, settings: Settings) -> dict[str, list[Settings]]:
    """Give the hooks of a settings file, after a look at their shape."""
    hooks = settings.get("hooks", {})
    lists = hooks.values() if isinstance(hooks, dict) else [None]
    groups = [group for groups in lists for group in (groups if isinstance(groups, list) else [None])]
    if not isinstance(hooks, dict) or not all(
        isinstance(group, dict) and isinstance(group.get("hooks"), list) for group in groups
    ):
        raise Refused(f"{path}: its hooks are not lists of groups of hooks; mend it by hand, nothing was changed")
    return hooks


def _read(path: Path) -> Settings:
    try:
        text = path.read_text("utf-8")
        settings = json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise Refused(f"{path}: {error.strerror}; nothing was changed") from error
    except (ValueError, RecursionError) as error:
        raise Refused(f"{path}: not plain JSON ({error}); mend it first, nothing was changed") from error
    if not isinstance(settings, dict):
        raise Refused(f"{path}: holds no JSON object; mend it first, nothing was changed")
    return settings


def _write(path: Path, old: Settings, new: Settings) -> Path | None:
    """Write what changed through a link to its target; the old bytes stay beside it."""
    if new == old:
        return None
    real, backup = path.resolve(), None
    if real.exists():
        backup = real.with_name(f"{real.name}.backup-{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}")
        durable.write_bytes(backup, real.read_bytes(), mode=0o600)
    real.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(new, indent=2, ensure_ascii=False) + "\n"
    durable.write_bytes(real, text.encode("utf-8", "surrogatepass"))
    return backup


def _unique(pairs: list[tuple[str, Any]]) -> Settings:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands there twice")
    return found


def _refuse(word: str) -> NoReturn:
    raise ValueError(f"{word} is not JSON")
