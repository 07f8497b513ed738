"""List the files and code blocks of a skill that were not read."""

from collections.abc import Iterator
from itertools import islice

from actions.code.tree import MAX_PARSED
from actions.skill import Skill
from actions.skill.paths import NOT_TEXT

LEFT_OUT = "left out as test data, archives, vendored code or separate skills: "
"""The beginning of the note that lists files that are not part of the skill."""
_MAX_NAMED = 20
_TOO_COMPLEX = "too long or too deeply nested to be parsed"


def list_unread_files(skill: Skill) -> tuple[str, ...]:
    """Return a note for each file that was not read, except images and other binary files."""
    unread = [file for file in skill.opaque if file.reason != NOT_TEXT]
    named = (f"{file.path}: not read, {file.reason}" for file in unread[:_MAX_NAMED])
    notes = (
        *skill.notes,
        *_describe_left_out_folders(skill),
        *islice(_describe_unparsed_code(skill), _MAX_NAMED),
        *named,
    )
    return (*notes, f"{len(unread) - _MAX_NAMED} more files were not read") if len(unread) > _MAX_NAMED else notes


def _describe_unparsed_code(skill: Skill) -> Iterator[str]:
    for file in skill.sources:
        for code in file.codes:
            if not code.is_parsed:
                is_beyond_limit = code.limit < len(code.text) <= MAX_PARSED
                reason = "beyond the limit of code to parse per skill" if is_beyond_limit else _TOO_COMPLEX
                yield f"{file.path}:{code.first}: this code is {reason}"


def _describe_left_out_folders(skill: Skill) -> tuple[str, ...]:
    if not skill.unrelated_folders:
        return ()
    folders = [f"{folder}/ ({count} file{'s' * (count != 1)})" for folder, count in skill.unrelated_folders.items()]
    more = f" and {len(folders) - _MAX_NAMED} more" if len(folders) > _MAX_NAMED else ""
    listed = ", ".join(folders[:_MAX_NAMED])
    return (f"{LEFT_OUT}{listed}{more}",)
