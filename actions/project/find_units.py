"""Find the units of a project where Claude Code looks for them.

Source: `provides` in `claude plugin validate --json` of the CLI 2.1.330, which `tests/e2e/facts` runs. In a plugin:
`skills/NAME/SKILL.md` under the folder's name, `agents/**.md` under the name of their frontmatter, `commands/**.md` and
`commands/NAME/SKILL.md`, `output-styles/*.md`, `hooks/hooks.json`, `.mcp.json`. The `skills` of a manifest are loaded
in addition to the default folder; its `commands`, `agents` and `outputStyles` replace the default folders.
"""

import posixpath
from collections.abc import Iterator, Mapping

from actions.memo import memoize, memoize_all
from actions.project.archives import select_archived_units
from actions.project.facts.names import qualify
from actions.project.frontmatter import read_name
from actions.project.home_folders import find_home_folders
from actions.project.idle_hooks_file import IDLE_FILES, is_idle_hooks_file
from actions.project.links import group_links_by_folder
from actions.project.overlays import find_overlays
from actions.project.plugins import MANIFEST, MARKETPLACE, Plugin, find_plugins, is_scaffold
from actions.project.project import Project
from actions.project.units import Unit, UnitKind
from actions.regex import regex
from actions.skill.paths import MAIN, Role, find_loading_folder, get_role

_LINKED_KINDS = frozenset({UnitKind.AGENT, UnitKind.COMMAND})
"""Kinds of units that Claude Code also loads through links to their files."""
_TEMPLATE_FOLDERS = frozenset({"template", "templates", "skeleton", "skeletons"})
_TEMPLATE_SKILL = regex(r"_?templates?|skill[_-]template|template[_-]skill")
"""The folder of a skill that is to be copied, outside of a folder `skills`, from where skills are loaded."""
SETTINGS = ("settings.json", "settings.local.json")
MEMORY_FILES = ("CLAUDE.md", "CLAUDE.local.md", "AGENTS.md")


@memoize_all
def find_units(project: Project) -> Iterator[Unit]:
    """Yield the units of a project, sorted by path, except units in tests, fixtures, archives and vendored code.

    A unit that several plugins load belongs to the innermost one, because outer plugins only collect units for a
    marketplace.
    """
    archived = {unit.path for unit in find_archived_units(project)}
    yield from (unit for unit in _find_all_units(project) if unit.path not in archived)


@memoize_all
def find_archived_units(project: Project) -> Iterator[Unit]:
    """Yield the units that are in archives, sorted by path: Claude Code does not load them."""
    yield from select_archived_units(project, _find_all_units(project))


@memoize_all
def _find_all_units(project: Project) -> Iterator[Unit]:
    """Yield the units of a project, sorted by path, except units in tests, fixtures and vendored code."""
    by_path: dict[str, Unit] = {}
    units = (*find_plugin_units(project), *_find_in_claude_folders(project), *_find_anywhere(project))
    for unit in sorted(units, key=lambda unit: unit.link != ""):  # a file with a unit of its own is checked there
        if not _is_test_or_vendored(unit.loading_path):
            by_path.setdefault(unit.path, unit)
    yield from (by_path[path] for path in sorted(by_path))


@memoize
def find_first_units(project: Project) -> Mapping[tuple[str, ...], Unit]:
    """Map each unit key (kind, scope and name) to the first unit that has it."""
    first: dict[tuple[str, ...], Unit] = {}
    for unit in find_units(project):
        first.setdefault(unit.key, unit)
    return first


def is_sample(folder: str) -> bool:
    """Return whether a skill is a template, or in tests, fixtures, archives, templates or a hidden folder."""
    *above, name = folder.split("/")
    is_hidden = any(name.startswith(".") and not name.startswith(".claude") for name in above)
    is_template = above[-1:] != ["skills"] and _TEMPLATE_SKILL.fullmatch(name) is not None
    is_below = not _TEMPLATE_FOLDERS.isdisjoint(above) or _is_test_or_vendored(f"{folder}/{MAIN}")
    return is_hidden or is_template or is_below


