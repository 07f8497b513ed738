"""Find the numbered parts, such as phases, that texts of a project outside of its skills define for several units."""

from collections.abc import Iterator

from actions.memo import memoize
from actions.project.find_units import find_units
from actions.project.project import Project
from actions.project.units import Unit, UnitKind
from actions.regex import regex
from actions.skill.numbered_parts import Part, UndefinedPart, find_undefined_parts
from actions.skill.paths import MARKDOWN, list_parents
from actions.skill.skill import Skill

_HEADING = regex(rb"(?im)^#{1,6} [^\n]{0,80}?\b(phase|stage|section)[ \t]+(\d{1,3}(?:\.\d{1,3})?)\b")


def find_missing_parts(project: Project, unit: Unit, skill: Skill) -> Iterator[UndefinedPart]:
    """Yield the parts that a unit mentions but does not define, unless a heading of a shared text defines them.

    Shared texts are those outside of all skills. Steps are numbered in each text anew, so there they do not count.
    """
    for undefined in find_undefined_parts(skill):
        part = undefined.part
        is_shared = part.word != "step" and _is_in_shared_heading(project, unit, part)
        if not is_shared:
            yield undefined


def _is_in_shared_heading(project: Project, unit: Unit, part: Part) -> bool:
    return any(path != unit.path for path in _map_headings(project).get((part.word, part.number), ()))


@memoize
def _map_headings(project: Project) -> dict[tuple[str, str], set[str]]:
    """Map the word and the number of each part in a heading to the texts that have it."""
    paths_by_part: dict[tuple[str, str], set[str]] = {}
    for path in _list_texts(project):
        for word, number in _HEADING.findall(project.read_bytes(path) or b""):
            paths_by_part.setdefault((word.decode().lower(), number.decode()), set()).add(path)
    return paths_by_part


def _list_texts(project: Project) -> Iterator[str]:
    skill_folders = {unit.folder for unit in find_units(project) if unit.kind is UnitKind.SKILL}
    for path in project.files:
        if path.lower().endswith(MARKDOWN) and skill_folders.isdisjoint(list_parents(path)):
            yield path
