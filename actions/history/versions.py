"""Tell the versions of a text that sessions loaded apart, and whether a newer one fixed a fault."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from actions.case import Case
from actions.grouping import group_by_key
from actions.history.hits import Hit
from actions.history.joins import JoinedUse, join_uses
from actions.history.uses import Use
from actions.memo import memoize
from actions.regex import regex
from actions.session.transcript import Load

_COMPARED = 20
"""The most versions that a loaded text is compared with, the newest."""
_LINES = 3_000
"""The most lines of a text that are compared with today's one by one."""
_DYNAMIC = regex(r"\$(?:ARGUMENTS|\d|\{)|!`")
"""What Claude Code replaces when it loads a text."""
_ARGUMENTS = "\n\nARGUMENTS: "
"""What Claude Code adds to a text that has no place for the arguments of the call."""
_FEW, _CHANCE = 2, 0.05
"""The fewest runs with a new text that show a fix, and how probable they may be without one."""


@dataclass(frozen=True, eq=False)
class TextVersion:
    """A version of a text with its uses, from the oldest to the newest; `number` counts from the oldest, from 1."""

    number: int
    uses: Sequence[JoinedUse]
    is_today: bool

    @property
    def first(self) -> str:
        """The date of its first use, or ""."""
        return self.uses[0].use.transcript.date

    @property
    def last(self) -> str:
        """The date of its last use, or ""."""
        return self.uses[-1].use.transcript.date


@memoize
def list_texts(case: Case) -> tuple[TextVersion, ...]:
    """Return the versions of the text that sessions loaded. Texts that differ in their arguments alone are one."""
    found: list[list[JoinedUse]] = []
    exact: dict[str, list[JoinedUse]] = {}
    for one in join_uses(case):
        load = one.use.load
        same = exact.get(load.text) or next(
            (group for group in found[-_COMPARED:] if _are_same(group[0].use.load, load)), None
        )
        if same is None:
            same = []
            found.append(same)
        same.append(one)
        exact[load.text] = same
    today = case.skill.main.text
    return tuple(TextVersion(n, uses, _is_today(uses[0].use.load.text, today)) for n, uses in enumerate(found, 1))


@memoize
def number_texts(case: Case) -> Mapping[Use, int]:
    """Return the number of the version of the text that each use loaded."""
    return {one.use: version.number for version in list_texts(case) for one in version.uses}


def is_fixed(case: Case, tried: Sequence[JoinedUse], faulty: Iterable[Hit]) -> bool:
    """Return whether the newest text shows no fault in so many uses that this is no chance.

    tried: the uses in which the fault could have come, from the oldest to the newest. faulty: the steps that show it.
    """
    numbers, bad = number_texts(case), {hit.use for hit in faulty}
    groups = group_by_key((numbers[one.use], one.use) for one in tried)
    newest = groups.pop(numbers[tried[-1].use]) if tried else []
    older = [use for same in groups.values() for use in same]
    if not older or len(newest) < _FEW or not bad.isdisjoint(newest):
        return False
    worked = sum(use not in bad for use in older) / len(older)
    return bool(worked ** len(newest) <= _CHANCE)


def _are_same(one: Load, other: Load) -> bool:
    """Return whether two loaded texts differ in the arguments of their calls alone."""
    pairs = (_without_long(one), _without_long(other))
    first, second = (text.split("\n") for text in pairs)
    if len(first) != len(second):
        return False
    lines = zip(first, second, strict=True)
    return all(a == b or any(x == y for x, y in zip(_blank(a, one), _blank(b, other), strict=True)) for a, b in lines)


def _without_long(load: Load) -> str:
    """Return a text without arguments of several lines."""
    return load.text.replace(load.arguments, "$") if "\n" in load.arguments else load.text


def _blank(line: str, load: Load) -> tuple[str, str]:
    """Return a line without the arguments of the call, and without each of them."""
    whole = single = line.replace(load.arguments, "$") if load.arguments else line
    for word in dict.fromkeys(load.arguments.split()):
        single = single.replace(word, "$")
    return whole, single


def _is_today(loaded: str, today: str) -> bool:
    """Return whether a loaded text is today's, but for what Claude Code replaces or adds when it loads it."""
    body = loaded.rpartition(_ARGUMENTS)[0].strip() or loaded.strip()
    if body in today:
        return True
    old, new = body.split("\n"), today.strip().split("\n")
    new = new[-len(old) :] if len(new) > len(old) else new
    if max(len(old), len(new)) > _LINES or not _DYNAMIC.search(today):
        return False
    changes = SequenceMatcher(None, new, old, autojunk=False).get_opcodes()
    return all(kind == "equal" or (a < b and all(map(_DYNAMIC.search, new[a:b]))) for kind, a, b, _, _ in changes)
