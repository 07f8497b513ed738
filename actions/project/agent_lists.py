"""Read lists of agents in a README or a memory file: the items below a heading or a label about agents."""

import posixpath
from collections.abc import Iterator, Sequence

from actions.memo import compute_once
from actions.project.project import Project
from actions.regex import regex
from actions.skill.skill import SkillFile

_PLACE = ".claude/agents"
_HEADING = regex(r"(?i)\b(?:sub-?)?agents\b")
_ITEM = regex(r"[ \t]*(?:[-*+]|\d{1,3}\.|\|)[ \t]+(?:\*\*|`)+@?([\w-]{1,200})(?:\.md)?(?:\*\*|`)")
"""A list item or the row of a table that begins with a name as code or in bold."""
_LABEL = regex(r"\W{0,9}(?:\*\*|__)[\w /-]{0,40}\b[Aa]gents\b")
"""The label of a list, such as "**Agents** (`.claude/agents/`):"."""
_PLAIN_ITEM = regex(r"[ \t]*[-*+][ \t]+[\w-]{1,200}(?:,[ \t]*[\w-]{1,200}){0,50},?[ \t]*")
"""A list item that has only names."""
_NAME = regex(r"[\w-]+")
_NAME_IN_LINE = regex(r"`@?([\w-]{1,200})(?:\.md)?`")
_MIN_NAMES = 2


def list_listed_agents(project: Project, path: str, folder: str) -> frozenset[str]:
    """Return the files of a folder of agents that a text lists as agents.

    The list is below a heading with the word "agents", or below or beside a label with `.claude/agents`. It must name
    at least two of the files.
    """
    return compute_once(project, f"{__name__} {path} {folder}", lambda: frozenset(_find(project, path, folder)))


def _find(project: Project, path: str, folder: str) -> Iterator[str]:
    file = project.read_text_file(path)
    for names in _list_names(file) if file and "gents" in file.text else ():
        paths = {posixpath.join(folder, f"{name}.md") for name in names}.intersection(project.files)
        if len(paths) >= _MIN_NAMES:
            yield from paths


def _list_names(file: SkillFile) -> Iterator[frozenset[str]]:
    """Yield the names in each list of agents of a text."""
    for section in file.doc.sections:
        lines = file.doc.lines[section.start : section.end]
        names_other_folder = "/" in section.title and _PLACE not in section.title
        if _HEADING.search(section.title) and not names_other_folder:
            yield frozenset(match[1] for line in lines if (match := _ITEM.match(line)))
    for number, line in enumerate(file.doc.lines) if _PLACE in file.text else ():
        if _PLACE in line and (label := _LABEL.match(line)):
            yield frozenset(_list_plain_names(file.doc.lines, number + 1))
            yield frozenset(_NAME_IN_LINE.findall(line, label.end()))


def _list_plain_names(lines: Sequence[str], start: int) -> Iterator[str]:
    """Yield the names in the items that begin at a line, without a line between them."""
    for number in range(start, len(lines)):
        if not _PLAIN_ITEM.fullmatch(lines[number]):
            return
        yield from _NAME.findall(lines[number].partition(" ")[2])
