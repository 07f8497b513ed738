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
_GENERAL_FOLDER = regex(rb"[>}\]*]/([\w-]+)/(?=[<{*\[])")
"""A folder between two placeholders, such as `<skill>/overlays/<name>.md`."""


def is_named_elsewhere(project: Project, unit: Unit, file: str) -> bool:
    """Return whether a Markdown file outside a skill contains the path of one of the skill's files, or of their folder.

    A folder counts in a path such as `<skill>/overlays/<name>.md`, which means this folder of every skill. The file's
    path may begin with the name of the skill's folder. Without this name it may be the path of another file,
    relative to the folder of the Markdown file or a folder above; if that file exists, the path does not count.
    """
    path_with_folder, raw_name = f"{posixpath.basename(unit.folder)}/{file}", file.encode()
    paths_by_word = compute_once(
        project, f"{__name__} {unit.plugin_root}", lambda: _index_markdown(project, unit.plugin_root)
    )
    folders = compute_once(
        project, f"{__name__} folders {unit.plugin_root}", lambda: _list_general_folders(project, unit.plugin_root)
    )
    if not folders.isdisjoint(posixpath.dirname(file).encode().split(b"/")):
        return True
    words = _LAST_WORD.findall(posixpath.basename(file).encode())
    for path in dict.fromkeys(paths_by_word.get(words[-1].lower(), ())) if words else ():
        is_own = path.startswith(f"{unit.folder}/")
        text = project.read_text_file(path) if not is_own and raw_name in (project.read_bytes(path) or b"") else None
        if text is None:
            continue
        is_other_file = any(project.exists(posixpath.join(folder, file)) for folder in list_parents(path))
        if path_with_folder in text.text or not is_other_file:
            return True
    return False


def _list_general_folders(project: Project, plugin_root: str | None) -> frozenset[bytes]:
    """Return the names of the folders between two placeholders in the paths of all texts."""
    raws = (project.read_bytes(path) or b"" for path in _list_markdown(project, plugin_root))
    return frozenset(name for raw in raws for name in _GENERAL_FOLDER.findall(raw))


def _index_markdown(project: Project, plugin_root: str | None) -> Mapping[bytes, Sequence[str]]:
    """Map the last word of each mentioned Markdown file's name, in lower case, to the files that mention it."""
    raws = ((path, project.read_bytes(path) or b"") for path in _list_markdown(project, plugin_root))
    return group_by_key((word, path) for path, raw in raws for word in set(_LAST_WORD.findall(raw.lower())))


def _list_markdown(project: Project, plugin_root: str | None) -> Iterator[str]:
    """Yield the paths of the Markdown files that may mention a unit's files.

    In a plugin, these are the memory files at the project's root and all Markdown files of the plugin. Outside plugins,
    they are the memory files and the Markdown files of all units that are in no plugin.
    """
    yield from (path for path in _MEMORY if path in project.files)
    if plugin_root is not None:
        yield from (path for path in project.list_below(plugin_root) if path.endswith(MARKDOWN))
        return
    for unit in find_units(project):
        if unit.plugin_root is None:
            paths = project.list_below(unit.folder) if unit.kind is UnitKind.SKILL else (unit.path,)
            yield from (path for path in paths if path.endswith(MARKDOWN))
