"""Find skills beside the folder `skills` of a plugin, such as `plugins/birds/count/SKILL.md`.

Source: the CLI 2.1.332; `tests/e2e/facts/test_unit_facts.py` asks it.
"""

import posixpath
from collections.abc import Iterator

from actions.project.plugins import Plugin, find_entries, find_plugins
from actions.project.project import Project
from actions.skill.paths import MAIN, MARKDOWN

_OTHER_PARTS = frozenset("skills commands agents hooks output-styles".split())


def find_skills_beside(project: Project) -> Iterator[tuple[Plugin, str]]:
    """Yield the plugin and the path of each skill in a folder of its root that lacks in `skills`.

    The plugin is below the project's root, has other skills in `skills`, and has no list of skills in its manifest or
    in an entry of a marketplace. A skill that a text of the plugin names by its path is read as a document.
    """
    listed = {entry.root for entry in find_entries(project) if "skills" in entry.value}
    for plugin in find_plugins(project).values():
        is_plain = plugin.root and "skills" not in plugin.manifest and plugin.root not in listed
        names = project.list_folder(plugin.root) if is_plain and _has_skills(project, plugin) else ()
        for name in names:
            path = posixpath.join(plugin.root, name, MAIN)
            is_other = name in _OTHER_PARTS or name.startswith(".") or project.exists(plugin.join(f"skills/{name}"))
            if path in project.files and not is_other and not _is_named(project, plugin, f"{name}/{MAIN}"):
                yield plugin, path


def _has_skills(project: Project, plugin: Plugin) -> bool:
    folder = plugin.join("skills")
    return any(posixpath.join(folder, name, MAIN) in project.files for name in project.list_folder(folder))


def _is_named(project: Project, plugin: Plugin, path: str) -> bool:
    """Return whether a text or a value of the manifest names a path below the root of a plugin."""
    texts = (other for other in project.list_below(plugin.root) if other.endswith((*MARKDOWN, "plugin.json")))
    own, name = plugin.join(path), path.encode()
    return any(name in (project.read_bytes(other) or b"") for other in texts if other != own)
