"""Find own commands and skills that a text calls by a name under which Claude Code does not know them.

Source: the CLI 2.1.332; `tests/e2e/facts/test_name_facts.py` asks it. It calls `commands/sea/count.md` only
`/sea:count`, neither `/count` nor `/sea-count`, and a skill `sea-count` not `/sea:count`.
"""

from collections.abc import Iterator, Mapping

import msgspec

from actions.grouping import group_by_key
from actions.memo import compute_once, memoize
from actions.project.facts.bundled_skills import BUNDLED_SKILLS
from actions.project.find_units import find_units
from actions.project.frontmatter import read_name
from actions.project.named_units import may_be_missing
from actions.project.other_tools import is_for_other_tool, names_other_commands
from actions.project.project import Project
from actions.project.units import Unit, UnitKind
from actions.regex import regex
from actions.skill.skill import Skill, SkillFile

_CALL = regex(r"/([a-z][\w-]*(?::[a-z][\w-]*)*)(?: .*)?")
_BUILT_IN = frozenset(
    """add-dir agents autocompact bashes bug clear color compact config context copy cost diff doctor
    effort exit export fast feedback focus fork goal heapdump help hooks ide init insights install-
    github-app list-agents login logout loop mcp memory model output-style permissions plan plugin pr-
    comments privacy-settings recap release-notes reload-plugins reload-skills rename resume review
    rewind sandbox security-review skills stats status statusline tasks team-onboarding terminal-setup
    theme todos upgrade usage vim voice""".split()
)
"""Commands of Claude Code, also of older versions."""
_CODE = (".py", ".ts", ".tsx", ".js", ".jsx", ".mjs", ".vue", ".svelte", ".go", ".rs", ".rb", ".php", ".java", ".sh")
_MAX_BYTES = 200_000


class RespelledCommand(msgspec.Struct, frozen=True):
    """A call by a wrong name: its file and line, the name, and the name that Claude Code knows."""

    file: str
    line: int
    name: str
    known: str


def find_respelled_commands(project: Project, unit: Unit, skill: Skill) -> Iterator[RespelledCommand]:
    """Yield the code spans of a text outside plugins that call an own command by a wrong name.

    A name that code of the project has in quotes is left out: it may be a route or the command of a program.
    """
    is_own = unit.plugin_root is None and not is_for_other_tool(unit)
    for file in skill.instructions if is_own else ():
        for span in file.doc.spans:
            match = _CALL.fullmatch(span.text) if span.text.startswith("/") else None
            known = _find_known(project, unit, match[1]) if match else ""
            is_listed = match is not None and _is_among_samples(project, unit, file, span.line)
            if match and known and not is_listed and not _is_excused(project, file, span.line, match[1]):
                yield RespelledCommand(file.path, span.line, match[1], known)


def _is_among_samples(project: Project, unit: Unit, file: SkillFile, line: int) -> bool:
    """Return whether a line also names a command that nobody knows: then its names are samples.

    A name with `:` may be one of a plugin that the user has.
    """
    calls = (_CALL.fullmatch(span.text) for span in file.doc.spans if span.line == line)
    names = {call[1] for call in calls if call and ":" not in call[1]}
    return any(not _is_known(project, name) and not _find_known(project, unit, name) for name in names)


def _is_known(project: Project, name: str) -> bool:
    return name in _BUILT_IN or name in BUNDLED_SKILLS or name in _list_names(project)


def _is_excused(project: Project, file: SkillFile, line: int, name: str) -> bool:
    key = f"{__name__} {name}"
    is_quoted = compute_once(project, key, lambda: _is_in_code(project, name))
    return is_quoted or names_other_commands(file.text) or may_be_missing(file, line)


def _find_known(project: Project, unit: Unit, name: str) -> str:
    """Return the one name of an own command that a wrong name means, or ""."""
    if _is_known(project, name):
        return ""
    candidates = _map_own(project).get(_reduce(name), []) or _map_own(project).get(f":{name}", [])
    names = {own.name for own in candidates if unit.path.startswith(own.path.rpartition(".claude/")[0])}
    return names.pop() if len(names) == 1 else ""


@memoize
def _map_own(project: Project) -> Mapping[str, list[Unit]]:
    """Map the reduced names of own commands and skills to them, and `:` with the last part of a command's name."""
    kinds = (UnitKind.COMMAND, UnitKind.SKILL)
    own = [unit for unit in find_units(project) if unit.kind in kinds and ".claude/" in unit.path]
    units = [unit for unit in own if unit.plugin_root is None]
    nested = [unit for unit in units if ":" in unit.name and unit.kind is UnitKind.COMMAND]
    pairs = [*((_reduce(unit.name), unit) for unit in units)]
    return group_by_key([*pairs, *((f":{unit.name.rpartition(':')[2]}", unit) for unit in nested)])


@memoize
def _list_names(project: Project) -> frozenset[str]:
    """Return the names by which a unit of the project may be called: full, without a plugin, and from frontmatter."""
    names = set[str]()
    for unit in find_units(project):
        if unit.kind in (UnitKind.COMMAND, UnitKind.SKILL):
            own = read_name(project.read_bytes(unit.path) or b"")
            names |= {unit.name, own, unit.name.rpartition(":")[2] if unit.plugin_root is not None else unit.name}
    return frozenset(names)


def _reduce(name: str) -> str:
    return name.replace(":", "-").replace("_", "-").lower()


def _is_in_code(project: Project, name: str) -> bool:
    """Return whether code has a name in quotes, with a slash or, if it is more than one word, without."""
    words = (f"/{name}", name) if "-" in name else (f"/{name}",)
    marks = [f"{quote}{word}".encode() for word in words for quote in "\"'`"]
    paths = (path for path, file in project.files.items() if path.endswith(_CODE) and file.size <= _MAX_BYTES)
    return any(mark in raw for path in paths if (raw := project.read_bytes(path)) for mark in marks)
