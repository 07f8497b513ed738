"""Find the files that the hooks and servers of a unit start."""

import posixpath
from collections.abc import Iterator, Sequence

import msgspec

from actions.project.home_folders import find_home_folders
from actions.project.hook_commands import expand_folder, find_place, find_program, leaves_project, list_commands
from actions.project.hooks_file import find_hooks
from actions.project.made_files import is_created_by_script
from actions.project.mcp_file import find_servers
from actions.project.plugins import find_plugins
from actions.project.project import Project
from actions.project.resolve_path import ResolvedPath, resolve_path
from actions.project.status_lines import find_status_lines
from actions.project.units import Unit, UnitKind
from actions.regex import regex

_RELATIVE = regex(r"(?:\./)?[\w.-]+/[\w./-]*\w")
_HOME_PATH = regex(r"(?:~|\$HOME|\$\{HOME\})/\.claude/([\w./-]*\w)")


class StartedFile(msgspec.Struct, frozen=True):
    """A file in a command: its line, the path as written (`word`), and the path in the project.

    `is_program` means that the file is the program that the command starts, not an argument. `is_of_status_line` means
    that only the status line is lost without it.
    """

    line: int
    word: str
    path: str
    exists: bool
    is_program: bool
    is_of_status_line: bool = False


class _Word(msgspec.Struct, frozen=True):
    line: int
    text: str
    may_be_missing: bool = False
    is_relative: bool = True
    is_of_status_line: bool = False


def find_started_files(project: Project, unit: Unit) -> Iterator[StartedFile]:
    """Yield the files below `${CLAUDE_PLUGIN_ROOT}` or `$CLAUDE_PROJECT_DIR` in a unit's commands.

    In settings, a relative path of `.claude` that a command starts counts as one below `$CLAUDE_PROJECT_DIR`. In the
    settings of a user, which work in any project, neither is a path of this project. A missing file that a hook tests
    first is left out.
    """
    if unit.kind is UnitKind.HOOKS and unit.folder in find_home_folders(project):
        return
    plugin = find_plugins(project).get(unit.plugin_root) if unit.plugin_root is not None else None
    for words in _find_commands(project, unit):
        program, relative = find_program(_list_texts(words)), _find_relative(words)
        for n, word in enumerate(words):
            path = _add_project_folder(unit, word.text) if n in relative else expand_folder(word.text)
            resolved = resolve_path(project, path, plugin)
            if resolved and not resolved.exists and (inner := _resolve_in_inner_project(project, unit, path)):
                resolved = inner
            if resolved and (resolved.exists or not word.may_be_missing):
                is_of_status_line = word.is_of_status_line
                yield StartedFile(word.line, word.text, resolved.path, resolved.exists, n == program, is_of_status_line)


def find_misplaced_files(project: Project, unit: Unit) -> Iterator[StartedFile]:
    """Yield the files of a plugin that its hooks start by a relative path, which Claude Code takes from the project."""
    plugin = find_plugins(project).get(unit.plugin_root) if unit.plugin_root is not None else None
    for words in _find_hook_commands(project, unit) if plugin else ():
        for n in _find_relative(words):
            path = plugin.join(words[n].text) if plugin and not words[n].may_be_missing else ""
            if path in project.files and not is_created_by_script(project, unit.plugin_root or "", path):
                yield StartedFile(words[n].line, words[n].text, path, True, n == find_program(_list_texts(words)))


def find_missing_home_files(project: Project, unit: Unit) -> Iterator[StartedFile]:
    """Yield the missing files below `~/.claude` that the settings of a user start, if the repository keeps such files.

    It does if another file of the same folder, which the settings start as well, exists at its path beside them. A file
    of the same name elsewhere may be installed there.
    """
    if unit.kind is not UnitKind.HOOKS or unit.plugin_root is not None:
        return
    started = [*_find_home_files(project, unit)]
    kept = {posixpath.dirname(file.path) for file in started if file.exists}
    names = {posixpath.basename(path) for path in project.files} if kept else ()
    for file in started:
        is_kept = posixpath.dirname(file.path) in kept and posixpath.basename(file.path) not in names
        if (
            is_kept
            and not project.is_ignored(file.path)
            and not is_created_by_script(project, "", posixpath.basename(file.path))
        ):
            yield file


def _find_home_files(project: Project, unit: Unit) -> Iterator[StartedFile]:
    for words in _find_hook_commands(project, unit):
        place = find_place(_list_texts(words))
        match = _HOME_PATH.fullmatch(words[place].text) if place < len(words) else None
        if match:
            word, path = words[place], posixpath.normpath(posixpath.join(unit.folder, match[1]))
            exists = project.exists(path)
            if exists or not word.may_be_missing:
                yield StartedFile(word.line, word.text, path, exists, place == find_program(_list_texts(words)))


def _list_texts(words: Sequence[_Word]) -> Sequence[str]:
    return [word.text for word in words]


def _find_relative(words: Sequence[_Word]) -> Sequence[int]:
    """Return the position of the relative path that a command starts."""
    place = find_place(_list_texts(words))
    return [place] if place < len(words) and words[place].is_relative and _RELATIVE.fullmatch(words[place].text) else []


def _add_project_folder(unit: Unit, word: str) -> str:
    """Return a path of `.claude` in settings as Claude Code takes it: from the project's folder."""
    is_own = unit.kind is UnitKind.HOOKS and unit.plugin_root is None and word.removeprefix("./").startswith(".claude/")
    return f"$CLAUDE_PROJECT_DIR/{word.removeprefix('./')}" if is_own else word


def _resolve_in_inner_project(project: Project, unit: Unit, word: str) -> ResolvedPath | None:
    """Resolve a path relative to the folder that contains the unit's `.claude`. None if it is the project's root.

    Claude Code reads such settings only if it is started in that folder, which is then `$CLAUDE_PROJECT_DIR`.
    """
    folder = unit.path.partition("/.claude/")[0]
    return resolve_path(project, word, None, project_folder=folder) if folder != unit.path else None


def _find_commands(project: Project, unit: Unit) -> Iterator[Sequence[_Word]]:
    """Yield the commands of a unit's hooks, status lines and servers."""
    yield from _find_hook_commands(project, unit)
    for status_line in find_status_lines(project, unit):
        stays = not leaves_project(status_line)
        for words in list_commands(status_line):
            yield [_Word(status_line.line, word.text, word.may_be_missing, stays, True) for word in words]
    for server in project.list_for_unit(find_servers, unit.path):
        yield [_Word(line, text) for line, text in server.words]


def _find_hook_commands(project: Project, unit: Unit) -> Iterator[Sequence[_Word]]:
    """Yield the commands of a unit's hooks. No path is relative to the project if a hook leaves its folder."""
    for hook in project.list_for_unit(find_hooks, unit.path):
        stays = not leaves_project(hook)
        for words in list_commands(hook):
            yield [_Word(hook.line, word.text, word.may_be_missing, stays) for word in words]
