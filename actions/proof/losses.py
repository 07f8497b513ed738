"""What a change takes away from a skill: every line that said something must still be said, where it can be read."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence

from actions.proof.change import Change
from actions.proof.rewording import is_only_reworded, keeps_numbers, likeness
from actions.proof.statements import Statement, keys_of
from actions.skill import Skill

_COMMENT = re.compile(r"\s*(?:#|//|--|/\*|<!--)")
_NEAR = 1 / 3
"""Share of the words of a reworded statement that its new wording keeps."""


def losses(
    change: Change, drops: Sequence[str] = (), rewrites: Sequence[str] = (), granted: Collection[str] = ()
) -> Iterator[str]:
    """Return each statement that is said nowhere any more, or less often.

    `drops` may go, each as often as it is named. Of `rewrites` each must be said anew, in other words (see `rewording`)
    and with its numbers, unless one that is `granted` comes in place of one; or it still stands elsewhere.
    """
    if not change.gone and not change.copies:
        return
    dropped, otherwise = (_keys(named, change) for named in (drops, rewrites))
    gone = _rest(change.gone, dropped)
    yield from (_told(s) for s in gone if s.key not in otherwise)
    yield from (_told(s) for s in _rest(change.copies, dropped + otherwise))
    wanted = [s for s in gone if s.key in otherwise]
    found = successors(wanted, change.new, granted) if wanted else {}
    yield from (_told(s) for s in wanted if s not in found)


def _rest(gone: Iterable[Statement], named: Counter[str]) -> list[Statement]:
    """Return what is gone and not named; what is named is taken out of `named`."""
    rest = []
    for statement in gone:
        if named[statement.key] > 0:
            named[statement.key] -= 1
        else:
            rest.append(statement)
    return rest


def _told(lost: Statement) -> str:
    return f"{lost.file}: this is lost: {lost.text[:120]}"


def unsaid(before: Skill, after: Skill, named: Sequence[str]) -> tuple[str, ...]:
    """Return the statements of named texts that are said no more or less often: to promise more would hide a loss."""
    change = Change(before, after)
    keys = _keys(named, change)
    return tuple(s.text for s in (*change.gone, *change.copies) if s.key in keys)


def reworded(change: Change) -> dict[tuple[str, int], str]:
    """Return the sentences by file and line that are said in other words, when all of the change is only that."""
    gone, fresh = (*change.gone, *change.copies), change.new
    if not change.touched:
        return {}
    found = {old: [new for new in fresh if is_only_reworded(old.text, new.text)] for old in gone if not old.is_code}
    if len(found) < len(gone) or not all(found.values()) or {n for new in found.values() for n in new} != set(fresh):
        return {}
    return {(old.file, old.line): new[0].text for old, new in found.items()}


def successors(
    gone: Sequence[Statement], fresh: Sequence[Statement], granted: Collection[str] = ()
) -> dict[Statement, Statement]:
    """Return for the statements that are said anew by what: each new one stands for one old, the likest first."""
    pairs = (
        (_likeness(old, new), old, new) for old in gone for new in fresh if keeps_numbers(old.text, new.text, granted)
    )
    found: dict[Statement, Statement] = {}
    taken: set[Statement] = set()
    for like, old, new in sorted(pairs, key=lambda pair: -pair[0]):
        if like >= _NEAR and old not in found and new not in taken:
            found[old] = new
            taken.add(new)
    return found


def _keys(named: Sequence[str], change: Change) -> Counter[str]:
    """Count the keys of what a fix names, as code and as prose, seen from each file; a line may be named twice."""
    paths = {s.file for s in (*change.gone, *change.copies)}
    lines = (line for text in named for line in text.splitlines())
    return Counter(key for line in lines for key in {k for path in paths for k in keys_of(line, change.before, path)})


def _likeness(old: Statement, new: Statement) -> float:
    """Return how much of a statement another one keeps; a line of code that becomes a comment keeps nothing."""
    hidden = old.is_code and bool(_COMMENT.match(new.text)) and not _COMMENT.match(old.text)
    turned = new.standing != old.standing or new.kind != old.kind
    return 0.0 if hidden or turned else likeness(old.text, new.text)
