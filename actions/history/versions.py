"""Distinguish the versions of a text that sessions loaded."""

from collections.abc import Mapping, Sequence

import msgspec

from actions.alignment import Alignment
from actions.case import Case
from actions.history.uses import Use, find_uses, order_by_time
from actions.memo import memoize
from actions.regex import regex
from actions.session.transcript import Load

_MAX_COMPARED = 20
"""Maximum number of versions, newest first, to compare a loaded text with."""
_REPLACED_PART = regex(r"\$(?:ARGUMENTS|\d|\{)|!`")
"""The beginning of a part that Claude Code replaces when it loads a text."""
_ARGUMENTS = "\n\nARGUMENTS: "
"""The line that Claude Code adds to a text that has no placeholder for the arguments of the call."""


class TextVersion(msgspec.Struct, frozen=True, eq=False):
    """A version of a text with its uses, oldest first. The oldest version has the number 1."""

    number: int
    uses: Sequence[Use]
    is_today: bool

    @property
    def first(self) -> str:
        """The date of the first use, or ""."""
        return self.uses[0].transcript.date

    @property
    def last(self) -> str:
        """The date of the last use, or ""."""
        return self.uses[-1].transcript.date


@memoize
def list_versions(case: Case) -> tuple[TextVersion, ...]:
    """Return the versions of the text that sessions loaded. Texts with different call arguments are one version."""
    versions: list[list[Use]] = []
    by_text: dict[str, list[Use]] = {}
    for use in order_by_time(find_uses(case)):
        load = use.load
        newest = versions[-_MAX_COMPARED:]
        uses = by_text.get(load.text) or next((group for group in newest if _are_same(group[0].load, load)), None)
        if uses is None:
            uses = []
            versions.append(uses)
        uses.append(use)
        by_text[load.text] = uses
    current, numbered = case.skill.main.text, enumerate(versions, 1)
    return tuple(TextVersion(n, uses, _matches_current(uses[0].load.text, current)) for n, uses in numbered)


@memoize
def map_version_numbers(case: Case) -> Mapping[Use, int]:
    """Map each use to the number of the text version that the use loaded."""
    return {use: version.number for version in list_versions(case) for use in version.uses}


def _are_same(load: Load, other: Load) -> bool:
    """Return whether two loaded texts differ only in the arguments of their calls."""
    pairs = (_mask_long_arguments(load), _mask_long_arguments(other))
    first, second = (text.split("\n") for text in pairs)
    if len(first) != len(second):
        return False
    lines = zip(first, second, strict=True)
    return all(
        a == b or any(x == y for x, y in zip(_mask_arguments(a, load), _mask_arguments(b, other), strict=True))
        for a, b in lines
    )


def _mask_long_arguments(load: Load) -> str:
    """Return a loaded text with `$` in place of arguments that span several lines."""
    return load.text.replace(load.arguments, "$") if "\n" in load.arguments else load.text


def _mask_arguments(line: str, load: Load) -> tuple[str, str]:
    """Return a line in two forms: with one `$` for all arguments of the call, and with a `$` for each argument."""
    as_whole = by_word = line.replace(load.arguments, "$") if load.arguments else line
    for word in dict.fromkeys(load.arguments.split()):
        by_word = by_word.replace(word, "$")
    return as_whole, by_word


def _matches_current(loaded: str, current: str) -> bool:
    """Return whether a loaded text equals the current text, except for parts that Claude Code replaces or adds."""
    body = loaded.rpartition(_ARGUMENTS)[0].strip() or loaded.strip()
    if body in current:
        return True
    old, new = body.split("\n"), current.strip().split("\n")
    new = new[-len(old) :] if len(new) > len(old) else new
    if not _REPLACED_PART.search(current):
        return False
    changes = [op for op in Alignment(new, old).opcodes if not op.is_equal]
    return all(op.i1 < op.i2 and all(map(_REPLACED_PART.search, new[op.i1 : op.i2])) for op in changes)
