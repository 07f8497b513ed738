"""Find hooks.json in a `.claude` folder that is not in a plugin. Claude Code does not read this file.

Source: the CLI 2.1.332. `tests/e2e/facts/test_hook_facts.py` shows that its hooks do not run.
"""

from actions.project.facts.hooks import EVENTS
from actions.project.plugins import find_plugin
from actions.project.project import Project
from actions.project.units import Unit, UnitKind
from actions.regex import regex

IDLE_FILES = ("hooks/hooks.json", "hooks.json")
"""The paths below `.claude` at which people put hooks."""
_BASE_NAME = b"hooks.json"
_SCRIPTS = (".sh", ".bash", ".ps1", ".py", ".js", ".mjs", ".cjs", ".ts", "/Makefile", ".yml", ".yaml")
_MAX_BYTES = 200_000
_COMMAND = regex(rb'"command"\s*:\s*"((?:[^"\\]|\\.)*+)"')
_SCRIPT = regex(rb"/([\w.-]+\.(?:sh|bash|py|m?js|cjs|ts|rb|ps1))\b")


def is_idle_hooks_file(project: Project, folder: str, name: str) -> bool:
    """Return whether a `.claude` folder has hooks in a file that only plugins have, and nothing else registers them.

    `name` is one of `IDLE_FILES`. A file that a script of the project names, or a folder that a text starts as a
    plugin, does not count.
    """
    path = f"{folder}/{name}"
    if path not in project.files or find_plugin(project, path) is not None:
        return False
    hooks = project.read_object(path).get("hooks")
    if not isinstance(hooks, dict) or EVENTS.keys().isdisjoint(hooks):
        return False
    return not _is_registered(project, folder, name) and not _is_used(project)


def is_read(unit: Unit) -> bool:
    """Return whether Claude Code reads the hooks of a unit: of a manifest, of settings, or of a plugin's file."""
    is_idle = unit.plugin_root is None and unit.name in IDLE_FILES
    return unit.kind is UnitKind.MANIFEST or (unit.kind is UnitKind.HOOKS and not is_idle)


def _is_registered(project: Project, folder: str, name: str) -> bool:
    """Return whether the settings have one of the commands or of the scripts of the file."""
    own = project.read_bytes(f"{folder}/{name}") or b""
    settings = b"".join(
        project.read_bytes(f"{folder}/{file}") or b"" for file in ("settings.json", "settings.local.json")
    )
    commands = {*_COMMAND.findall(settings)}
    scripts = {script for command in commands for script in _SCRIPT.findall(command)}
    return any(
        command in commands or not scripts.isdisjoint(_SCRIPT.findall(command)) for command in _COMMAND.findall(own)
    )


def _is_used(project: Project) -> bool:
    """Return whether a script names the file, or a text starts Claude Code with a folder as plugin."""
    for path, file in project.files.items():
        is_script = f"/{path}".endswith(_SCRIPTS)
        if file.size <= _MAX_BYTES and (is_script or path.endswith(".md")):
            raw = project.read_bytes(path) or b""
            if b"--plugin-dir" in raw or (is_script and _BASE_NAME in raw):
                return True
    return False