def may_be_unit(path: str) -> bool:
    """Return whether Claude Code reads a file because of its path: in a `.claude` folder, a memory or an MCP file."""
    folder, _, name = path.rpartition("/")
    is_settings = folder.rpartition("/")[2] == ".claude" and name in SETTINGS
    return is_settings or name in MEMORY_FILES or path == ".mcp.json" or find_loading_folder(path) is not None


def find_misnamed_skills(project: Project) -> Iterator[str]:
    """Yield the files in subfolders of `skills` whose name differs from SKILL.md only in case, except samples."""
    for path in project.files:
        folder, _, name = path.rpartition("/")
        is_skill = name.lower() == MAIN.lower() and name != MAIN and f"{folder}/{MAIN}" not in project.files
        if is_skill and posixpath.basename(posixpath.dirname(folder)) == "skills" and not is_sample(folder):
            yield path


@memoize_all
def find_plugin_units(project: Project) -> Iterator[Unit]:
    """Yield the units of each plugin, innermost plugin first. A unit that several plugins load has several names."""
    for plugin in sorted(find_plugins(project).values(), key=lambda plugin: -len(plugin.root)):
        yield from _find_skills(project, (plugin.join("skills"), *plugin.list_paths("skills")), plugin)
        for kind, key, folder in (
            (UnitKind.AGENT, "agents", "agents"),
            (UnitKind.COMMAND, "commands", "commands"),
            (UnitKind.STYLE, "outputStyles", "output-styles"),
        ):
            is_empty = project.read_object(plugin.join(MANIFEST)).get(key) == []
            places = plugin.list_paths(key) or (() if is_empty else (plugin.join(folder),))
            yield from _find_markdown_units(project, kind, places, plugin)
        yield from _find_settings_units(project, plugin)


def _find_settings_units(project: Project, plugin: Plugin) -> Iterator[Unit]:
    for kind, default, key in (
        (UnitKind.HOOKS, "hooks/hooks.json", "hooks"),
        (UnitKind.MCP, ".mcp.json", "mcpServers"),
        (UnitKind.MANIFEST, MANIFEST, ""),
    ):
        for path in (plugin.join(default), *plugin.list_paths(key)):
            if path in project.files and not (kind is UnitKind.MANIFEST and is_scaffold(project, path)):
                yield Unit(kind, path, plugin.name, plugin.root)


def _find_in_claude_folders(project: Project) -> Iterator[Unit]:
    folders = project.folders | group_links_by_folder(project).keys()
    for folder in sorted(f for f in folders if f == ".claude" or f.endswith("/.claude")):
        yield from _find_skills(project, (f"{folder}/skills",), None)
        yield from _find_in_folder(project, folder)
        yield from _find_markdown_units(project, UnitKind.MEMORY, (f"{folder}/rules",), None)
        for name in IDLE_FILES:
            if is_idle_hooks_file(project, folder, name):
                yield Unit(UnitKind.HOOKS, f"{folder}/{name}", name)
    for folder in find_home_folders(project):
        yield from _find_in_folder(project, folder)


def _find_in_folder(project: Project, folder: str) -> Iterator[Unit]:
    """Yield the agents, commands, output styles and settings in a `.claude` folder, or one meant for `~/.claude`."""
    for kind, name in (
        (UnitKind.AGENT, "agents"),
        (UnitKind.COMMAND, "commands"),
        (UnitKind.STYLE, "output-styles"),
    ):
        yield from _find_markdown_units(project, kind, (posixpath.join(folder, name),), None)
    for name in SETTINGS:
        if (path := posixpath.join(folder, name)) in project.files:
            yield Unit(UnitKind.HOOKS, path, name)


def _is_index(project: Project, folder: str) -> bool:
    """Return whether a SKILL.md is directly in a folder `skills` with skills: Claude Code does not load it as one."""
    if posixpath.basename(folder) != "skills":
        return False
    return any(
        path.startswith(f"{folder}/") and path.endswith(f"/{MAIN}") and path != f"{folder}/{MAIN}"
        for path in project.files
    )


