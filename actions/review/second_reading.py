"""Decide from the answers of the second readers which observations of a run remain, and as what.

Two readers answer, who do not know of each other. They do not decide. Each narrows an observation to the sentence that
no one can refute, and says how many of ten careful readers would find that sentence borne out, and how many would call
it a fault. What most call a fault remains as one. What nearly all find borne out remains as a difference between the
text and the run, which is shown and counts for nothing.
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
_MIN_READERS: Final = 7.5
"""Minimum number of ten readers who call an observation a fault, as the mean of the answers."""
_MIN_SURE, _MIN_FOR_DIFFERENCE = 8.5, 6.5
"""Minimum numbers of ten readers who find a difference borne out, and who would call it a fault."""
_EXCUSES: Final = ("text", "user", "judgement")
"""Defences that leave open whether the run departed from the text at all."""
_UNSAID: Final = (ObservedKind.DETOUR, ObservedKind.WASTED)
"""Kinds that the text need not speak of: that it has no word on them is the fault."""
_Item = Mapping[str, Any]


def weigh(found: Sequence[Observation], readings: Sequence[Sequence[_Item]]) -> Iterator[Observation | str]:
    """Yield each observation that remains, in its narrowest words, or the reason why it does not.

    `readings` are the verdicts of each second reader who answered. An observation without a verdict remains. Of two
    that say the same the fault remains, then the one that others name.
    """
    by_number = [{item["number"]: item for item in verdicts} for verdicts in readings]
    items = {n: [known[n] for known in by_number if n in known] for n in range(1, len(found) + 1)}
    weighed = {number: _weigh_one(one, items[number]) for number, one in enumerate(found, 1)}
    pairs = {(n, item["same"]) for n, known in items.items() for item in known if item["same"] != n}
    kept: set[int] = set()
    for number in sorted(weighed, key=lambda n: _order(n, weighed[n], pairs)):
        if isinstance(weighed[number], Observation):
            if any((number, other) in pairs or (other, number) in pairs for other in kept):
                weighed[number] = REPEATED
            else:
                kept.add(number)
    yield from weighed.values()


def _order(number: int, one: Observation | str, pairs: set[tuple[int, int]]) -> tuple[bool, int, int]:
    """Return the sort key by which the better of two observations of the same thing comes first."""
    return not (isinstance(one, Observation) and one.is_fault), -sum(same == number for _, same in pairs), number


def _weigh_one(one: Observation, items: Sequence[_Item]) -> Observation | str:
    """Return an observation as its verdicts leave it, or the reason why it does not remain."""
    if not items:
        return one
    spoken_of = [item for item in items if one.kind in _UNSAID or item["demand"] != "silent"]
    if not spoken_of or any(item["happened"] == "no" for item in items):
        return REFUTED
    votes = sum(item["readers"] for item in spoken_of if item["happened"] == "yes") / len(items)
    is_fault = votes >= _MIN_READERS and any(item["defence"] != "judgement" for item in items)
    if not is_fault and not _is_certain(one.kind, items, votes):
        return UNDECIDED
    cautious = min(items, key=lambda item: int(item["readers"]))
    severity = max((Severity(item["severity"]) for item in items), key=lambda severity: severity.rank)
    what = redact(flatten(cautious["fact"])) or one.what
    return replace(one, severity=severity, what=what, is_fault=is_fault)


def _is_certain(kind: ObservedKind, items: Sequence[_Item], votes: float) -> bool:
    """Return whether all readers see that the run differs from what the line names, and enough would point it out."""
    is_named = kind in _UNSAID or all(item["demand"] == "exact" for item in items)
    is_excused = any(item["happened"] != "yes" or item["defence"] in _EXCUSES for item in items)
    sure = sum(item["sure"] for item in items) / len(items)
    return is_named and not is_excused and votes >= _MIN_FOR_DIFFERENCE and sure >= _MIN_SURE
