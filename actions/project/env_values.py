"""Find values under `env` in the settings that contain a variable, or a `~`, which Claude Code does not replace.

Source: the CLI 2.1.332; `tests/e2e/facts/test_settings_facts.py` asks it: a process gets each value as it is written.
"""

from collections.abc import Iterator

import msgspec

from actions.project.facts.settings import SETTINGS_FILES
from actions.project.project import Project
from actions.project.units import Unit, UnitKind
from actions.regex import regex

_BRACED = regex(r"\$\{[A-Z][A-Z0-9_]+\}")
_BARE = regex(r"(?:\A|[:;/=])(\$(?:HOME|PATH|PWD|USER|CLAUDE_PROJECT_DIR))\b")
_HOME = regex(r"(?:\A|:)(~)(?=/)")
_IS_PATH_LIST = regex(r"(?:[A-Z0-9_]+_)?[A-Z]*PATH")
"""A variable with a list of folders. Programs do not replace a `~` in it."""
_IS_EXPANDED = regex(r"(?:.*_)?(?:COMMAND|CMD|EDITOR|VISUAL|PAGER|ENV|PROMPT|PS\d|FORMAT|TEMPLATE|PATTERN|SCRIPT|HOOK)")
"""A variable that a shell runs or expands, such as `GIT_SSH_COMMAND` and `BASH_ENV`, or that is a template."""
_SCRIPT = regex(r"\.(?:sh|bash|zsh|ps1|py|[mc]?js|ts|rb|go)\Z|(?:\A|/)(?:Makefile|justfile)\Z")
_EXPANSION = regex(rb"(?i)\beval\b|expandvars|expanduser|envsubst|\bsed\b|replace|\bsub\(")
_MAX_BYTES = 200_000


class UnexpandedValue(msgspec.Struct, frozen=True):
    """A value that is not replaced: its line, the name that it is given to, and the variable, or `~`, in it."""

    line: int
    name: str
    variable: str


def find_unexpanded_values(project: Project, unit: Unit) -> Iterator[UnexpandedValue]:
    """Yield the values under `env` in settings that contain a variable, unless something else may replace it."""
    if unit.kind is not UnitKind.HOOKS or unit.path.rpartition("/")[2] not in SETTINGS_FILES:
        return
    document, env = project.read_json(unit.path), project.read_object(unit.path).get("env")
    for name, value in env.items() if isinstance(env, dict) else ():
        variable = _find_variable(name, value) if isinstance(value, str) and not _IS_EXPANDED.fullmatch(name) else ""
        if document and variable and not _is_expanded_by_script(project, name):
            yield UnexpandedValue(document.find_line("env", name), name, variable)


def _find_variable(name: str, value: str) -> str:
    if match := _BRACED.search(value):
        return match[0]
    match = _BARE.search(value) or (_HOME.search(value) if _IS_PATH_LIST.fullmatch(name) else None)
    return match[1] if match else ""


def _is_expanded_by_script(project: Project, name: str) -> bool:
    """Return whether a line of a script has the variable's name and may replace variables in its value."""
    word = name.encode()
    for path, file in project.files.items():
        if file.size <= _MAX_BYTES and _SCRIPT.search(path):
            raw = project.read_bytes(path) or b""
            if word in raw and any(word in line and _EXPANSION.search(line) for line in raw.split(b"\n")):
                return True
    return False
