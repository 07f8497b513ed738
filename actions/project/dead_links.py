"""Find relative Markdown links of a unit whose target does not exist, whatever folder they are read from."""

import posixpath
import re
from collections.abc import Iterator

from actions.project.project import Project
from actions.project.units import Unit, UnitKind
from actions.skill.references import Reference, links
from actions.skill.skill import SkillFile

_LINK = re.compile(r"\]\(|\]:")
"""A fast check: a text without this has no link and is not parsed."""
_LEFT_OUT = frozenset({".git", "node_modules", "dist", "build", "out", "target", "coverage"})
"""Folders that may be missing in a clone."""


def find_dead_links(project: Project, unit: Unit, file: SkillFile) -> Iterator[Reference]:
    """Yield the links that exist neither beside the file nor below its plugin or the project.

    A command or an agent may link to a file of the user: its links count only where their first folder is here.
    """
    bases = _list_bases(unit)
    for link in links(file) if _LINK.search(file.text) else ():
        paths = [posixpath.normpath(posixpath.join(base, link.target)) for base in bases]
        if not link.target or file.doc.is_counterexample(link.line) or not set("./") & set(link.target):
            continue
        if any(path.startswith("..") or not _LEFT_OUT.isdisjoint(path.split("/")) for path in paths[:1]):
            continue
        if not any(project.exists(path) or project.is_ignored(path) for path in paths) and (
            unit.kind is UnitKind.MEMORY or _is_of_project(project, link, bases)
        ):
            yield link


def find_meant_path(project: Project, unit: Unit, link: Reference) -> str:
    """Return the path of the project that a dead link means: in the first folder that exists, seen from its bases."""
    paths = [posixpath.normpath(posixpath.join(base, link.target)) for base in _list_bases(unit)]
    return next((path for path in paths if posixpath.dirname(path) in project.folders), paths[0])


def _list_bases(unit: Unit) -> dict[str, None]:
    return dict.fromkeys((unit.folder, unit.plugin_root or "", _find_owner(unit), ""))


def _find_owner(unit: Unit) -> str:
    """Return the folder that holds the `.claude` of a unit; "" where there is none."""
    return unit.path.partition("/.claude/")[0] if "/.claude/" in unit.path else ""


def _is_of_project(project: Project, link: Reference, bases: dict[str, None]) -> bool:
    """Return whether a link is written as one to a file of the project: by `../`, or into a folder that is there."""
    first, _, rest = link.target.partition("/")
    return first == ".." or bool(rest and any(posixpath.join(base, first) in project.folders for base in bases))
