"""Describe the missing targets of links, and find out which of them have one cause: a folder that lacks several."""

import posixpath
from collections.abc import Iterator, Sequence

import msgspec
from msgspec.structs import replace

from actions.grouping import group_by_key
from actions.project.dead_links import (
    find_dead_links,
    find_intended_path,
    find_shifted_path,
    is_further_reading,
    list_dead_anchors,
    list_dead_links,
)
from actions.project.near_path import find_near_path
from actions.project.project import Project
from actions.project.units import Unit
from actions.regex import regex
from actions.skill.paths import Role, find_missing_folder
from actions.skill.references import Reference, get_expected_path
from actions.skill.similar_names import find_similar_file
from actions.skill.skill import Skill, SkillFile

_MIN_NEIGHBOURS = 3
"""Minimum number of different targets that one folder lacks, if the links have one cause, such as a moved folder."""
_OWN_MEMORY = regex(r"(?:\.{1,2}/)+(?:\.claude/)?CLAUDE\.md")
"""A link to the memory file of the whole project."""
_LOADED_MEMORY = ("CLAUDE.md", ".claude/CLAUDE.md")
"""Where Claude Code loads the memory file of a project in every session. Source: the CLI 2.1.332."""


class MissingTarget(msgspec.Struct, frozen=True):
    """A link to a missing file: its line and target, and the path where the file should be.

    `folder` is the topmost missing folder of the path, or "". `is_optional` is whether no step needs the link, or a
    model finds the target. `is_misspelled` is whether a file with a similar name exists. `is_outward` is whether the
    link leaves the skill, so that its path is relative to the project. `message` and `cause` say what is wrong, and
    identify the cause, which other units of the project may share (`is_shared`).
    """

    line: int
    target: str
    path: str
    folder: str
    is_optional: bool
    is_misspelled: bool
    is_outward: bool = False
    message: str = ""
    cause: str = ""
    is_shared: bool = False

    @property
    def neighbours(self) -> tuple[str, bool, bool, bool]:
        """What links with the same cause have in common: the folder that lacks their targets, and their kind."""
        return posixpath.dirname(self.folder or self.path), self.is_optional, self.is_misspelled, self.is_outward


def find_missing_targets(project: Project, unit: Unit, file: SkillFile) -> Iterator[MissingTarget]:
    """Yield the missing targets of the links in a unit that is not a skill.

    Links into one folder that have one `../` too many or too few have one cause. A model finds their targets.
    """
    found = []
    for link in find_dead_links(project, unit, file):
        path = find_intended_path(project, unit, link)
        folder, is_misspelled = find_missing_folder(path, project.folders), bool(find_near_path(project, path, ""))
        is_optional = is_further_reading(file, link.line) or _is_loaded_memory(project, link.target)
        missing = MissingTarget(link.line, link.target, path, folder, is_optional, is_misspelled, is_outward=True)
        if right := find_shifted_path(project, unit, link.target):
            yield _explain_shifted(missing, posixpath.relpath(right, unit.folder or "."))
        else:
            found.append(missing)
    yield from _explain(found)


def _explain_shifted(link: MissingTarget, right: str) -> MissingTarget:
    """Return a link that has one `../` too many or too few, given with the right target."""
    message = f"The link target `{link.target}` does not exist: write `{right}`."
    cause = f"../ before {link.folder or posixpath.dirname(link.path)}"
    return replace(link, folder="", is_optional=True, message=message, cause=cause)


def _is_loaded_memory(project: Project, target: str) -> bool:
    """Return whether a link to the project's memory file misses it, and Claude Code loads it from another place."""
    return _OWN_MEMORY.fullmatch(target) is not None and any(path in project.files for path in _LOADED_MEMORY)


def find_missing_targets_in_skill(
    project: Project, unit: Unit, skill: Skill, file: SkillFile
) -> Iterator[MissingTarget]:
    """Yield the missing targets of the links in a file of a skill.

    Links with `../` to several missing folders have one cause: their file is in the wrong folder. Those into folders of
    skills that are only a SKILL.md have one cause, too: how the skills came.
    """
    found = []
    for link in list_dead_links(project, unit, skill, file):
        is_optional = file.role is Role.REFERENCE or is_further_reading(file, link.line, is_outward=link.is_outward)
        is_misspelled = find_similar_file(skill, link.target, file.path) is not None
        found.append(
            MissingTarget(
                link.line,
                link.target,
                link.path,
                link.folder,
                is_optional,
                is_misspelled,
                is_outward=link.is_outward,
                is_shared=link.is_outward,
            )
        )
    upward = [link for link in found if link.target.startswith("../") and link.folder and not link.is_outward]
    misplaced = upward if len({link.folder for link in upward}) > 1 else []
    message, cause = f"Links with `../` in {file.path} lead to folders that do not exist.", f"../ in {file.path}"
    yield from (replace(link, folder="", message=message, cause=cause) for link in misplaced)
    inward = (link for link in found if link.folder and not link.is_outward and not link.target.startswith("../"))
    copied = [*inward] if skill.is_lone else []
    yield from map(_explain_lone, copied)
    yield from _explain([link for link in found if link not in misplaced and link not in copied])


def _explain_lone(link: MissingTarget) -> MissingTarget:
    message = f"The link target `{link.target}` does not exist: the skill has only its SKILL.md."
    cause = f"only SKILL.md, optional: {link.is_optional}"
    return replace(link, folder="", message=message, cause=cause, is_shared=True)


def find_missing_headings(skill: Skill, file: SkillFile) -> Sequence[tuple[Reference, str]]:
    """Return the links in a file of a skill to missing headings, each with the path of the file that lacks it."""
    links = list_dead_anchors(skill, file)
    return [(link, get_expected_path(skill, link) if link.target else file.path) for link in links]


def _explain(links: Sequence[MissingTarget]) -> Iterator[MissingTarget]:
    """Yield links with message and cause. Those to several targets that one folder lacks have one cause."""
    missing = group_by_key((link.neighbours, link) for link in links)
    for neighbours, group in missing.items():
        if len({link.folder or link.path for link in group}) >= _MIN_NEIGHBOURS:
            top = "the root of the project" if group[0].is_outward else "the folder of the skill"
            yield from _join(group, f"`{neighbours[0]}`" if neighbours[0] else top)
        else:
            messages = (f"The link target `{link.target}` does not exist." for link in group)
            yield from (
                replace(link, message=text, cause=link.path) for link, text in zip(group, messages, strict=True)
            )


def _join(group: Sequence[MissingTarget], place: str) -> Iterator[MissingTarget]:
    """Yield the links of a group with one message and one cause."""
    first, count = group[0], len({link.path for link in group})
    hint = " Files with similar names exist." if first.is_misspelled else ""
    message = f"{count} targets of links do not exist in {place}, such as `{first.target}`.{hint}"
    cause = f"links into {first.neighbours}"
    yield from (replace(link, folder="", message=message, cause=cause) for link in group)
