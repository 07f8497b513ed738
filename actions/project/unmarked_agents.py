"""Find texts in `.claude/agents` without frontmatter that the project calls agents: Claude Code does not load them."""

import posixpath
import re
from collections.abc import Mapping, Sequence

from actions.grouping import group_by_key
from actions.memo import compute_once
from actions.project.agent_faults import is_note
from actions.project.agent_lists import list_listed_agents
from actions.project.find_units import MEMORY_FILES, find_units
from actions.project.frontmatter import read_values
from actions.project.late_frontmatter import find_late_frontmatter
from actions.project.project import Project
from actions.project.units import Unit, UnitKind
from actions.regex import regex
from actions.skill.skill import Skill

_FILE_NAME = regex(r"[\w.-]{1,200}\.md\b")
_AGENT_PATH = regex(r"\bagents/([\w.-]{1,200}\.md)\b")
_CALL = regex(r"""\bsubagent_type\W{0,4}[:=]\s*["'`]([\w-]{1,200})["'`]""")
_SUFFIX = regex(r"\s+(?:[—–-]|\|)\s.*|\s*[:：(（].*")
"""What follows the name in a title, such as "— counts birds" or "(birds)"."""
_MIN_SIBLINGS = 2
"""Minimum number of loaded agents in a list of agents, or beside a text with the title of an agent."""


def find_list_of_agent(project: Project, unit: Unit, skill: Skill) -> str:
    """Return the file that calls a text without frontmatter an agent, or "".

    The file is a README or a memory file that lists its name with those of loaded agents of its folder, or the agents
    of its folder, or the text of a unit with a call of it. A text with `$ARGUMENTS` is meant as a command.
    """
    if not _may_be_meant(unit, skill):
        return ""
    name = posixpath.basename(unit.path)
    siblings = _list_siblings(project, unit)
    for path in _list_texts(project, unit.folder):
        names = _list_names(project, path)
        if name in names and len(siblings & names) >= _MIN_SIBLINGS:
            return path
        if unit.path in list_listed_agents(project, path, unit.folder):
            return path
    calls = compute_once(project, "unmarked_agents: calls", lambda: _map_calls(project))
    return calls.get(name.removesuffix(".md"), "") if siblings else ""


def may_be_read(project: Project, unit: Unit, path: str) -> bool:
    """Return whether a file gives the path of an agent's text, so that the model may read the text instead."""
    return f".claude/agents/{posixpath.basename(unit.path)}" in _read(project, path)


def has_title_of_agent(project: Project, unit: Unit, skill: Skill) -> bool:
    """Return whether a text without frontmatter has the title of an agent, beside loaded ones or where none is loaded.

    The title is the name of the file and "agent", or only that name if a loaded agent's name ends with the same word,
    such as `ios-expert` beside `react-expert`. Where no agent is loaded, no other unit may give the path of the text,
    because the model may read it.
    """
    if not _may_be_meant(unit, skill):
        return False
    siblings = _list_siblings(project, unit)
    title = next((heading.title for heading in skill.main.doc.headings if heading.level == 1), "")
    stem = posixpath.basename(unit.path).removesuffix(".md")
    words = _reduce(_SUFFIX.sub("", title))
    if not siblings:
        return words == f"{_reduce(stem)}agent" and not _is_path_given(project, unit)
    if len(siblings) < _MIN_SIBLINGS or not title:
        return False
    last = stem.rpartition("-")[2]
    is_of_family = "-" in stem and any(name.endswith(f"-{last}.md") for name in siblings)
    return words == f"{_reduce(stem)}agent" or (words == _reduce(stem) and is_of_family)


def _is_path_given(project: Project, unit: Unit) -> bool:
    """Return whether another unit or a README names the file of a text in a folder `agents`."""
    paths = compute_once(project, "unmarked_agents: paths", lambda: _list_given_paths(project))
    return any(path != unit.path for path in paths.get(posixpath.basename(unit.path), ()))


def _list_given_paths(project: Project) -> Mapping[str, Sequence[str]]:
    """Map the names of files in folders `agents` to the texts that give their paths."""
    texts = {unit.path for unit in find_units(project) if unit.path.endswith(".md")} | {"README.md"}
    return group_by_key((name, path) for path in sorted(texts) for name in _AGENT_PATH.findall(_read(project, path)))


def _may_be_meant(unit: Unit, skill: Skill) -> bool:
    is_own = unit.kind is UnitKind.AGENT and unit.plugin_root is None and unit.is_loaded
    text, name = skill.main.text, posixpath.basename(unit.path)
    is_marked = text.removeprefix("\ufeff").startswith("---") or find_late_frontmatter(text) > 0
    return is_own and not (is_marked or is_note(unit.path) or name.startswith("_") or "$ARGUMENTS" in text)


def _reduce(text: str) -> str:
    """Return the letters and digits of a text in lower case."""
    return re.sub(r"[\W_]", "", text).lower()


def _list_siblings(project: Project, unit: Unit) -> frozenset[str]:
    return compute_once(project, f"unmarked_agents: {unit.folder}", lambda: _list_loaded(project, unit.folder))


def _list_loaded(project: Project, folder: str) -> frozenset[str]:
    """Return the file names of the agents of a folder that have a name in their frontmatter."""
    paths = [unit.path for unit in find_units(project) if unit.kind is UnitKind.AGENT and unit.folder == folder]
    return frozenset(
        posixpath.basename(path) for path in paths if (read_values(_read(project, path)) or {}).get("name")
    )


def _list_texts(project: Project, folder: str) -> list[str]:
    root = folder.rpartition(".claude/")[0]
    paths = [f"{folder}/README.md", *(f"{root}{name}" for name in ("README.md", "AGENTS.md", *MEMORY_FILES))]
    return [path for path in (*paths, f"{root}.claude/README.md", f"{root}.claude/CLAUDE.md") if path in project.files]


def _list_names(project: Project, path: str) -> frozenset[str]:
    """Return the names of Markdown files in a text, which is read only once."""
    key = f"unmarked_agents: names {path}"
    return compute_once(project, key, lambda: frozenset(_FILE_NAME.findall(_read(project, path))))


def _map_calls(project: Project) -> dict[str, str]:
    """Map the agent types that the units of the project call to the first file that calls each."""
    kinds = (UnitKind.AGENT, UnitKind.COMMAND, UnitKind.SKILL, UnitKind.MEMORY)
    calls: dict[str, str] = {}
    for unit in find_units(project):
        for name in _CALL.findall(_read(project, unit.path)) if unit.kind in kinds else ():
            calls.setdefault(name, unit.path)
    return calls


def _read(project: Project, path: str) -> str:
    return (project.read_bytes(path) or b"").decode("utf-8", "replace")
