"""Find the files that the hooks and servers of a unit start."""

from collections.abc import Iterator, Sequence

import msgspec

from actions.project.hooks_file import find_hooks, split_command
from actions.project.mcp_file import find_servers
from actions.project.plugins import find_plugins
from actions.project.project import Project
from actions.project.resolve_path import ResolvedPath, resolve_path
from actions.project.units import Unit
from actions.regex import regex

_ASSIGNMENT = regex(r"\w+=")


class StartedFile(msgspec.Struct, frozen=True):
    """A file in a command: its line, the path as written (`word`), and the path in the project.

    `is_program` means that the file is the program that the command starts, not an argument.
    """

    line: int
    word: str
    path: str
    exists: bool
    is_program: bool


def find_started_files(project: Project, unit: Unit) -> Iterator[StartedFile]:
    """Yield the files below `${CLAUDE_PLUGIN_ROOT}` or `$CLAUDE_PROJECT_DIR` in a unit's commands."""
    plugin = find_plugins(project).get(unit.plugin_root) if unit.plugin_root is not None else None
    for words in _find_commands(project, unit):
        program = next((n for n, (_, word) in enumerate(words) if not _ASSIGNMENT.match(word)), 0)
        for n, (line, word) in enumerate(words):
            resolved = resolve_path(project, word, plugin)
            if resolved and not resolved.exists and (inner := _resolve_in_inner_project(project, unit, word)):
                resolved = inner
            if resolved:
                yield StartedFile(line, word, resolved.path, resolved.exists, n == program)


def _resolve_in_inner_project(project: Project, unit: Unit, word: str) -> ResolvedPath | None:
    """Resolve a path relative to the folder that contains the unit's `.claude`. None if it is the project's root.

    Claude Code reads such settings only if it is started in that folder, which is then `$CLAUDE_PROJECT_DIR`.
    """
    folder = unit.path.partition("/.claude/")[0]
    return resolve_path(project, word, None, project_folder=folder) if folder != unit.path else None


def _find_commands(project: Project, unit: Unit) -> Iterator[Sequence[tuple[int, str]]]:
    """Yield the commands of a unit, each as (line, word) pairs."""
    for hook in project.list_for_unit(find_hooks, unit.path):
        words = split_command(hook.command) if hook.args is None else [hook.command, *hook.args]
        yield [(hook.line, word) for word in words]
    yield from (server.words for server in project.list_for_unit(find_servers, unit.path))
