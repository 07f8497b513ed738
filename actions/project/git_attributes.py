"""Read the attributes that .gitattributes files give to the files of a project."""

import posixpath
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase

import msgspec

from actions.memo import memoize_all
from actions.project.project import Project

_FILE = ".gitattributes"
_ATTRIBUTES = frozenset({"linguist-generated", "linguist-vendored"})
_MAX_GLOBS = 100
"""Maximum number of parts of a pattern. No path of a repository has so many."""


class _Rule(msgspec.Struct, frozen=True):
    """A line of a .gitattributes file in `folder` that sets or unsets an attribute of the files that match `globs`.

    A pattern without a slash is a single glob of the file name, preceded by `**`.
    """

    folder: str
    globs: tuple[str, ...]
    attribute: str
    is_set: bool


def has_attribute(project: Project, path: str, attribute: str) -> bool:
    """Return whether `linguist-generated` or `linguist-vendored` is set for a file. The last matching line decides."""
    rules = (rule for rule in reversed(_read_rules(project)) if rule.attribute == attribute)
    return next((rule.is_set for rule in rules if _matches(rule, path)), False)


@memoize_all
def _read_rules(project: Project) -> Iterator[_Rule]:
    """Yield the rules of all .gitattributes files, those of inner folders after those of outer ones."""
    paths = (path for path in project.files if posixpath.basename(path) == _FILE)
    for path in sorted(paths, key=lambda path: path.count("/")):
        for line in (project.read_bytes(path) or b"").decode("utf-8", "replace").splitlines():
            yield from _parse_line(posixpath.dirname(path), line)


def _parse_line(folder: str, line: str) -> Iterator[_Rule]:
    pattern, *words = line.split() or [""]
    globs = ("**", pattern) if "/" not in pattern else tuple(pattern.removeprefix("/").split("/"))
    for word in words if not pattern.startswith(("#", "[", '"')) and len(globs) <= _MAX_GLOBS else ():
        name, _, value = word.lstrip("-!").partition("=")
        if name in _ATTRIBUTES:
            yield _Rule(folder, globs, name, is_set=not word.startswith(("-", "!")) and value != "false")


def _matches(rule: _Rule, path: str) -> bool:
    prefix = f"{rule.folder}/" if rule.folder else ""
    return path.startswith(prefix) and _match_parts(rule.globs, path[len(prefix) :].split("/"))


def _match_parts(globs: Sequence[str], names: Sequence[str]) -> bool:
    """Return whether globs match the parts of a path one by one. `**` matches any number of parts."""
    ends = {0}  # the numbers of parts that the globs so far may match
    for glob in globs:
        if glob == "**":
            ends = set(range(min(ends), len(names) + 1)) if ends else ends
        else:
            ends = {end + 1 for end in ends if end < len(names) and fnmatchcase(names[end], glob)}
    return len(names) in ends