def _find_anywhere(project: Project) -> Iterator[Unit]:
    for path in project.files:
        folder, _, name = path.rpartition("/")
        if name == MAIN and folder not in find_overlays(project) and not _is_index(project, folder):
            yield Unit(UnitKind.SKILL, path, posixpath.basename(folder) or project.name)
        elif name in MEMORY_FILES and not _is_material(project, folder):
            yield Unit(UnitKind.MEMORY, path, path)
        elif path == MARKETPLACE or path.endswith(f"/{MARKETPLACE}"):
            if not is_scaffold(project, path):
                yield Unit(UnitKind.MANIFEST, path, "marketplace")
        elif path == ".mcp.json":
            yield Unit(UnitKind.MCP, path, project.name)


def _is_material(project: Project, folder: str) -> bool:
    """Return whether the files in a folder are for copying, because it has templates or is in the assets of a skill."""
    parts = folder.split("/")
    if "assets" in parts:
        skill_folder = "/".join(parts[: parts.index("assets")])
        if posixpath.join(skill_folder, MAIN) in project.files:
            return True
    return not _TEMPLATE_FOLDERS.isdisjoint(parts)


def _find_skills(project: Project, folders: tuple[str, ...], plugin: Plugin | None) -> Iterator[Unit]:
    for folder in folders:
        for path in (f"{folder}/{MAIN}", *(f"{folder}/{name}/{MAIN}" for name in project.list_folder(folder))):
            if path in project.files:
                yield Unit(
                    UnitKind.SKILL,
                    path,
                    qualify(plugin.name if plugin else "", posixpath.basename(posixpath.dirname(path))),
                    plugin.root if plugin else None,
                )


def _find_markdown_units(
    project: Project, kind: UnitKind, places: tuple[str, ...], plugin: Plugin | None
) -> Iterator[Unit]:
    root = plugin.root if plugin else None
    for place in places:
        is_file = place in project.files or place in project.links
        base = posixpath.dirname(place) if is_file else place
        for path in [place] if is_file else project.list_below(place):
            if path.endswith(".md") and path in project.files:
                yield Unit(kind, path, _read_name(project, kind, path, path, base, plugin), root)
        if kind in _LINKED_KINDS:
            yield from _find_linked_units(project, kind, place, base, plugin)


def _find_linked_units(
    project: Project, kind: UnitKind, place: str, base: str, plugin: Plugin | None
) -> Iterator[Unit]:
    """Yield the units behind links in a place that lead to a file of the project, under the names of the links.

    Of a plugin, Claude Code loads only those links that the manifest names one by one.
    """
    links = [place] if plugin else group_links_by_folder(project).get(place, ())
    for link in links:
        path = project.links.get(link, "")
        if path in project.files:
            name = _read_name(project, kind, link, path, base, plugin)
            yield Unit(kind, path, name, plugin.root if plugin else None, link)


def _read_name(project: Project, kind: UnitKind, loading_path: str, path: str, base: str, plugin: Plugin | None) -> str:
    """Return the name of a command or an agent. The folders are part of it, but not for an agent of no plugin."""
    parts = loading_path.removeprefix(base).strip("/").removesuffix(".md").split("/")
    if kind is UnitKind.COMMAND and parts[-1] == MAIN.removesuffix(".md"):
        parts = parts[:-1]
    if kind is UnitKind.AGENT:
        parts[-1] = read_name(project.read_bytes(path) or b"") or parts[-1]
        parts = parts if plugin else parts[-1:]
    return qualify(plugin.name if plugin else "", *parts)


def _is_test_or_vendored(path: str) -> bool:
    """Return whether a file, or the folder from which Claude Code loads it, is in tests, archives or vendored code."""
    if (folder := find_loading_folder(path)) is not None:
        path = f"{folder}/x"
    return get_role(path.replace(".claude-plugin/", "").replace(".claude/", "").lstrip(".")) is Role.UNRELATED
