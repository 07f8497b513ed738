"""Find the skills that an agent preloads by its `skills`, but that Claude Code does not find.

Source: the CLI 2.1.332; `tests/e2e/facts/test_agent_facts.py` asks it. A skill is found by the name of its folder or of
its frontmatter, a command by its name, one of a plugin also without the plugin's name. Names are case-sensitive.
"""

import posixpath
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from actions.memo import memoize
from actions.project.archives import is_archive
from actions.project.facts.bundled_skills import BUNDLED_SKILLS, COMMANDS
from actions.project.find_units import find_units
from actions.project.frontmatter import read_name
from actions.project.misspelled_names import is_loaded_agent
from actions.project.near_name import find_near
from actions.project.plugins import find_plugins
from actions.project.project import Project
from actions.project.units import Unit, UnitKind
from actions.regex import regex
from actions.skill.frontmatter import parse_frontmatter
from actions.skill.paths import MAIN, list_parents
from actions.skill.skill import Skill

_NAME = regex(r"(?a)/?[\w:.-]{1,80}")
_BUILT_IN = frozenset((*BUNDLED_SKILLS, *(name for name, _ in COMMANDS)))
_MIN_FOUND = 2
"""Minimum number of other skills of an agent that must exist, so that a missing one is certainly no user's skill."""

_MAX_COMPARED = 1_000
"""Maximum number of skills with which a missing name is compared, so that the time stays linear."""


class UnknownSkill(msgspec.Struct, frozen=True):
    """A skill in the `skills` of an agent that is not found: its line, its name, and a similar name or "".

    `is_hidden` means that the skill exists, but that it is only for users. `is_certain` means that the project shows
    that the name is wrong; without it, a user may have the skill. `archive` is the folder of a skill in an archive.
    """

    line: int
    name: str
    near: str
    is_hidden: bool
    is_certain: bool
    archive: str = ""


def find_unknown_skills(project: Project, unit: Unit, skill: Skill) -> Iterator[UnknownSkill]:
    """Yield the skills that an agent names and that no unit or file of the project is called."""
    names = _read_names(skill) if is_loaded_agent(unit) else ()
    known = _map_skills(project) if names else {}
    missing = [name for name in names if not _may_exist(project, known, name)]
    line = skill.frontmatter.lines.get("skills", 1)
    for name in names:
        if known.get(name):
            yield UnknownSkill(line, name, "", True, True)
    archived = _map_archived(project) if missing else {}
    for name in missing:
        archive = archived.get(name, "")
        near = name[1:] if name[1:] in known else _find_near(name, known)
        is_exception = len(missing) == 1 and len(names) > _MIN_FOUND
        yield UnknownSkill(line, name, near, False, bool(near or archive) or is_exception, archive)


def _find_near(name: str, known: Mapping[str, bool]) -> str:
    return find_near(name, known) or "" if len(known) <= _MAX_COMPARED else ""


def _read_names(skill: Skill) -> Sequence[str]:
    value = skill.frontmatter.values.get("skills")
    parts = value if isinstance(value, list) else value.split(",") if isinstance(value, str) else ()
    names = [part.strip() for part in parts if isinstance(part, str)]
    return [name for name in names if _NAME.fullmatch(name)]


def _may_exist(project: Project, known: Mapping[str, bool], name: str) -> bool:
    """Return whether a name is that of a skill, or of one that is not in the project: ignored, or of another plugin."""
    prefix, _, bare = name.rpartition(":")
    is_elsewhere = bool(prefix) and prefix not in _list_plugins(project)
    is_left_out = bare in _list_unread(project) or project.is_ignored(f".claude/skills/{bare}/{MAIN}")
    return name in known or bare in known or bare in _BUILT_IN or is_elsewhere or is_left_out


@memoize
def _list_plugins(project: Project) -> frozenset[str]:
    return frozenset(plugin.name for plugin in find_plugins(project).values())


@memoize
def _list_unread(project: Project) -> frozenset[str]:
    """Return the names of links and other paths that are not read, which may be skills."""
    return frozenset(map(posixpath.basename, project.unread))


@memoize
def _map_skills(project: Project) -> Mapping[str, bool]:
    """Map the names of all skills and commands to whether only users can start them.

    A folder with a SKILL.md counts as a skill anywhere but in an archive: it may be copied to where Claude Code looks.
    """
    known: dict[str, bool] = {}
    for unit in find_units(project):
        if unit.kind in (UnitKind.SKILL, UnitKind.COMMAND):
            raw = project.read_bytes(unit.path) or b""
            frontmatter = parse_frontmatter(tuple(raw.decode("utf-8", "replace").splitlines()))
            is_hidden = frontmatter.values.get("disable-model-invocation") is True
            names = {unit.name, unit.name.rpartition(":")[2], read_name(raw)}
            for name in names - {""}:
                known[name] = known.get(name, True) and is_hidden
    folders = {posixpath.dirname(path) for path in project.files if path.endswith(f"/{MAIN}")}
    folders -= set(_map_archived(project).values())
    return {**dict.fromkeys(map(posixpath.basename, folders), False), **known}


@memoize
def _map_archived(project: Project) -> Mapping[str, str]:
    """Map the names of the folders of skills that are in an archive to these folders."""
    archives = {folder for folder in project.folders if is_archive(folder)} - find_plugins(project).keys()
    skills = (posixpath.dirname(path) for path in project.files if archives and path.endswith(f"/{MAIN}"))
    return {posixpath.basename(skill): skill for skill in skills if not archives.isdisjoint(list_parents(skill))}
