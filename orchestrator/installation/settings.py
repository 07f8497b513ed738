"""Plan the changes that add the hooks to a settings file of Claude Code, or remove them."""

import json
import math
import os
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NoReturn

import msgspec

from orchestrator.errors import Refused
from orchestrator.fs import nofollow
from orchestrator.fs.durable import encode_indented
from orchestrator.guard.hooks.dispatch import HANDLERS
from orchestrator.guard.hooks.entry import RECORDED
from orchestrator.guard.hooks.entry import __file__ as _ENTRY  # noqa: N812
from orchestrator.installation.changes import Change, choose_backup_name, find_backups, resolve_target
from orchestrator.installation.command import build_own_command, is_own_command

Settings = dict[str, Any]
TIMEOUT = 120
"""Seconds that Claude Code waits for a hook. The power steering hook can take that long."""
SPEAKING_AT_TOOLS = ("PreToolUse", "PostToolUse", "SubagentStop")
"""Events whose hooks only record, unless the setting `hooks.speak_at_tools` lets them return text."""
SILENT_EVENTS = ("PreCompact",)
"""Events whose hooks must print nothing.

Claude Code 2.1 copies the output of a PreCompact hook, even JSON, into the instructions for the summary.
"""
_DISCARD = ">/dev/null"
_ENTRY_PATHS = ("/orchestrator/guard/hooks/entry.py", "/orchestrator/hooks/entry.py")
"""The end of the path in a hook's command, in this version and in versions up to 0.2."""
_NAMES = ("tune-skill", "tune_skill")
"""The names of the script and of the package, one of which is in the command of every other hook."""


class InstalledHook(msgspec.Struct, frozen=True):
    """A hook of tune-skill in a settings file.

    `current` is true if `install` would write the same command now. `other_form` is true if `install` would write this
    command for the other value of the setting `hooks.speak_at_tools`.
    """

    event: str
    command: str
    current: bool
    other_form: bool = False


def build_hook_words(event: str, speak_at_tools: bool = False) -> list[str]:
    """Build the command of a hook as a list of words.

    A hook that only records runs `entry.py`, which starts fast. Other hooks run `tune-skill hook EVENT`.
    """
    if event in RECORDED and not (speak_at_tools and event in SPEAKING_AT_TOOLS):
        return [sys.executable, "-I", "-S", str(Path(_ENTRY).resolve()), event]
    return [*build_own_command(), "hook", event]


def build_hook_command_line(event: str, speak_at_tools: bool = False) -> str:
    """Build the command line of a hook, as `install` writes it."""
    return format_command(build_hook_words(event, speak_at_tools), event)


def format_command(words: list[str], event: str) -> str:
    """Format the command of a hook for a shell, without output for SILENT_EVENTS."""
    return f"{shlex.join(words)} {_DISCARD}" if event in SILENT_EVENTS else shlex.join(words)


def plan_install(path: Path, speak_at_tools: bool = False) -> list[Change]:
    """Plan the addition of the hooks to the settings at `path`. Returns [] if they are already there.

    Older hooks of tune-skill are replaced. Raises Refused if the file is not a plain JSON object (for example because
    it has comments), if its hooks have an unknown form, or if it is a dangling link.
    """
    real_path, before, old = read_settings(resolve_target(path))
    hooks = [
        (event, {"type": "command", "command": build_hook_command_line(event, speak_at_tools), "timeout": TIMEOUT})
        for event in HANDLERS
    ]
    installed_hooks = list(_find_own_hooks(real_path, old))
    if len(installed_hooks) == len(hooks) and all(hook in installed_hooks for hook in hooks):
        return []
    new = _remove_own_hooks(real_path, old)
    for event, hook in hooks:
        new.setdefault("hooks", {}).setdefault(event, []).append({"hooks": [hook]})
    backup = choose_backup_name(real_path) if before is not None else None
    return [Change(real_path, before, encode_indented(new), f"{len(HANDLERS)} hooks: {', '.join(HANDLERS)}", backup)]


def plan_uninstall(path: Path) -> list[Change]:
    """Plan the removal of the hooks from the settings at `path`. Returns [] if there are none.

    The file is restored byte for byte, unless it has other changes since the installation. Raises Refused if the file
    may have hooks of tune-skill, but is not a plain JSON object or its hooks have an unknown form.
    """
    if not may_contain(path, _ENTRY_PATHS) and not (may_contain(path, _NAMES) and may_contain(path, [" hook "])):
        return []
    real_path, before, old = read_settings(path)
    if not any(_find_own_hooks(real_path, old)):
        return []
    new = _remove_own_hooks(real_path, old)
    return plan_restore(real_path, before, new, "hooks of tune-skill removed", _normalize_backup)


