"""The files of a skill that nobody looked into, in words."""

from collections.abc import Iterator
from itertools import islice

from actions.code.tree import MAX_PARSED
from actions.skill import Skill
from actions.skill.paths import NOT_TEXT

_NAMED = 20
_ENTANGLED = "longer or more entangled than what is parsed"


def list_unread(skill: Skill) -> tuple[str, ...]:
    """Return which files are listed only. Pictures and the like, which nobody expects to be read, are not named."""
    odd = [o for o in skill.opaque if o.reason != NOT_TEXT]
    alone = (f"{o.path}: left alone, {o.reason}" for o in odd[:_NAMED])
    notes = (*skill.notes, *_apart(skill), *islice(_unparsed(skill), _NAMED), *alone)
    return (*notes, f"{len(odd) - _NAMED} more files were left alone") if len(odd) > _NAMED else notes


def _unparsed(skill: Skill) -> Iterator[str]:
    for file in skill.told:
        for code in file.codes:
            if not code.is_parsed:
                beyond = code.limit < len(code.text) <= MAX_PARSED
                why = "beyond the code that is parsed of one skill" if beyond else _ENTANGLED
                yield f"{file.path}:{code.first}: this code is {why}"


def _apart(skill: Skill) -> tuple[str, ...]:
    if not skill.apart:
        return ()
    folders = [f"{folder}/ ({count} file{'s' * (count != 1)})" for folder, count in skill.apart.items()]
    more = f" and {len(folders) - _NAMED} more" if len(folders) > _NAMED else ""
    told = ", ".join(folders[:_NAMED])
    return (f"left out as test data, archives, vendored code or skills of their own: {told}{more}",)
