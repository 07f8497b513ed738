"""Find out whether the name of a skill, where it deviates from the specification, misleads users or other tools."""

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from actions.grouping import group_by_key
from actions.memo import memoize
from actions.project.find_units import find_units
from actions.project.frontmatter import read_name
from actions.project.project import Project
from actions.project.units import Unit, UnitKind
from actions.regex import regex
from actions.skill.frontmatter_keys import is_well_formed
from actions.skill.similar_names import is_similar

_MIN_HABIT = 3
"""Minimum number of skills with the same deviation that are a habit of the project, and no slip."""
_OVERVIEWS = frozenset({"README.md", "AGENTS.md", "CLAUDE.md"})
_CALL = regex(
    r"`/?(?:[a-z0-9-]+:)?([a-z0-9]+(?:-[a-z0-9]+)+)`"
    r"|(?<![\w/.`:-])/(?:[a-z0-9-]+:)?([a-z0-9-]+)(?![\w/:*-]|\.\w)"
)
"""A name of a skill in a text: `name` or `plugin:name` in a code span, if it has a hyphen, or after a slash."""
_PLACEHOLDER = regex(r"<[^<>]+>|\{[^{}]+\}")
_TEMPLATE_FOLDER = regex(r"(?i)(?:.*[_-])?templates?(?:[_-].*)?|_.*")
_TYPED = regex(r"[\w.:-]+")


class NamedPlace(msgspec.Struct, frozen=True):
    """A line of a text that gives the name of a skill."""

    path: str
    line: int
    text: str


def is_habit(project: Project, name: str) -> bool:
    """Return whether at least three skills of the project have no name, as this one, or names of the same form.

    Users can type such a name as a command of Claude Code: it has no blanks, but capitals, dots, colons or underscores.
    """
    form = _get_form(name)
    return form != "" and len(_group_by_form(project).get(form, ())) >= _MIN_HABIT


def is_unfilled(unit: Unit, name: str) -> bool:
    """Return whether a name is a placeholder in a template, or where nothing loads a skill."""
    *above, _ = f"/{unit.folder}".split("/")
    is_loaded = above[-1:] == ["skills"] and not any(map(_TEMPLATE_FOLDER.fullmatch, unit.folder.split("/")))
    return not is_loaded and _PLACEHOLDER.search(name) is not None


def find_namesake(project: Project, unit: Unit, name: str) -> Unit | None:
    """Return another skill in the same plugin, `.claude` folder or folder that has this name, or a folder of it."""
    namesakes = _group_by_name(project).get((_get_scope(unit), name), ())
    return next((other for other in namesakes if other.path != unit.path), None)


def is_misspelled(name: str, folder: str) -> bool:
    """Return whether the name and the folder of a skill are two spellings of one name."""
    return name != folder and is_similar(name, folder)


def find_call_by_folder(project: Project, unit: Unit, name: str, folder: str) -> NamedPlace | None:
    """Return a place outside a skill that calls the skill by its folder, unless a command or an agent is named so.

    A line that has both names explains them. A line that has the folder's path may mean the folder.
    """
    others = (other for other in find_units(project) if other.kind in (UnitKind.COMMAND, UnitKind.AGENT))
    places = [place for place in _index_calls(project).get(folder, ()) if not place.path.startswith(f"{unit.folder}/")]
    if any(_names_both(place.text, name, folder) for place in places):
        return None
    is_other = any(other.name.rpartition(":")[2] == folder for other in others)
    return next((place for place in places if not is_other and f"/{folder}/" not in place.text), None)


def _names_both(text: str, name: str, folder: str) -> bool:
    """Return whether a text has the name and the folder of a skill as separate words."""
    return all(re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", text) for word in (name, folder))


def _get_scope(unit: Unit) -> str:
    """Return the plugin or `.claude` folder of a skill, or the folder above it if Claude Code does not load it."""
    return unit.key[1] if unit.is_loaded else posixpath.dirname(unit.folder)


def _get_form(name: str) -> str:
    if not name:
        return "none"
    return "typed" if _TYPED.fullmatch(name) and not is_well_formed(name) else ""


@memoize
def _list_names(project: Project) -> Sequence[tuple[Unit, str]]:
    skills = (unit for unit in find_units(project) if unit.kind is UnitKind.SKILL)
    return [(unit, _read_name(project, unit)) for unit in skills]


@memoize
def _group_by_form(project: Project) -> Mapping[str, Sequence[Unit]]:
    return group_by_key((_get_form(name), unit) for unit, name in _list_names(project))


@memoize
def _group_by_name(project: Project) -> Mapping[tuple[str, str], Sequence[Unit]]:
    names = ((unit, {name, posixpath.basename(unit.folder)}) for unit, name in _list_names(project))
    return group_by_key(((_get_scope(unit), name), unit) for unit, both in names for name in sorted(both))


@memoize
def _index_calls(project: Project) -> Mapping[str, Sequence[NamedPlace]]:
    """Map the names in overviews and units to the lines outside fences that give them."""
    return group_by_key((name, place) for path in _list_texts(project) for name, place in _find_calls(project, path))


def _list_texts(project: Project) -> Sequence[str]:
    units = {unit.path for unit in find_units(project) if unit.path.endswith(".md")}
    overviews = {path for path in project.files if posixpath.basename(path) in _OVERVIEWS and path.count("/") <= 2}
    return sorted(units | overviews)


def _find_calls(project: Project, path: str) -> Iterator[tuple[str, NamedPlace]]:
    file = project.read_text_file(path)
    for number, line in enumerate(file.doc.lines if file else (), 1):
        if ("`" in line or "/" in line) and file and not file.doc.fence_at(number):
            for match in _CALL.finditer(line):
                yield match[1] or match[2], NamedPlace(path, number, line)


def _read_name(project: Project, unit: Unit) -> str:
    return read_name(project.read_bytes(unit.path) or b"")
