"""The options of a skill's own scripts, and how its text calls them."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from actions.skill.memo import once
from actions.skill.skill import Role, Skill, SkillFile

_DEFINED = re.compile(r"(?:add_argument|\.option|@option|Option)\(([^()]{0,400})")
_OPTION = re.compile(r"[\"'](--[a-zA-Z][\w-]{0,60})[\"'/]")
_HANDS_ON = (
    *("parse_known_args", "REMAINDER", "ignore_unknown_options", "allow_extra_args", "sys.argv[1:]"),
    *("argv.slice(", '"$@"', "$*"),
)
_PARSES = ("parse_args(", "@click.option", "typer.Option")
_CALL = re.compile(
    r"(?<![\w-])(?:python3?|uv run(?: python3?)?|bash|sh)\s+[\"']?([\w./${}-]{1,200}\.(?:py|sh))\b([^\n|;&`]{0,300})"
)
_SHELL_OPTION = re.compile(r"(?:^|[\s|(])(--[a-zA-Z][\w-]{0,60})(?=\s*(?:=\*)?[|)])", re.MULTILINE)
_REFUSES = re.compile(r"^[ \t]*(?:-\*|--\*)\)[^\n]*(?:\n[^\n]*){0,3}\bexit [1-9]", re.MULTILINE)
_USED = re.compile(r"(?<![\w-])(--[a-zA-Z][\w-]{0,60})")


@dataclass(frozen=True)
class UnknownOption:
    """The call at a line hands `option` to `script`, which has none of that name; `known` are those it has."""

    file: str
    line: int
    script: str
    option: str
    known: tuple[str, ...]


def unknown_options(skill: Skill) -> Iterator[UnknownOption]:
    """Give each option in a call of a bundled Python or shell script that the script does not define.

    The beginning of an option's name will do, as argparse has it.
    """
    scripts = {file.path: options for file in skill.files if (options := _options(file))}
    if not scripts:
        return
    for file in skill.instructions:
        if "--" not in file.text or not (".py" in file.text or ".sh" in file.text):
            continue
        for number, line in _commands(file):
            for match in _CALL.finditer(line) if ".py" in line or ".sh" in line else ():
                path = _script(match[1], scripts)
                for option in _USED.findall(match[2]) if path else ():
                    if path and option != "--help" and not any(known.startswith(option) for known in scripts[path]):
                        yield UnknownOption(file.path, number, path, option, tuple(sorted(scripts[path])))


def is_flag(script: SkillFile, option: str) -> bool:
    """Tell whether a script defines the option as one that takes no value."""
    found = (args for args in _DEFINED.findall(script.text) if option in _OPTION.findall(args))
    return any("store_true" in args or "is_flag=True" in args for args in found)


@once
def hands_on(script: SkillFile) -> bool:
    """Tell whether a script takes options that it does not define."""
    return any(word in script.text for word in _HANDS_ON)


def _options(file: SkillFile) -> frozenset[str]:
    """Give the options that a script defines; none where it hands unknown ones on or reads them by itself."""
    if file.role is Role.SCRIPT and file.path.endswith(".sh") and _REFUSES.search(file.text):
        return frozenset(_SHELL_OPTION.findall(file.text))
    if file.role is not Role.SCRIPT or not file.path.endswith(".py") or "--" not in file.text:
        return frozenset()
    if hands_on(file) or "sys.argv[" in file.text or not any(word in file.text for word in _PARSES):
        return frozenset()
    return frozenset(o for args in _DEFINED.findall(file.text) for o in _OPTION.findall(args))


def _commands(file: SkillFile) -> Iterator[tuple[int, str]]:
    """Give each line with the lines that a backslash at its end joins to it."""
    held, first = "", 0
    for number in range(file.doc.body_start, len(file.doc.lines) + 1):
        line = file.doc.line(number)
        first = first or number
        held += line
        if held.endswith("\\") and len(held) < 2000:
            held = held[:-1] + " "
            continue
        yield first, held
        held, first = "", 0


def _script(named: str, scripts: Mapping[str, frozenset[str]]) -> str | None:
    """Give the one script whose path ends as the named one does."""
    found = [path for path in scripts if named == path or named.endswith("/" + path)]
    return found[0] if len(found) == 1 else None