def may_contain(path: Path, texts: Iterable[str]) -> bool:
    """Return whether a file can contain one of these texts in its JSON, whether or not it is valid JSON.

    An escaped letter could be a part of a text. A file that cannot be read can contain anything.
    """
    try:
        content = nofollow.read(os.path.realpath(path)).replace(b"\0", b"").replace(b"\\/", b"/")
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return any(text.encode() in content for text in (*texts, "\\u00"))


def plan_restore(
    path: Path,
    before: bytes | None,
    new: Settings,
    subject: str,
    normalize: Callable[[Path, Settings], Settings | None],
) -> list[Change]:
    """Plan to write the settings `new`: as the bytes of an equal backup, or by removing the file if they are empty.

    If the backups are gone, the last commit may have these bytes. At most one backup is kept: the newest one with a
    layout of the user's, which exists nowhere else. `normalize` returns settings without empty lists and objects, or
    None if they contain hooks or servers of tune-skill.
    """
    backups = find_backups(path)
    for content in _read_earlier_contents(path, backups):
        if _equals_settings(path, content, new, normalize):
            restored_subject = f"{subject}; the file is restored byte for byte"
            return [Change(path, before, content, restored_subject, is_restored=True, obsolete=backups)]
    after = _encode(_restore_empty_objects(new, path, backups), before)
    if after is None:
        subject += "; nothing else was in the file"
    if not has_generated_layout(path):
        why = "; the backup has your layout"
        return [Change(path, before, after, subject + why, choose_backup_name(path), obsolete=backups)]
    kept_backup = next((backup for backup in backups if not has_generated_layout(backup)), None)
    obsolete = [backup for backup in backups if backup != kept_backup]
    why = f"; {kept_backup} is kept, because it has your earlier layout" if kept_backup else ""
    return [Change(path, before, after, subject + why, obsolete=obsolete)]


def _read_earlier_contents(path: Path, backups: Sequence[Path]) -> Iterator[bytes]:
    """Yield the contents of the backups or, if they are gone, of the last commit."""
    from orchestrator.fs.git import read_committed  # slow to load and rarely needed

    yield from (backup.read_bytes() for backup in backups)
    if not backups and (committed := read_committed(path)) is not None:
        yield committed


def _restore_empty_objects(new: Settings, path: Path, backups: Sequence[Path]) -> Settings:
    """Return `new` with the empty objects that the file had before the installation.

    They were lost when tune-skill's entries were removed from them.
    """
    old, backup_settings = (read_settings(file)[2] for file in (path, backups[0] if backups else path))
    return {key: new.get(key, {}) for key in old if key in new or backup_settings.get(key) == {}}


def _encode(settings: Settings, before: bytes | None) -> bytes | None:
    """Encode settings as JSON, with a final newline unless `before` has none. Returns None for empty settings."""
    data = encode_indented(settings)
    if not settings:
        return None
    return data if before is None or before.endswith(b"\n") else data.rstrip(b"\n")


def has_generated_layout(path: Path) -> bool:
    """Return whether a file has the bytes that tune-skill writes for its settings, ignoring a final newline."""
    _, content, settings = read_settings(path)
    return content is not None and content.rstrip() == encode_indented(settings).rstrip()


def find_installed(path: Path, speak_at_tools: bool = False) -> list[InstalledHook]:
    """Return the hooks of tune-skill in the settings at `path`.

    Raises Refused if the file is not a plain JSON object, or if its hooks have an unknown form.
    """
    real_path, _, settings = read_settings(path)
    return [
        _make_installed_hook(event, hook["command"], speak_at_tools)
        for event, hook in _find_own_hooks(real_path, settings)
    ]


def _make_installed_hook(event: str, command: str, speak_at_tools: bool) -> InstalledHook:
    is_current = command == build_hook_command_line(event, speak_at_tools)
    has_other_form = not is_current and command == build_hook_command_line(event, not speak_at_tools)
    return InstalledHook(event, command, is_current, has_other_form)


def read_plugins(path: Path) -> dict[str, bool]:
    """Map the plugins in the settings at `path` to whether they are enabled. Returns {} for unreadable settings."""
    try:
        plugins = read_settings(path)[2].get("enabledPlugins")
    except Refused:
        return {}
    return {name: on for name, on in plugins.items() if isinstance(on, bool)} if isinstance(plugins, dict) else {}


