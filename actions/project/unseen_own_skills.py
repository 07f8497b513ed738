"""Find skills in `.claude/skills` that Claude Code does not load: one folder too deep, or without a folder.

Source: the CLI 2.1.332; `tests/e2e/facts/test_unit_facts.py` asks it. It reads only `.claude/skills/NAME/SKILL.md`.
"""

import posixpath
import re
from collections.abc import Iterator

import msgspec

from actions.memo import memoize, memoize_all
from actions.project.agent_faults import is_note
from actions.project.find_units import find_units
from actions.project.plugins import Plugin, find_entries, find_plugin, find_plugins
from actions.project.project import Project
from actions.project.units import Unit, UnitKind
from actions.project.unseen_skills import has_description
from actions.regex import regex
from actions.skill.paths import MAIN

_DEEP = regex(r"(?:.*/)?\.claude/skills/[^/]+/(?:[^/]+/){1,2}SKILL\.md")
_FILE_OF_SKILL = regex(r"[\w.-]+/.*\.\w+")
_SKILLS = ".claude/skills"
_SKILL_TITLE = regex(r"#[ \t]+(?:Skill:[ \t]*\S.*|\S.*(?<!\ba)(?<!\bnew)(?<!\bthe)(?<!\byour)[ \t]Skill)")
_READER = regex(r"\.(?:sh|bash|ps1|py|[mc]?[jt]s)\Z")
_PATTERN = regex(rb"\.claude/skills/[\w$*{}<>-]+\.md\b")
"""A path with which a script reads files in `.claude/skills`."""
_CARRIERS = (UnitKind.MEMORY, UnitKind.HOOKS, UnitKind.COMMAND, UnitKind.AGENT)
_MAX_BYTES = 200_000


class LooseSkills(msgspec.Struct, frozen=True):
    """The skills without a folder of their own in a `.claude/skills`, and the unit with which they are reported."""

    unit: Unit
    paths: tuple[str, ...]


def find_expected_place(project: Project, unit: Unit) -> str:
    """Return the path from which Claude Code would load a skill that is too deep in `.claude/skills`, or "".

    A skill in another skill, in a plugin, or in a group whose path a text gives for the model to read, is left out.
    """
    if unit.kind is not UnitKind.SKILL or unit.plugin_root is not None or not _DEEP.fullmatch(unit.path):
        return ""
    folder = f"{unit.path.rpartition(f'{_SKILLS}/')[0]}{_SKILLS}"
    expected = posixpath.join(folder, posixpath.basename(unit.folder), MAIN)
    is_meant = _is_inside(project, unit, folder) or project.exists(expected) or unit.folder in _list_named(project)
    group, _, inner = unit.folder.removeprefix(f"{folder}/").partition("/")
    is_read = any(_leads_to(text, group, inner) for text in _list_texts(project))
    return "" if is_meant or is_read or not has_description(project, unit.path) else expected


def _leads_to(text: str, group: str, inner: str) -> bool:
    """Return whether a text gives the path of a group, of a skill in it, or of this one.

    The path of another file in a skill, such as a template, does not lead to a SKILL.md.
    """
    if f"{group}/" not in text:
        return False
    path = rf"(?:skills/{re.escape(group)}/|(?<![\w-]){re.escape(group)}/(?={re.escape(inner)}(?![\w-])))([\w./-]*)"
    rests = (match[1].rstrip(".") for match in re.finditer(path, text))
    return any(rest.endswith(MAIN) or not _FILE_OF_SKILL.fullmatch(rest) for rest in rests)


def _is_inside(project: Project, unit: Unit, folder: str) -> bool:
    """Return whether a folder between `folder` and the unit is a skill or a plugin."""
    plugin = find_plugin(project, unit.path)
    if plugin and plugin.root.startswith(f"{folder}/"):
        return True
    above = posixpath.dirname(unit.folder)
    while above != folder:
        if f"{above}/{MAIN}" in project.files:
            return True
        above = posixpath.dirname(above)
    return False


@memoize
def _list_named(project: Project) -> frozenset[str]:
    """Return the paths, and the files and folders directly in them, that manifests and marketplaces name."""
    entries = (Plugin(entry.root, "", entry.value) for entry in find_entries(project))
    plugins = (*find_plugins(project).values(), *entries)
    keys = ("skills", "commands", "agents")
    paths = {path for plugin in plugins for key in keys for path in plugin.list_paths(key)}
    return frozenset(paths.union(f"{path}/{name}" for path in paths for name in project.list_folder(path)))


@memoize
def _list_texts(project: Project) -> tuple[str, ...]:
    """Return the texts that the model follows: of memory files, commands, agents and loaded skills."""
    kinds = (UnitKind.MEMORY, UnitKind.COMMAND, UnitKind.AGENT, UnitKind.SKILL)
    units = (unit for unit in find_units(project) if unit.kind in kinds and not _DEEP.fullmatch(unit.path))
    files = (project.read_text_file(unit.path) for unit in units)
    return tuple(file.text for file in files if file)


@memoize_all
def find_loose_skills(project: Project) -> Iterator[LooseSkills]:
    """Yield the skills without a folder for each `.claude/skills`, unless a manifest names or a script reads them."""
    for folder in sorted(name for name in project.folders if f"/{name}".endswith(f"/{_SKILLS}")):
        paths = tuple(path for path in _list_loose(project, folder))
        unit = _find_carrier(project, folder) if paths and not _has_reader(project) else None
        if unit:
            yield LooseSkills(unit, paths)


def _list_loose(project: Project, folder: str) -> Iterator[str]:
    for name in project.list_folder(folder):
        path, own_folder = f"{folder}/{name}", f"{folder}/{name.removesuffix('.md')}"
        is_text = path in project.files and name.endswith(".md") and name.lower() != MAIN.lower() and not is_note(path)
        is_meant = path in _list_named(project) or project.exists(own_folder)
        is_read = any(f"skills/{name}" in text for text in _list_texts(project))
        if is_text and not is_meant and not is_read and _looks_like_skill(project, path):
            yield path


def _looks_like_skill(project: Project, path: str) -> bool:
    """Return whether a text has the frontmatter of a skill, or no frontmatter and a title such as "Count Skill"."""
    text = (project.read_bytes(path) or b"").decode("utf-8", "replace").lstrip("\ufeff \t\r\n")
    return has_description(project, path) or _SKILL_TITLE.fullmatch(text.partition("\n")[0].rstrip()) is not None


def _find_carrier(project: Project, folder: str) -> Unit | None:
    """Return the first unit of the same project, such as its CLAUDE.md."""
    root = folder.removesuffix(_SKILLS)
    units = [unit for unit in find_units(project) if unit.kind in _CARRIERS and unit.path.startswith(root)]
    return min(units, key=lambda unit: (_CARRIERS.index(unit.kind), unit.path.count("/"), unit.path), default=None)


@memoize
def _has_reader(project: Project) -> bool:
    """Return whether a script of the project reads texts directly in `.claude/skills`."""
    scripts = (path for path, file in project.files.items() if _READER.search(path) and file.size <= _MAX_BYTES)
    return any(_PATTERN.search(project.read_bytes(path) or b"") for path in scripts)
