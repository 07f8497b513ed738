"""Find units that Claude Code does not load, because one of another kind has their name.

In a plugin, the model reaches only the command of a command and a skill with the same name, unless the command is only
for users. In `.claude`, the skill replaces the command. Source: the CLI 2.1.332; `tests/e2e/facts/test_name_facts.py`
asks it.
"""

import posixpath
import re

from actions.project.find_units import find_first_units
from actions.project.project import Project
from actions.project.units import Unit, UnitKind
from actions.regex import regex
from actions.skill.skill import SkillFile

_ONLY_FOR_USERS = regex(r"(?m)^disable-model-invocation:[ \t]*true\b")


def find_hiding_unit(project: Project, unit: Unit) -> Unit | None:
    """Return the unit that is loaded instead of this one, or None if there is none, or nothing is lost.

    Nothing is lost if the texts are equal, if the hidden one is shorter and leads to the other, or if the other reads
    its file.
    """
    hidden, hiding = (
        (UnitKind.COMMAND, UnitKind.SKILL) if unit.plugin_root is None else (UnitKind.SKILL, UnitKind.COMMAND)
    )
    other = find_first_units(project).get((hiding, *unit.key[1:])) if unit.kind is hidden else None
    if other is None:
        return None
    file, other_file = project.read_text_file(unit.path), project.read_text_file(other.path)
    if file is None or other_file is None:
        return None
    body, other_body = _get_body(file), _get_body(other_file)
    is_wrapper = len(body) < len(other_body) and _leads_to(file, other)
    if body == other_body or is_wrapper or _names_file(other_file, unit):
        return None
    is_only_for_users = any(_ONLY_FOR_USERS.search(text.text) for text in (file, other_file))
    return None if hidden is UnitKind.SKILL and is_only_for_users else other


def _get_body(file: SkillFile) -> list[str]:
    """Return the words below the frontmatter of a file."""
    return " ".join(file.doc.lines[file.doc.body_start - 1 :]).split()


def _names_file(file: SkillFile, unit: Unit) -> bool:
    """Return whether a text names the file of a unit with its folder, so that the model can read it."""
    folder, name = posixpath.split(unit.path)
    return f"{posixpath.basename(folder)}/{name}" in file.text


def _leads_to(file: SkillFile, unit: Unit) -> bool:
    """Return whether a text names a unit: its file, its command, or its name beside the word "skill"."""
    name = re.escape(unit.name.rpartition(":")[2])
    mention = rf"(?<![\w/.-])/(?:[\w-]+:)*{name}(?![\w/-])|\b{name}\W{{1,3}}skill\b|\bskill\W{{1,3}}{name}(?![\w-])"
    return _names_file(file, unit) or re.search(mention, file.text, re.IGNORECASE) is not None
