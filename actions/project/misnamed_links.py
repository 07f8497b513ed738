"""Find links whose text names another file."""

import posixpath
from collections.abc import Iterator

from actions.project.project import Project
from actions.project.units import Unit, UnitKind
from actions.regex import regex
from actions.skill.skill import Skill, SkillFile
from actions.skill.structure import Link

_LANGUAGE = regex(r"-[a-z]{2}(?:-[a-z]{2,4})?\Z")
"""A language at the end of a name, in lower case, such as `ui-de`."""
_FILE_NAME = regex(r"(?:[\w.@-]+/)*[\w.@-]+\.(?:md|mdx|py|sh|js|ts|json|ya?ml|toml|txt)")
_FOLDER_NAMES = frozenset({"readme", "skill", "index", "claude", "agents", "__init__"})
"""Names of files that stand for their folder. The text of a link may name the file or the folder."""


def find_misnamed_links(project: Project, unit: Unit, skill: Skill, file: SkillFile) -> Iterator[Link]:
    """Yield the links whose text is a file's name, and whose target is an existing file of another name.

    The extensions must be the same: a text such as `plugin.json` for a Markdown file names its subject.
    """
    for link in file.doc.links:
        target = link.url.partition("#")[0]
        text = link.text.strip().strip("`").lstrip("@")
        if target == text or not _FILE_NAME.fullmatch(text) or not _FILE_NAME.fullmatch(target.removeprefix("./")):
            continue
        text_stem, target_stem = _get_stem(text), _get_stem(target)
        is_other = text_stem != target_stem and posixpath.splitext(text)[1] == posixpath.splitext(target)[1]
        if is_other and not {text_stem, target_stem} & _FOLDER_NAMES and not file.doc.is_counterexample(link.line):
            is_joined = _join_words(text) == _join_words(target)[-len(_join_words(text)) :]
            if is_joined or _LANGUAGE.sub("", target_stem) == text_stem:
                continue
            is_in_skill = skill.kind is UnitKind.SKILL and skill.resolve(target, file.path)
            is_found = is_in_skill or project.exists(posixpath.normpath(posixpath.join(unit.folder, target)))
            if is_found:
                yield link


def _join_words(path: str) -> str:
    """Return the letters and digits of a path in lower case."""
    return "".join(filter(str.isalnum, path.lower()))


def _get_stem(path: str) -> str:
    """Return the name of a file up to its first dot after the first letter, in lower case and with hyphens."""
    name = posixpath.basename(path).lower().replace("_", "-")
    return name[:1] + name[1:].partition(".")[0]
