"""Find the hooks whose path begins with a variable that Claude Code does not set, or that it refuses in settings."""

from collections.abc import Collection, Iterator

import msgspec

from actions.code.languages import BASH
from actions.code.shell_variables import assigns, find_variable_reads, is_tested
from actions.code.tree import Code
from actions.memo import memoize_all
from actions.project.facts.hook_variables import FOLDER_VARIABLES, PLUGIN_VARIABLES, ROOT_VARIABLES
from actions.project.hook_scripts import list_codes
from actions.project.hooks_file import Hook, find_hooks
from actions.project.near_name import find_near
from actions.project.project import Project
from actions.project.set_variables import list_replaced_variables, list_set_variables, list_settings_names
from actions.project.units import Unit
from actions.words import find_words


class UnsetRoot(msgspec.Struct, frozen=True):
    """A hook with a path below a variable that is not set.

    `is_refused` means that Claude Code does not run the hook at all, because it has `${NAME}` of a plugin in settings.
    """

    unit: Unit
    line: int
    name: str
    is_refused: bool

    @property
    def instead(self) -> str:
        """The variable that has the folder that is probably meant."""
        if self.unit.plugin_root is not None:
            return f"${{{find_near(self.name, FOLDER_VARIABLES) or 'CLAUDE_PLUGIN_ROOT'}}}"
        return "$CLAUDE_PROJECT_DIR" if self.unit.is_loaded else "$HOME/.claude"


@memoize_all
def find_unset_roots(project: Project) -> Iterator[UnsetRoot]:
    """Yield the hooks that begin a path with a variable that is not set, at most one variable of each."""
    for hook in find_hooks(project):
        names = ROOT_VARIABLES if hook.unit.plugin_root is not None else ROOT_VARIABLES | PLUGIN_VARIABLES
        words = find_words(" ".join(_list_words(hook)))
        named = {word for word in words if word in names or _is_misspelled(word)}
        if named:
            yield from _check_hook(project, hook, sorted(named))


def _check_hook(project: Project, hook: Hook, names: Collection[str]) -> Iterator[UnsetRoot]:
    unreplaced = [name for name in names if name not in list_replaced_variables(project)]
    refused = [name for name in unreplaced if name in PLUGIN_VARIABLES and _has_braces(hook, name)]
    given = {*list_settings_names(project), *list_set_variables(project)}
    unset = [name for name in unreplaced if name not in given and _reads(hook, name)]
    for name in [*refused, *unset][:1]:
        yield UnsetRoot(hook.unit, hook.line, name, bool(refused))


def _is_misspelled(word: str) -> bool:
    """Return whether a word is a slip of the name of a folder that Claude Code sets."""
    is_similar = word.isupper() and word.startswith("CL") and word not in FOLDER_VARIABLES
    return is_similar and find_near(word, FOLDER_VARIABLES) is not None


def _list_words(hook: Hook) -> Collection[str]:
    return (hook.command, *(hook.args or ()))


def _has_braces(hook: Hook, name: str) -> bool:
    return any(f"${{{name}}}" in word for word in _list_words(hook))


def _reads(hook: Hook, name: str) -> bool:
    """Return whether a hook uses a variable without a value of its own. Only a shell replaces `$NAME`."""
    if hook.args is not None:
        return any(word.startswith((f"${name}/", f"${{{name}}}/")) for word in _list_words(hook))
    codes = [*list_codes(Code(BASH, hook.command))]
    if hook.settings.get("shell", "bash") != "bash" or any(code.root.has_error for code in codes):
        return False
    if assigns(hook.command, name) or is_tested(hook.command, name):
        return False
    return any(True for code in codes for _ in find_variable_reads(code, (name,)))
