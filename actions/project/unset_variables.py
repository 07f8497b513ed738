"""Find the hooks that read their data from variables that Claude Code does not set, and never from their input."""

import re
from collections.abc import Collection, Iterator, Sequence

import msgspec

from actions.code.calls import Command
from actions.code.environment_reads import (
    find_inline_reads,
    find_javascript_reads,
    find_python_reads,
    may_javascript_read_input,
    may_python_read_input,
)
from actions.code.languages import BASH, JAVASCRIPT
from actions.code.shell_guards import is_never_run
from actions.code.shell_input import find_input_readers, starts_script
from actions.code.shell_variables import VariableRead, assigns, find_variable_reads
from actions.code.tree import Code
from actions.memo import memoize_all
from actions.project.facts.hook_variables import (
    DATA_VARIABLES,
    GENERAL_VARIABLES,
    get_data_field,
    is_data_variable,
    is_read_data_variable,
)
from actions.project.hook_scripts import find_scripts, has_no_arguments, is_started, list_codes
from actions.project.hooks_file import Hook, find_hooks
from actions.project.project import Project
from actions.project.set_variables import list_set_variables, list_settings_names
from actions.project.units import Unit
from actions.regex import regex
from actions.skill.skill import SkillFile
from actions.words import find_words

_PYTHON_IMPORT = regex(r"^[ \t]*(?:from|import)\b.*", re.MULTILINE)
_JAVASCRIPT = (*JAVASCRIPT.extensions,)
_ARGUMENT = regex(r"\$\{?[1@*]|argv|argparse|optparse|\bclick\b|\btyper\b")


class UnsetVariable(msgspec.Struct, frozen=True):
    """Variables that a hook reads and Claude Code does not set: the hook, their names and the field with the data.

    `script` is the script that reads them, with the line, or "" if the command does. `is_message` means that the values
    are only printed.
    """

    unit: Unit
    line: int
    event: str
    names: Sequence[str]
    field: str
    script: str = ""
    is_message: bool = False


@memoize_all
def find_unset_variables(project: Project) -> Iterator[UnsetVariable]:
    """Yield the hooks that read variables that are not set: in their command, or else in the script that it starts."""
    for hook in find_hooks(project):
        scripts = find_scripts(project, hook)
        reads = _find_command_reads(project, hook, scripts)
        if reads:
            yield _describe(hook, reads)
        elif len(scripts) == 1:
            reads = [read for read in _find_script_reads(project, hook, scripts[0]) if not _is_set(project, read.name)]
            if reads:
                yield _describe(hook, reads, f"{scripts[0].path}:{reads[0].line}")


def _describe(hook: Hook, reads: Sequence[VariableRead], script: str = "") -> UnsetVariable:
    names = [*dict.fromkeys(read.name for read in reads)]
    is_message = all(read.is_message for read in reads)
    return UnsetVariable(hook.unit, hook.line, hook.event, names, get_data_field(names[0]), script, is_message)


def _find_command_reads(project: Project, hook: Hook, scripts: Sequence[SkillFile]) -> Sequence[VariableRead]:
    """Return the reads of a shell command that does not read its input, nor starts a script that may."""
    words = find_words(hook.command)
    names = {
        name
        for name in words
        if (is_read_data_variable(name) or name in GENERAL_VARIABLES) and not _is_set(project, name)
    }
    if hook.args is not None or not names or _has_other_data(hook, names):
        return ()
    codes = [*list_codes(Code(BASH, hook.command))]
    if any(starts_script(reader) for code in codes for reader in _find_readers(code, names)) and (
        not scripts or any(_may_read_input(project, script) for script in scripts)
    ):
        return ()
    finders = (find_variable_reads, find_inline_reads)
    reads = [read for code in codes for find in finders for read in find(code, names)]
    return [read for read in reads if read.replaces in ("", *names) and not assigns(hook.command, read.name)]


def _is_set(project: Project, name: str) -> bool:
    """Return whether settings set a variable, or a text or a script one that is not in `DATA_VARIABLES`."""
    is_known = name in DATA_VARIABLES
    return name in list_settings_names(project) or (not is_known and name in list_set_variables(project))


def _has_other_data(hook: Hook, names: Collection[str] = ()) -> bool:
    """Return whether the command of a hook is not for Bash or invalid, or reads its input other than in a script.

    Code that runs only if one of the variables `names` has a value reads nothing.
    """
    codes = [*list_codes(Code(BASH, hook.command))]
    return (
        hook.settings.get("shell", "bash") != "bash"
        or any(code.root.has_error for code in codes)
        or any(not starts_script(reader) for code in codes for reader in _find_readers(code, names))
    )


def _find_readers(code: Code, names: Collection[str]) -> Iterator[Command]:
    """Yield the commands that may read the hook's input, except those that never run without one of the variables."""
    empty = {name for name in names if not assigns(code.text, name)}
    yield from (reader for reader in find_input_readers(code) if not is_never_run(code, reader.node, empty))


def _may_read_input(project: Project, script: SkillFile) -> bool:
    if script.path.endswith(_JAVASCRIPT):
        return may_javascript_read_input(script.text)
    if not script.path.endswith(".py"):
        code = Code(BASH, script.text)
        return not code.is_parsed or code.root.has_error or next(find_input_readers(code), None) is not None
    modules = {name for match in _PYTHON_IMPORT.finditer(script.text) for name in find_words(match[0])}
    own = {part for path in project.files if path.endswith(".py") for part in path.removesuffix(".py").split("/")}
    return not modules.isdisjoint(own) or may_python_read_input(script.text)


def _find_script_reads(project: Project, hook: Hook, script: SkillFile) -> Iterator[VariableRead]:
    """Yield the reads of a script that a command starts and that never reads its input.

    Yields nothing if the script may use arguments and the command gives it some.
    """
    is_explicit = script.path.endswith((".py", *_JAVASCRIPT))
    names = {*filter(is_read_data_variable if is_explicit else is_data_variable, find_words(script.text))}
    if not names or _has_other_data(hook) or not is_started(hook, script):
        return
    if _may_read_input(project, script) or (_ARGUMENT.search(script.text) and not has_no_arguments(hook, script)):
        return
    for read in _list_script_reads(script, names):
        if read.replaces in ("", "1", *names) and not assigns(hook.command, read.name):
            yield read


def _list_script_reads(script: SkillFile, names: Collection[str]) -> Sequence[VariableRead]:
    if script.path.endswith(".py"):
        return [*find_python_reads(script.text, names)]
    if script.path.endswith(_JAVASCRIPT):
        return [*find_javascript_reads(script.text, names)]
    return [*find_variable_reads(Code(BASH, script.text), names)]
