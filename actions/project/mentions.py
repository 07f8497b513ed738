"""Check whether a text outside a skill names one of the skill's files."""

import posixpath
from collections.abc import Iterator

from actions.project.find_units import find_units
from actions.project.project import Project
from actions.project.units import Unit, UnitKind
from actions.skill.paths import MARKDOWN, list_parents

_MEMORY = ("CLAUDE.md", "AGENTS.md", "GEMINI.md")


def is_named_elsewhere(project: Project, unit: Unit, file: str) -> bool:
    """Return whether another text of the plugin, or a memory file of the project, names a skill's file by its path.

    The path may begin with the name of the skill's folder. A path without it does not count if it exists relative to a
    folder that contains the text, because it then names that other file.
    """
    whole, raw_name = f"{posixpath.basename(unit.folder)}/{file}", file.encode()
    for path in _list_texts(project, unit):
        text = project.read_text_file(path) if raw_name in (project.read_bytes(path) or b"") else None
        if text is None:
            continue
        if whole in text.text or not any(project.exists(posixpath.join(folder, file)) for folder in list_parents(path)):
            return True
    return False


def _list_texts(project: Project, unit: Unit) -> Iterator[str]:
    """Yield the paths of the memory files at the root and of the other texts of the plugin.

    For a unit without a plugin, yield the texts of the other units without a plugin instead.
    """
    yield from (path for path in _MEMORY if path in project.files)
    if unit.plugin_root is not None:
        texts = (path for path in project.list_below(unit.plugin_root) if path.endswith(MARKDOWN))
        yield from (path for path in texts if not path.startswith(f"{unit.folder}/"))
        return
    for other in find_units(project):
        if other.path != unit.path and other.plugin_root == unit.plugin_root:
            paths = project.list_below(other.folder) if other.kind is UnitKind.SKILL else (other.path,)
            yield from (p for p in paths if p.endswith(MARKDOWN) and not p.startswith(f"{unit.folder}/"))
