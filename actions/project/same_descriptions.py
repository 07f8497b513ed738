"""Find units of the same kind, in the same plugin or folder, whose descriptions are equal apart from stop words."""

from collections.abc import Mapping

from actions.memo import memoize
from actions.project.find_units import find_units
from actions.project.project import Project
from actions.project.units import Unit, UnitKind
from actions.regex import regex
from actions.skill.frontmatter import parse_frontmatter
from actions.skill.unfilled import is_unfilled

_COMPARED_KINDS = (UnitKind.SKILL, UnitKind.AGENT, UnitKind.COMMAND)
_WORD = regex(r"\w+")
_STOP_WORDS = frozenset(
    "a an and any are as at be by can do for from has have in into is it its of on or should that the their them then"
    " these they this to use used uses using when whenever where which who will with you your".split()
)
"""Words that do not distinguish two descriptions."""
_MIN_WORDS = 6
"""Minimum number of words, not counting stop words. Shorter descriptions may be equal by chance."""


@memoize
def find_same_descriptions(project: Project) -> Mapping[str, Unit]:
    """Map the path of a unit to the earlier unit whose description has the same words, apart from stop words."""
    first: dict[tuple[object, ...], Unit] = {}
    earlier: dict[str, Unit] = {}
    for unit in find_units(project):
        is_loaded = unit.plugin_root is not None or "/.claude/" in f"/{unit.path}"
        words = _read_words(project, unit) if is_loaded and unit.kind in _COMPARED_KINDS else ()
        if len(set(words)) >= _MIN_WORDS:
            other = first.setdefault((*unit.key[:2], words), unit)
            if other.name != unit.name:
                earlier[unit.path] = other
    return earlier


def _read_words(project: Project, unit: Unit) -> tuple[str, ...]:
    """Return the words of a description that the model sees and no other pattern reports."""
    text = (project.read_bytes(unit.path) or b"").decode("utf-8", "replace").lstrip("\ufeff")
    frontmatter = parse_frontmatter(tuple(text.splitlines()))
    description = frontmatter.text("description")
    is_reported = unit.kind is UnitKind.SKILL and is_unfilled(description)  # SPEC-003 reports it
    is_hidden = unit.kind is not UnitKind.AGENT and frontmatter.values.get("disable-model-invocation") is True
    words = () if is_reported or is_hidden else _WORD.findall(description.lower())
    return tuple(word for word in words if word not in _STOP_WORDS)
