"""Find skills of plugins that Claude Code does not load.

Source: the CLI 2.1.330; `tests/e2e/facts` lists the skills that it loads. In a plugin it reads `skills/NAME/SKILL.md`,
in exactly this spelling, and the folders that the manifest or the entry of a marketplace names.
"""

import posixpath
from collections.abc import Iterator, Set

import msgspec

from actions.grouping import group_by_key
from actions.memo import memoize_all
from actions.project.installers import is_copied_by_build
from actions.project.plugins import Plugin, find_entries, find_plugin, find_plugins
from actions.project.project import Project
from actions.project.unseen_beside import find_skills_beside
from actions.skill.frontmatter import parse_frontmatter
from actions.skill.paths import MAIN, Role, get_role, list_parents

_SAMPLES = frozenset({"assets", "templates", "template", "examples", "example", "references", "resources", "scripts"})


class UnseenSkill(msgspec.Struct, frozen=True):
    """A skill that is not loaded: the root of its plugin, its path, and the path from which it would be loaded."""

    plugin_root: str
    path: str
    expected: str

    @property
    def is_loose(self) -> bool:
        """Whether the skill has no folder of its own. It may be a note beside the skills."""
        return not self.path.lower().endswith(f"/{MAIN.lower()}")

    @property
    def is_misspelled(self) -> bool:
        """Whether the path differs from the expected one in upper and lower case only."""
        return self.path.lower() == self.expected.lower()

    @property
    def group(self) -> str:
        """The folder that holds the skill and others like it; for a misspelled one its own, as each has its fix."""
        folder = posixpath.dirname(self.path)
        return folder if self.is_loose or self.is_misspelled else posixpath.dirname(folder)


@memoize_all
def find_unseen_skills(project: Project) -> Iterator[UnseenSkill]:
    """Yield the skills below the `skills` folder of a plugin that are too deep or not named exactly `SKILL.md`.

    A skill without a folder of its own counts, too, and one beside `skills`.
    """
    named_paths = {path for plugin in _list_plugins(project) for path in plugin.list_paths("skills")}
    for path in (path for path in project.files if path.lower().endswith(f"/{MAIN.lower()}")):
        folder, _, name = path.rpartition("/")
        plugin = find_plugin(project, path)
        parts = path.removeprefix(f"{plugin.join('skills')}/").split("/") if plugin else []
        if plugin is None or not _is_in_skills(plugin, path) or not 2 <= len(parts) <= 3:
            continue
        expected = posixpath.join(plugin.join("skills"), parts[-2], MAIN)
        is_named = name == MAIN and not named_paths.isdisjoint((folder, posixpath.dirname(folder)))
        is_meant = is_named or _is_left_out(posixpath.dirname(folder), named_paths)
        if path != expected and not is_meant and not _is_covered(project, path) and has_description(project, path):
            yield UnseenSkill(plugin.root, path, expected)
    for plugin, path in find_skills_beside(project):
        if plugin == find_plugin(project, path) and not _is_covered(project, path) and has_description(project, path):
            yield UnseenSkill(plugin.root, path, plugin.join(f"skills/{path.removeprefix(f'{plugin.root}/')}"))
    yield from _find_loose_skills(project)


def group_unseen_skills(project: Project, plugin_root: str | None) -> list[list[UnseenSkill]]:
    """Return the unseen skills of a plugin, those of one folder together.

    A folder is left out if each of its skills has the name of an agent of the plugin: who uses the name gets the agent.
    """
    own = (skill for skill in find_unseen_skills(project) if skill.plugin_root == plugin_root)
    groups = group_by_key(((skill.group, skill.is_loose), skill) for skill in own).values()
    return [group for group in groups if len(group) == 1 or not all(_is_agent(project, skill) for skill in group)]


def _is_agent(project: Project, skill: UnseenSkill) -> bool:
    name = posixpath.basename(posixpath.dirname(skill.path))
    return posixpath.join(skill.plugin_root, "agents", f"{name}.md") in project.files


def _find_loose_skills(project: Project) -> Iterator[UnseenSkill]:
    """Yield the files beside the folders of skills, such as `skills/count.md`, with the frontmatter of a skill.

    A file that a manifest names, for example as a command, is left out.
    """
    keys = ("skills", "commands", "agents")
    named_paths = {path for plugin in _list_plugins(project) for key in keys for path in plugin.list_paths(key)}
    for plugin in (plugin for plugin in find_plugins(project).values() if not _is_project_folder(plugin)):
        folder = plugin.join("skills")
        for name in project.list_folder(folder):
            path, expected = f"{folder}/{name}", posixpath.join(folder, posixpath.splitext(name)[0], MAIN)
            is_loose = path in project.files and name.endswith(".md") and name.lower() != MAIN.lower()
            is_meant = folder in named_paths or path in named_paths or project.exists(posixpath.dirname(expected))
            if is_loose and not is_meant and not _is_covered(project, path) and has_description(project, path):
                yield UnseenSkill(plugin.root, path, expected)


def _is_in_skills(plugin: Plugin, path: str) -> bool:
    return path.startswith(f"{plugin.join('skills')}/") and not _is_project_folder(plugin)


def _is_project_folder(plugin: Plugin) -> bool:
    """Return whether a manifest lies in `.claude`: the skills there are the project's own."""
    return f"/{plugin.root}".endswith("/.claude")


def _is_left_out(group: str, named_paths: Set[str]) -> bool:
    """Return whether manifests name skills in the folders beside a group, such as `skills/drafts`, and none in it."""
    groups = {posixpath.dirname(path) for path in named_paths}
    siblings = (other for other in groups if posixpath.dirname(other) == posixpath.dirname(group))
    return group not in groups and any(siblings)


def _list_plugins(project: Project) -> Iterator[Plugin]:
    """Yield the plugins. For each entry of a marketplace, yield a further plugin with the values of only this entry.

    Entries with the same source may name different skills.
    """
    yield from find_plugins(project).values()
    yield from (Plugin(entry.root, "", entry.value) for entry in find_entries(project))


def _is_covered(project: Project, path: str) -> bool:
    """Return whether a file is part of another skill, a sample or a fixture, or the source of a copy that is built."""
    folder = posixpath.dirname(path)
    is_sample = not _SAMPLES.isdisjoint(folder.split("/")) or get_role(path.lstrip(".")) is Role.UNRELATED
    return (
        is_sample
        or is_copied_by_build(project, path)
        or any(f"{above}/{MAIN}" in project.files for above in list_parents(path) if f"{above}/{MAIN}" != path)
    )


def has_description(project: Project, path: str) -> bool:
    """Return whether a text has the frontmatter of a skill: a name and a description."""
    lines = (project.read_bytes(path) or b"").decode("utf-8", "replace").splitlines()
    return {"name", "description"} <= parse_frontmatter(tuple(lines)).values.keys()
