"""Check whether a file outside a skill mentions one of the skill's files."""

import posixpath
from collections.abc import Iterator

from actions.project.find_units import find_units
from actions.project.project import Project
from actions.project.units import Unit, UnitKind
from actions.skill.paths import MARKDOWN, list_parents

_MEMORY = ("CLAUDE.md", "AGENTS.md", "GEMINI.md")


def is_named_elsewhere(project: Project, unit: Unit, file: str) -> bool:
    """Return whether a Markdown file outside a skill contains the path of one of the skill's files.

    `_list_other_files` says which files are searched. The path may begin with the name of the skill's folder. A path
    without this name does not count if a file with this path exists relative to the Markdown file or to a folder above
    it, because the path then names that other file.
    """
    whole, raw_name = f"{posixpath.basename(unit.folder)}/{file}", file.encode()
    for path in _list_other_files(project, unit):
        text = project.read_text_file(path) if raw_name in (project.read_bytes(path) or b"") else None
        if text is None:
            continue
        if whole in text.text or not any(project.exists(posixpath.join(folder, file)) for folder in list_parents(path)):
            return True
    return False


def _list_other_files(project: Project, unit: Unit) -> Iterator[str]:
    """Yield the paths of the files that may mention files of a unit.

    They are the memory files at the root and the Markdown files of the plugin outside the unit. If the unit is not in a
    plugin, they are the memory files and the Markdown files of the other units that are not in a plugin.
    """
    yield from (path for path in _MEMORY if path in project.files)
    if unit.plugin_root is not None:
        files = (path for path in project.list_below(unit.plugin_root) if path.endswith(MARKDOWN))
        yield from (path for path in files if not path.startswith(f"{unit.folder}/"))
        return
    for other in find_units(project):
        if other.path != unit.path and other.plugin_root == unit.plugin_root:
            paths = project.list_below(other.folder) if other.kind is UnitKind.SKILL else (other.path,)
            yield from (p for p in paths if p.endswith(MARKDOWN) and not p.startswith(f"{unit.folder}/"))
