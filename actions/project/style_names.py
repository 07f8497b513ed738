"""Find an output style in the settings that Claude Code does not have.

Source: the CLI 2.1.332; `tests/e2e/facts/test_settings_facts.py` asks it. A style has the name of its frontmatter, else
of its file. An unknown name is ignored without a message.
"""

import posixpath
from collections.abc import Mapping

import msgspec

from actions.memo import memoize
from actions.project.facts.settings import SETTINGS_FILES
from actions.project.find_units import find_units
from actions.project.near_name import find_near
from actions.project.project import Project
from actions.project.units import Unit, UnitKind
from actions.skill.frontmatter import parse_frontmatter

BUILT_IN_STYLES = ("default", "Explanatory", "Learning", "Proactive")


class UnknownStyle(msgspec.Struct, frozen=True):
    """An output style that does not exist: its line, its name, and the name that was meant."""

    line: int
    name: str
    known: str


def find_unknown_style(project: Project, unit: Unit) -> UnknownStyle | None:
    """Return the output style of settings that misspells a known one, or names the file of a style, or None."""
    if unit.kind is not UnitKind.HOOKS or unit.path.rpartition("/")[2] not in SETTINGS_FILES:
        return None
    document, name = project.read_json(unit.path), project.read_object(unit.path).get("outputStyle")
    names_by_stem = _map_styles(project)
    known_names = {*BUILT_IN_STYLES, *names_by_stem.values()}
    if document is None or not isinstance(name, str) or name in known_names:
        return None
    known = names_by_stem.get(name) or find_near(name, sorted(known_names))
    if not known or known == BUILT_IN_STYLES[0]:  # an unknown style has the effect of `default`
        return None
    return UnknownStyle(document.find_line("outputStyle"), name, known)


@memoize
def _map_styles(project: Project) -> Mapping[str, str]:
    """Map the file names of the project's output styles, without `.md`, to the names by which settings call them."""
    names: dict[str, str] = {}
    for unit in find_units(project):
        if unit.kind is UnitKind.STYLE and unit.plugin_root is None:
            stem = posixpath.splitext(posixpath.basename(unit.path))[0]
            lines = (project.read_bytes(unit.path) or b"").decode("utf-8", "replace").splitlines()
            names[stem] = parse_frontmatter(tuple(lines)).text("name") or stem
    return names
