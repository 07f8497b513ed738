"""Recognize conventions of a project, in which several skills deviate from the specification in the same way."""

import posixpath
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from actions.grouping import group_by_key
from actions.memo import memoize
from actions.project.find_units import find_units
from actions.project.plugins import find_plugin
from actions.project.project import Project
from actions.project.units import Unit, UnitKind
from actions.regex import regex
from actions.skill.frontmatter import Frontmatter, parse_frontmatter
from actions.skill.frontmatter_keys import is_well_formed

_MIN_SKILLS = 3
"""Minimum number of skills for a convention.

If they deviate by the same affix, such as `-master`, this is enough. Otherwise, they must also be at least half of the
skills in the plugin or folder.
"""
_MIN_FAMILY = 5
"""Minimum number of skills of a family: skills of any plugins that deviate in the same way beside others."""
_OVERVIEWS = ("README.md", "AGENTS.md", "CLAUDE.md")
_REGISTRY_FILES = ("_meta.json", ".clawhub/origin.json")
"""Files in a skill that a registry installed. Its folder is then named like its entry in the registry."""
_PUBLISHING_TEXTS, _SLUG = ("README.md", "PUBLISHING.md"), regex(rb"--slug[ =]([a-z0-9-]+)")
_ORDINAL = regex(r"\d+[-_.]")


def follows_convention(project: Project, unit: Unit, name: str) -> bool:
    """Return whether the name of a skill follows a convention of its project.

    - It consists of the names of the last two folders, or of the plugin and the folder.
    - It differs from the folder's name by the same affix as other names of the project.
    - It equals the folder's name and has capitals or underscores, as other names there do.
    - It differs from the folder's name in the same way as most names in its plugin, `.claude` folder or folder.
    - The folder has the name under which a registry installed the skill.
    - It begins with the same prefix before the folder's name as the names of a family.
    - A text beside a package gives it as the name under which the skill is published.
    - It is missing, as all names there are, or as in a family with the same keys.
    """
    if not name:
        names = _list_names(project).get(_get_scope(unit), ())
        return _is_in_nameless_family(project, unit) or (len(names) >= _MIN_SKILLS and not any(names))
    if any(f"{unit.folder}/{file}" in project.files for file in _REGISTRY_FILES):
        return True
    if _is_published(project, unit, name) or _count_prefixes(project)[_find_prefix(unit, name)] >= _MIN_FAMILY:
        return True
    plugin, plain = find_plugin(project, unit.path), name.replace(":", "-")
    prefixes = [posixpath.basename(posixpath.dirname(unit.folder)), *([plugin.name] if plugin else [])]
    if plain in [f"{prefix}-{posixpath.basename(unit.folder)}" for prefix in prefixes]:
        return True
    if _count_affixes(project)[_find_affix(unit, name)] >= _MIN_SKILLS:
        return True
    deviation = _find_deviation(unit, name)
    known = _list_deviations(project).get(_get_scope(unit), ()) if deviation else ()
    count = known.count(deviation)
    return count >= _MIN_SKILLS and (deviation == "other characters" or 2 * count >= len(known))


def is_second_name(project: Project, unit: Unit, folder: str, name: str) -> bool:
    """Return whether a skill has a second name on purpose: a text gives it beside the name of the folder.

    In README.md or a memory file at the project's root, both are on one line. In the skill itself, both are commands on
    one line, as in "/build and /implement".
    """
    pairs = [(path, "") for path in _OVERVIEWS if path in project.files] + [(unit.path, "/")]
    raws = ((project.read_bytes(path) or b"", mark) for path, mark in pairs)
    return any(
        _has_both(raw, mark + name, mark + folder) for raw, mark in raws if folder and name and name.encode() in raw
    )


def _has_both(raw: bytes, name: str, folder: str) -> bool:
    """Return whether one line of a text has both names as whole words."""
    patterns = [re.compile(rf"(?<![\w-]){re.escape(word)}(?![\w-])") for word in (name, folder)]
    lines = raw.decode("utf-8", "replace").splitlines()
    return any(all(pattern.search(line) for pattern in patterns) for line in lines)


def has_prefix_of_author(frontmatter: Frontmatter, folder: str, name: str) -> bool:
    """Return whether a name is the author's and the folder's, as in a copy of a published skill."""
    metadata = frontmatter.values.get("metadata")
    author = metadata.get("author") if isinstance(metadata, dict) else None
    return isinstance(author, str) and name == f"{author.strip().lower()}-{folder}"


def _get_scope(unit: Unit) -> str:
    """Return the plugin or `.claude` folder of a skill, or the folder above it if Claude Code does not load it."""
    return unit.key[1] if unit.is_loaded else posixpath.dirname(unit.folder)


