"""Find the files that the hooks and servers of a unit start."""

from collections.abc import Iterator
from dataclasses import dataclass

from actions.project.hooks_file import find_hooks, split_command
from actions.project.mcp_file import find_servers
from actions.project.plugins import find_plugins
from actions.project.project import Project
from actions.project.resolve_path import resolve_path
from actions.project.units import Unit


@dataclass(frozen=True)
class StartedFile:
    """A file that a command names: the word on its line, the path that it means, and whether it exists."""

    line: int
    word: str
    path: str
    exists: bool


def find_started_files(project: Project, unit: Unit) -> Iterator[StartedFile]:
    """Yield the files below `${CLAUDE_PLUGIN_ROOT}` or `$CLAUDE_PROJECT_DIR` that a unit's commands name."""
    plugin = find_plugins(project).get(unit.plugin_root) if unit.plugin_root is not None else None
    for line, word in _find_words(project, unit):
        found = resolve_path(project, word, plugin)
        if found:
            yield StartedFile(line, word, found.path, found.exists)


def _find_words(project: Project, unit: Unit) -> Iterator[tuple[int, str]]:
    """Yield the words of the commands in a unit with their lines."""
    for hook in find_hooks(project):
        if hook.unit == unit:
            words = split_command(hook.command) if hook.args is None else [hook.command, *hook.args]
            yield from ((hook.line, word) for word in words)
    for server in find_servers(project):
        if server.unit == unit:
            yield from server.words
