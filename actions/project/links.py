"""Find the files of a project to which links in it lead, from the texts of the links alone."""

import posixpath
from collections.abc import Container, Mapping, Sequence

from actions.grouping import group_by_key
from actions.memo import memoize
from actions.project.project import Project
from actions.regex import regex
from actions.skill.paths import list_parents

_MAX_STEPS = 8
"""Maximum number of links that lead one to another."""
_RELATIVE = regex(r"(?:\.{1,2}/+)*(?!\.{0,2}/)(?:(?!/\.\./).)+")
"""A relative path without `..` after a name: a name may be a link to a folder, whose parent is elsewhere."""


def resolve_links(texts: Mapping[str, str], files: Container[str]) -> dict[str, str]:
    """Map each link to the file at its end, for links within the project that end at one of `files`.

    texts: maps the paths of links to their texts. `files` are regular files below real folders.
    """
    resolved = ((link, _find_end(texts, link)) for link in sorted(texts))
    return {link: path for link, path in resolved if path in files}


@memoize
def group_links_by_folder(project: Project) -> Mapping[str, Sequence[str]]:
    """Map each folder to the links below it that lead to a file of the project."""
    return group_by_key((folder, link) for link in project.links for folder in list_parents(link))


def _find_end(texts: Mapping[str, str], link: str) -> str:
    """Return the path at the end of a chain of links, or a link of it if the chain is too long, a circle or unclear."""
    for _ in range(_MAX_STEPS):
        text = texts.get(link)
        if text is None or not _RELATIVE.fullmatch(text):
            return link
        link = posixpath.normpath(posixpath.join(posixpath.dirname(link), text))
    return link
