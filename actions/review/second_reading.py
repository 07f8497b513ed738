"""Decide from the answers of the second readers which observations of a run remain.

Two readers answer, who do not know of each other. They do not decide. Each narrows an observation to the sentence that
no one can refute, and says how many of ten careful readers would find that sentence borne out, and how many would
uphold it as a fault if they were told to refute it. What nearly all find borne out and most uphold remains.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from msgspec.structs import replace

from actions.review.quotes import flatten
from actions.session.observation import Observation, ObservedKind
from actions.session.redaction import redact
from schemas.vocabulary import Severity

SECOND_READERS: Final = (1, 2)
"""The numbers of the second readers of a run."""
REFUTED, UNDECIDED, REPEATED = (
    "refuted by the second reading",
    "left open by the second reading",
    "repeated in other words",
)
_MIN_SURE: Final = 8.5
"""Minimum number of ten readers who find an observation borne out, as the mean of the answers.

Of 190 observations with known verdicts 86 % are true from there on, 33 % at 8 and 17 % at 7.5.
"""
_MIN_READERS, _MIN_FOR_RULE = 7, 8
"""Minimum numbers of ten readers who uphold an observation: of any, and of one against a rule without a measure.

On twenty unseen runs, 63 of 65 rows are true with these numbers (benchmarks/README.md).
"""
_EXCUSES: Final = ("judgement", "text")
"""Defences that leave an observation open if every reader has one: no record decides, or another line excuses it."""
_UNSAID: Final = (ObservedKind.DETOUR, ObservedKind.WASTED)
"""Kinds that the text need not speak of: that it has no word on them is the fault."""
_Item = Mapping[str, Any]


def weigh(found: Sequence[Observation], readings: Sequence[Sequence[_Item]]) -> Iterator[Observation | str]:
    """Yield each observation that remains, in its narrowest words, or the reason why it does not.

    `readings` are the verdicts of each second reader who answered. An observation without a verdict remains. Of two
    that say the same the one that others name remains.
    """
    by_number = [{item["number"]: item for item in verdicts} for verdicts in readings]
    items = {n: [known[n] for known in by_number if n in known] for n in range(1, len(found) + 1)}
    weighed = {number: _weigh_one(one, items[number]) for number, one in enumerate(found, 1)}
    named = {n: {n, *(item["same"] for item in known if item["same"])} for n, known in items.items()}
    kept: list[int] = []
    for number in sorted(weighed, key=lambda n: (-sum(n in others for others in named.values()), n)):
        if isinstance(weighed[number], Observation):
            if any(named[number] & named[other] or _is_same_place(found, number, other) for other in kept):
                weighed[number] = REPEATED
            else:
                kept.append(number)
    yield from weighed.values()


def _is_same_place(found: Sequence[Observation], number: int, other: int) -> bool:
    """Return whether two observations are of the same line and the same words of a record."""
    one, two = found[number - 1], found[other - 1]
    return (one.line, one.quote) == (two.line, two.quote)


def _weigh_one(one: Observation, items: Sequence[_Item]) -> Observation | str:
    """Return an observation as its verdicts leave it, or the reason why it does not remain."""
    if not items:
        return one
    spoken_of = [item for item in items if one.kind in _UNSAID or item["demand"] != "silent"]
    if not spoken_of or any(item["happened"] == "no" for item in items):
        return REFUTED
    readers = sum(item["readers"] for item in spoken_of) / len(items)
    if not _is_certain(items, readers):
        return UNDECIDED
    cautious = min(items, key=lambda item: int(item["readers"]))
    severity = max((Severity(item["severity"]) for item in items), key=lambda severity: severity.rank)
    what = redact(flatten(cautious["fact"])) or one.what
    return replace(one, severity=severity, what=what)


def _is_certain(items: Sequence[_Item], readers: float) -> bool:
    """Return whether readers uphold an observation, and no user, open question or other line excuses it."""
    is_excused = any(item["happened"] != "yes" or item["defence"] == "user" for item in items)
    is_open = all(item["defence"] in _EXCUSES for item in items)
    least = _MIN_FOR_RULE if all(item["demand"] == "general" for item in items) else _MIN_READERS
    sure = sum(item["sure"] for item in items) / len(items)
    return not is_excused and not is_open and readers >= least and sure >= _MIN_SURE