@memoize
def _list_deviations(project: Project) -> Mapping[str, Sequence[str]]:
    """Return the deviations of all skills, by scope."""
    skills = (unit for unit in find_units(project) if unit.kind is UnitKind.SKILL)
    return group_by_key((_get_scope(unit), _find_deviation(unit, _read_name(project, unit))) for unit in skills)


@memoize
def _list_names(project: Project) -> Mapping[str, Sequence[str]]:
    """Return the names of all skills, by scope."""
    skills = (unit for unit in find_units(project) if unit.kind is UnitKind.SKILL)
    return group_by_key((_get_scope(unit), _read_name(project, unit)) for unit in skills)


@memoize
def _count_affixes(project: Project) -> Counter[str]:
    return _count_parts(project, _find_affix)


@memoize
def _count_prefixes(project: Project) -> Counter[str]:
    return _count_parts(project, _find_prefix)


def _count_parts(project: Project, find: Callable[[Unit, str], str]) -> Counter[str]:
    """Count the parts that `find` returns for the names of all skills, without ""."""
    skills = (unit for unit in find_units(project) if unit.kind is UnitKind.SKILL)
    counts = Counter(find(unit, _read_name(project, unit)) for unit in skills)
    del counts[""]
    return counts


def _is_in_nameless_family(project: Project, unit: Unit) -> bool:
    """Return whether a family of loaded skills has the same keys, and hardly one has a name beside them."""
    keys, counts = _list_keys(project, unit), _count_keys(project)
    is_family = counts[keys] >= _MIN_FAMILY and counts[keys] > _MIN_FAMILY * counts[keys | {"name"}]
    return unit.is_loaded and "name" not in keys and is_family


@memoize
def _count_keys(project: Project) -> Counter[frozenset[str]]:
    """Count the skills that Claude Code loads by the keys of their frontmatter."""
    skills = (unit for unit in find_units(project) if unit.kind is UnitKind.SKILL and unit.is_loaded)
    return Counter(_list_keys(project, unit) for unit in skills)


def _find_prefix(unit: Unit, name: str) -> str:
    """Return the prefix with its hyphen or colon that a skill's name has before the name of the folder, or ""."""
    prefix = (
        name.removesuffix(posixpath.basename(unit.folder)) if name.endswith(posixpath.basename(unit.folder)) else ""
    )
    return prefix if prefix.endswith(("-", ":")) else ""


def _is_published(project: Project, unit: Unit, name: str) -> bool:
    """Return whether the folder is a package, and a text in it publishes the skill under its name (`--slug NAME`)."""
    if f"{unit.folder}/package.json" not in project.files:
        return False
    texts = (project.read_bytes(f"{unit.folder}/{file}") or b"" for file in _PUBLISHING_TEXTS)
    return any(match[1].decode() == name for text in texts for match in _SLUG.finditer(text))


def _find_affix(unit: Unit, name: str) -> str:
    """Return the prefix or suffix that the folder adds to a skill's name (an ordinal number as `NN-`), or "".

    Returns ":" for a name such as `birds:count` in the folder `birds-count`.
    """
    folder = posixpath.basename(unit.folder)
    if not name or folder == name:
        return ""
    if name.replace(":", "-") == folder:
        return ":"
    if folder.endswith(name):
        affix = folder.removesuffix(name)
        return "NN-" if _ORDINAL.fullmatch(affix) else affix if affix.endswith("-") else ""
    affix = folder.removeprefix(name)
    return affix if folder.startswith(f"{name}-") else ""


def _find_deviation(unit: Unit, name: str) -> str:
    """Return how a name deviates: by a colon, a file extension, an affix of only the name or the folder, or characters
    of both. Returns "" if it does not.
    """
    folder = posixpath.basename(unit.folder)
    if name.endswith(".md"):
        return "extension"
    if ":" in name:
        return "colon"
    if name == folder:
        return "" if is_well_formed(name) else "other characters"
    if name.endswith(f"-{folder}"):
        return "prefix of the name"
    if name.startswith(f"{folder}-"):
        return "suffix of the name"
    return "prefix of the folder" if name and folder.endswith(f"-{name}") else ""


def _read_name(project: Project, unit: Unit) -> str:
    return _read_frontmatter(project, unit).text("name")


def _list_keys(project: Project, unit: Unit) -> frozenset[str]:
    return frozenset(map(str, _read_frontmatter(project, unit).values))


def _read_frontmatter(project: Project, unit: Unit) -> Frontmatter:
    raw = project.read_bytes(unit.path) or b""
    return parse_frontmatter(tuple(raw.decode("utf-8", "replace").splitlines()))
