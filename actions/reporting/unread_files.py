"""List the files and code blocks of a skill that were not read."""

from collections.abc import Sequence

from actions.code.tree import MAX_PARSED
from actions.grouping import group_by_key
from actions.skill import Skill
from actions.skill.paths import NOT_TEXT

LEFT_OUT = "left out as test data, archives, vendored code or separate skills: "
"""The beginning of the note that lists files that are not part of the skill."""
NOT_PARSED = "not parsed, "
"""The beginning of a note that lists code blocks."""
_MAX_FOLDERS, _MAX_NAMED = 20, 3
_BEYOND_LIMIT, _TOO_COMPLEX = "beyond the limit of code per skill", "too long or too deeply nested"


def list_unread_files(skill: Skill) -> tuple[str, ...]:
    """Return a note for each reason why files were not read, except images and other binary files, or not parsed."""
    unread = group_by_key((file.reason, file.path) for file in skill.opaque if file.reason != NOT_TEXT)
    return (
        *skill.notes,
        *_describe_left_out_folders(skill),
        *(f"not read, {reason}: {_list_names(paths)}" for reason, paths in unread.items()),
        *(f"{NOT_PARSED}{reason}: {_list_names(places)}" for reason, places in _group_unparsed_code(skill).items()),
    )


def _group_unparsed_code(skill: Skill) -> dict[str, list[str]]:
    """Return the places of the code blocks that were not parsed, by reason."""
    blocks = ((file.path, code) for file in skill.sources for code in file.codes if not code.is_parsed)
    return group_by_key(
        (
            _BEYOND_LIMIT if code.limit < len(code.text) <= MAX_PARSED else _TOO_COMPLEX,
            f"{path}:{code.first}",
        )
        for path, code in blocks
    )


def _list_names(names: Sequence[str]) -> str:
    more = len(names) - _MAX_NAMED
    return ", ".join(names[:_MAX_NAMED]) + (f" and {more:,} more" if more > 0 else "")


def _describe_left_out_folders(skill: Skill) -> tuple[str, ...]:
    if not skill.unrelated_folders:
        return ()
    folders = [f"{folder}/ ({count} file{'s' * (count != 1)})" for folder, count in skill.unrelated_folders.items()]
    more = f" and {len(folders) - _MAX_FOLDERS} more" if len(folders) > _MAX_FOLDERS else ""
    listed = ", ".join(folders[:_MAX_FOLDERS])
    return (f"{LEFT_OUT}{listed}{more}",)
