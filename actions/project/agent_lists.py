"""Read lists of agents: the items below a heading with `.claude/agents`, in a README or a memory file."""

import posixpath
from collections.abc import Iterator

from actions.memo import compute_once
from actions.project.project import Project
from actions.regex import regex

_PLACE = ".claude/agents"
_ITEM = regex(r"[ \t]*(?:[-*+]|\d{1,3}\.|\|)[ \t]+(?:\*\*|`)+@?([\w-]{1,200})(?:\.md)?(?:\*\*|`)")
"""A list item or the row of a table that begins with a name as code or in bold."""
_MIN_NAMES = 2


def list_listed_agents(project: Project, path: str, folder: str) -> frozenset[str]:
    """Return the files of a folder of agents that a text lists below a heading with `.claude/agents`.

    The list must name at least two of them. A file whose path the text gives is left out: the model may read it.
    """
    return compute_once(project, f"{__name__} {path} {folder}", lambda: frozenset(_find(project, path, folder)))


def _find(project: Project, path: str, folder: str) -> Iterator[str]:
    file = project.read_text_file(path)
    for section in file.doc.sections if file and _PLACE in file.text else ():
        if file and _PLACE in section.title:
            lines = file.doc.lines[section.start : section.end]
            names = {match[1] for line in lines if (match := _ITEM.match(line))}
            paths = {posixpath.join(folder, f"{name}.md") for name in names}.intersection(project.files)
            if len(paths) >= _MIN_NAMES:
                yield from (path for path in paths if f"{_PLACE}/{posixpath.basename(path)}" not in file.text)
