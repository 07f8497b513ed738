"""Find the shell, Python and JavaScript scripts of the project that hooks start."""

import posixpath
from collections.abc import Collection, Iterator, Sequence
from itertools import dropwhile

from actions.code.calls import Command, find_commands
from actions.code.languages import BASH
from actions.code.shell_input import starts_script
from actions.code.tree import Code
from actions.project.hooks_file import Hook
from actions.project.plugins import Plugin, find_plugins
from actions.project.project import Project
from actions.project.resolve_path import resolve_path
from actions.regex import regex
from actions.skill.skill import SkillFile

_SEPARATOR = regex(r"[\s;|&()<>=`]+")
_QUOTE = regex(r"[\"']|(?<=\w):-[^}]{0,80}(?=\})")
"""Quotes and defaults, without which the words of a command are paths."""
_ROOT = regex(r"\$\{?CLAUDE_(?:PLUGIN_ROOT|PROJECT_DIR)\b")
_SCRIPT_EXTENSIONS = (".sh", ".bash", ".py", ".js", ".mjs", ".cjs")
_VARIABLE = regex(r"\b(\w+)=[\"']?([^\s\"';&|]+)")
_BEFORE_SCRIPT = regex(
    r"-\S*|\d+\w?|run|[\"']?(?:[\w./]*/)?(?:ba|da|z|k)?sh[\"']?|(?:[\w./]*/)?(?:python[\d.]*|node|uv|env|exec|timeout|nohup|time)"
)
"""The words of a command before its script."""
_MAX_BYTES = 200_000


def find_scripts(project: Project, hook: Hook) -> Sequence[SkillFile]:
    """Return the shell, Python and JavaScript scripts of the project that a command names."""
    root = hook.unit.plugin_root
    plugin = find_plugins(project).get(root) if root is not None else None
    text = " ".join((hook.command, *(hook.args or ())))
    words = [word for word in _SEPARATOR.split(_QUOTE.sub("", text)) if word.endswith(_SCRIPT_EXTENSIONS)]
    paths = dict.fromkeys(_find_path(project, word, plugin) for word in words)
    files = [path for path in paths if path in project.files and project.files[path].size <= _MAX_BYTES]
    return [*filter(None, map(project.read_text_file, files))]


def _find_path(project: Project, word: str, plugin: Plugin | None) -> str:
    """Return the path of a script in the project, or "" if it is in the user's project or elsewhere."""
    if _ROOT.match(word):
        resolved = resolve_path(project, word, plugin)
        return resolved.path if resolved else ""
    return posixpath.normpath(word) if plugin is None else ""


def list_codes(code: Code) -> Iterator[Code]:
    """Yield shell code and the code that it starts with `bash -c`."""
    yield code
    for command in find_commands(code):
        if command.name in BASH.runners and "-c" in command.words[:-1]:
            yield Code(BASH, command.words[command.words.index("-c") + 1])


def is_started(hook: Hook, script: SkillFile) -> bool:
    """Return whether a command starts a script itself, not through another one."""
    return any(_find_started(command, _list_names(hook, script)) == 0 for command in _find_starts(hook))


def has_no_arguments(hook: Hook, script: SkillFile) -> bool:
    """Return whether each command that starts a script ends with it."""
    names = _list_names(hook, script)
    return all(_find_started(command, names) == len(_list_words(command)) - 1 for command in _find_starts(hook))


def _find_starts(hook: Hook) -> Sequence[Command]:
    command = hook.command if hook.args is None else " ".join((hook.command, *hook.args))
    return [start for start in find_commands(Code(BASH, command)) if starts_script(start)]


def _find_started(command: Command, names: Collection[str]) -> int:
    """Return the position of a script among the words of a command after its interpreter, or -1."""
    words = _list_words(command)
    return next((n for n, word in enumerate(words) if posixpath.basename(word.strip("\"'${}")) in names), -1)


def _list_words(command: Command) -> Sequence[str]:
    """Return the words of a command from the script on: without interpreters and their options."""
    words = [command.name, *command.words]
    return [*dropwhile(lambda word: _BEFORE_SCRIPT.fullmatch(word) is not None, words)]


def _list_names(hook: Hook, script: SkillFile) -> Collection[str]:
    """Return the name of a script, and the variables of a command that have its path."""
    name = posixpath.basename(script.path)
    return {name, *(match[1] for match in _VARIABLE.finditer(hook.command) if posixpath.basename(match[2]) == name)}