def _find_own_hooks(path: Path, settings: Settings) -> Iterator[tuple[str, Settings]]:
    for event, groups in _get_hooks(path, settings).items():
        yield from ((event, hook) for group in groups for hook in group["hooks"] if _is_own_hook(hook))


def _remove_own_hooks(path: Path, settings: Settings) -> Settings:
    """Return settings without the hooks of tune-skill, and without lists and objects that are then empty."""
    hooks: Settings = {}
    for event, groups in _get_hooks(path, settings).items():
        if others := [_drop_own_hooks(group) for group in groups if not _has_only_own_hooks(group)]:
            hooks[event] = others
    if hooks:
        return {key: hooks if key == "hooks" else value for key, value in settings.items()}
    return {key: value for key, value in settings.items() if key != "hooks"}


def _has_only_own_hooks(group: Settings) -> bool:
    return bool(group["hooks"]) and all(map(_is_own_hook, group["hooks"]))


def _drop_own_hooks(group: Settings) -> Settings:
    return {**group, "hooks": [hook for hook in group["hooks"] if not _is_own_hook(hook)]}


def _is_own_hook(hook: Any) -> bool:
    """Return whether any version of tune-skill wrote the entry of a hook."""
    command = hook.get("command") if isinstance(hook, dict) else None
    if not isinstance(command, str):
        return False
    try:
        words = shlex.split(command)
    except ValueError:
        return False
    words = words[:-1] if words[-1:] == [_DISCARD] else words
    if len(words) < 3 or words[-1] not in HANDLERS:
        return False
    return words[-2].endswith(_ENTRY_PATHS) or (words[-2] == "hook" and is_own_command(words[:-2]))


def _get_hooks(path: Path, settings: Settings) -> dict[str, list[Settings]]:
    """Return the hooks of a settings file, as groups by event. Raises Refused if they have an unknown form."""
    hooks = settings.get("hooks", {})
    if isinstance(hooks, dict) and all(map(_are_groups, hooks.values())):
        return hooks
    raise Refused(f"{path}: its hooks are not lists of groups of hooks; fix it first, nothing was changed")


def _are_groups(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(group, dict) and isinstance(group.get("hooks"), list) for group in value
    )


def read_settings(path: Path) -> tuple[Path, bytes | None, Settings]:
    """Return the real path of a settings file, its bytes and its JSON object.

    The bytes are None if the file does not exist. Raises Refused if the file is not a plain JSON object.
    """
    real_path = Path(os.path.realpath(path))
    if real_path.exists() and not real_path.is_file():
        raise Refused(f"{path}: not a regular file; fix it first, nothing was changed")
    try:
        content = nofollow.read(str(real_path))
    except FileNotFoundError:
        return real_path, None, {}
    except OSError as error:
        raise Refused(f"{path}: {error.strerror}; nothing was changed") from error
    return real_path, content, _parse_settings(path, content)


def _parse_settings(path: Path, content: bytes) -> Settings:
    """Parse the content of the settings file `path`. Raises Refused if it is not a plain JSON object."""
    try:
        settings = json.loads(
            content.decode(),
            object_pairs_hook=_build_object,
            parse_constant=_refuse_constant,
            parse_float=_parse_finite,
        )
    except (ValueError, RecursionError) as error:
        raise Refused(f"{path}: not plain JSON ({error}); fix it first, nothing was changed") from error
    if not isinstance(settings, dict):
        raise Refused(f"{path}: not a JSON object; fix it first, nothing was changed")
    return settings


def _normalize_backup(path: Path, settings: Settings) -> Settings | None:
    """Return settings without empty lists and objects of hooks, or None if they have hooks of tune-skill."""
    return None if any(_find_own_hooks(path, settings)) else _remove_own_hooks(path, settings)


def _equals_settings(
    path: Path, content: bytes, settings: Settings, normalize: Callable[[Path, Settings], Settings | None]
) -> bool:
    """Return whether an earlier content of a file has the same values as `settings`, in any order of keys.

    They are compared as JSON, because in Python 1 equals True.
    """
    try:
        earlier_settings = normalize(path, _parse_settings(path, content))
        return json.dumps(earlier_settings, sort_keys=True) == json.dumps(settings, sort_keys=True)
    except Refused:
        return False


def _build_object(pairs: list[tuple[str, Any]]) -> Settings:
    """Build a JSON object from (key, value) pairs. Raises ValueError for a duplicate key."""
    unique = dict(pairs)
    if len(unique) != len(pairs):
        raise ValueError("duplicate key")
    return unique


def _parse_finite(word: str) -> float:
    return float(word) if math.isfinite(float(word)) else _refuse_constant(word)


def _refuse_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is not a number in JSON")
