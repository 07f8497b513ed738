"""Check whether a file outside a skill mentions one of the skill's files."""

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence

from actions.grouping import group_by_key
from actions.memo import compute_once
from actions.project.find_units import find_units
from actions.project.project import Project
from actions.project.units import Unit, UnitKind
from actions.regex import regex
from actions.skill.paths import MARKDOWN, list_parents

_MEMORY = ("CLAUDE.md", "AGENTS.md", "GEMINI.md")
_LAST_WORD = regex(rb"(?<!\w)(\w*+)(?=\.(?:md|markdown))", re.IGNORECASE)
"""The last word of the name of a Markdown file, before its extension."""


def is_named_elsewhere(project: Project, unit: Unit, file: str) -> bool:
    """Return whether a Markdown file outside a skill contains the path of one of the skill's files.

    `_list_readers` says which files are searched. The path may begin with the name of the skill's folder. A path
    without this name does not count if a file with this path exists relative to the Markdown file or to a folder above
    it, because the path then names that other file.
    """
    whole, raw_name = f"{posixpath.basename(unit.folder)}/{file}", file.encode()
    readers = compute_once(project, f"{__name__} {unit.plugin_root}", lambda: _index_readers(project, unit.plugin_root))
    words = _LAST_WORD.findall(posixpath.basename(file).encode())
    for path in dict.fromkeys(readers.get(words[-1].lower(), ())) if words else ():
        is_own = path.startswith(f"{unit.folder}/")
        text = project.read_text_file(path) if not is_own and raw_name in (project.read_bytes(path) or b"") else None
        if text is None:
            continue
        if whole in text.text or not any(project.exists(posixpath.join(folder, file)) for folder in list_parents(path)):
            return True
    return False


def _index_readers(project: Project, plugin_root: str | None) -> Mapping[bytes, Sequence[str]]:
    """Map the last words of names of Markdown files, in lower case, to the files with such a name in their text."""
    raws = ((path, project.read_bytes(path) or b"") for path in _list_readers(project, plugin_root))
    return group_by_key((word, path) for path, raw in raws for word in set(_LAST_WORD.findall(raw.lower())))


def _list_readers(project: Project, plugin_root: str | None) -> Iterator[str]:
    """Yield the paths of the files that may mention files of the units of a plugin.

    They are the memory files at the root and the Markdown files of the plugin. For units that are not in a plugin, they
    are the memory files and the Markdown files of these units.
    """
    yield from (path for path in _MEMORY if path in project.files)
    if plugin_root is not None:
        yield from (path for path in project.list_below(plugin_root) if path.endswith(MARKDOWN))
        return
    for unit in find_units(project):
        if unit.plugin_root is None:
            paths = project.list_below(unit.folder) if unit.kind is UnitKind.SKILL else (unit.path,)
            yield from (path for path in paths if path.endswith(MARKDOWN))
