"""List what Claude Code does not load of a plugin, with the place where it looks."""

from collections.abc import Iterator, Sequence

import msgspec

from actions.project.misplaced_parts import MisplacedPart, find_misplaced_parts
from actions.project.project import Project
from actions.project.unlisted_parts import UnlistedPart, find_unlisted_parts
from actions.project.unseen_skills import UnseenSkill, group_unseen_skills


class UnloadedPart(msgspec.Struct, frozen=True):
    """A part of a plugin that is not loaded: its line in plugin.json, and what it is, with the reason, as a text.

    `file` is the skill that is not loaded, or "" for the place in plugin.json. `is_doubtful` means that the part may
    not be meant to be loaded.
    """

    line: int
    text: str
    file: str = ""
    is_doubtful: bool = False


def find_unloaded_parts(project: Project, plugin_root: str | None) -> Iterator[UnloadedPart]:
    """Yield the parts of a plugin that are not loaded. Skills of one folder are one part."""
    for skills in group_unseen_skills(project, plugin_root):
        yield UnloadedPart(1, _describe_unseen(skills), skills[0].path, skills[0].is_loose)
    for misplaced in find_misplaced_parts(project):
        if misplaced.plugin_root == plugin_root:
            yield UnloadedPart(1, _describe_misplaced(misplaced))
    for unlisted in find_unlisted_parts(project):
        if unlisted.plugin_root == plugin_root:
            yield UnloadedPart(unlisted.line, _describe_unlisted(unlisted))


def _describe_unseen(skills: Sequence[UnseenSkill]) -> str:
    first, *others = skills
    hint = " where upper and lower case differ" if first.is_misspelled else ""
    more = f" and {len(others)} more in `{first.group}`" if others else ""
    return f"`{first.path}`{more}{hint}: it looks for `{first.expected}`"


def _describe_misplaced(part: MisplacedPart) -> str:
    files = "file" if part.count == 1 else f"{part.count} files"
    what = f"`{part.path}`" if part.path.endswith(".json") else f"the {files} in `{part.path}`"
    return f"{what}: it looks for `{part.expected}`"


def _describe_unlisted(part: UnlistedPart) -> str:
    more = f" and {part.count - 1} more" if part.count > 1 else ""
    return f"`{part.path}`{more}: `{part.key}` lacks it, but {part.caller} names `{part.call}`"
