"""Read the status lines of settings, whose commands a shell runs like those of hooks.

Source: the CLI 2.1.332; `tests/e2e/test_status_line.py` asks it.
"""

from collections.abc import Iterator

from actions.project.hooks_file import Hook
from actions.project.project import Project
from actions.project.units import Unit, UnitKind

_KEYS = ("statusLine", "subagentStatusLine")


def find_status_lines(project: Project, unit: Unit) -> Iterator[Hook]:
    """Yield the status lines of a unit as hooks: those of settings, as Claude Code reads none of a plugin."""
    document = project.read_json(unit.path) if unit.kind is UnitKind.HOOKS and unit.plugin_root is None else None
    for key in _KEYS if document and isinstance(document.value, dict) else ():
        value = document.value.get(key) if document else None
        if document and isinstance(value, dict) and isinstance(value.get("command"), str):
            yield Hook(unit, key, value["command"], None, (key,), value, document)
