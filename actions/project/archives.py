"""Find the units of a project that are in an archive: below a folder such as `backups/deleted-skills-2026`."""

import posixpath
from collections.abc import Collection, Iterator

from actions.project.plugins import find_entries, find_plugins
from actions.project.project import Project
from actions.project.units import Unit, UnitKind
from actions.regex import regex
from actions.skill.paths import list_parents

_WORD = regex(r"[a-z]+")
_ARCHIVE_WORDS = frozenset(
    "archive archives archived backup backups bak deleted deprecated trash attic old obsolete".split()
)
_NEUTRAL_WORDS = frozenset(
    "skill skills agent agents command commands plugin plugins hook hooks file files version versions v claude".split()
)
"""Words that may be beside a word for an archive. A name with another word, such as `database-backup`, has a topic."""


def is_archive(folder: str) -> bool:
    """Return whether a folder's name has a word for an archive and, besides it, only neutral words and numbers.

    `backup` in a folder of units, such as `skills/backup`, may be a topic.
    """
    above, _, name = folder.rpartition("/")
    words = set(_WORD.findall(name.lower()))
    is_topic = name == "backup" and posixpath.basename(above) in _NEUTRAL_WORDS
    return not is_topic and not words.isdisjoint(_ARCHIVE_WORDS) and words <= _ARCHIVE_WORDS | _NEUTRAL_WORDS


def select_archived_units(project: Project, units: Collection[Unit]) -> Iterator[Unit]:
    """Yield the units that are in an archive.

    A plugin or a `.claude` folder is loaded as a whole, so for its units only the folders that contain it count.
    """
    archives = {folder for folder in project.folders if is_archive(folder)}
    if not archives:
        return
    archives -= find_plugins(project).keys()
    listed = {entry.root for entry in find_entries(project)}
    for unit in units:
        if unit.plugin_root not in listed and not archives.isdisjoint(_list_folders_around(unit)):
            yield unit


def _list_folders_around(unit: Unit) -> Iterator[str]:
    """Yield the folders that contain a unit or, if a plugin or a `.claude` folder loads it, that folder."""
    if unit.plugin_root is not None:
        return list_parents(unit.plugin_root)
    if unit.is_loaded:
        return list_parents(f"{unit.loading_path.rpartition('.claude/')[0]}x")
    return list_parents(unit.folder if unit.kind is UnitKind.SKILL else unit.path)
