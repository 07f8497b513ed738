"""Narrow the observations of the first readers of a run, and drop those that are not worth a check.

One reader narrows each observation to the sentence that no one can refute, names repetitions, and says how many of ten
careful readers would find that sentence borne out, and how many would uphold it as a fault. What is plainly refuted,
repeated or rarely upheld is dropped; `final_check` decides about the rest.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from msgspec.structs import replace

from actions.review.quotes import flatten
from actions.session.observation import Observation, ObservedKind
from actions.session.redaction import redact
from schemas.vocabulary import Severity

REFUTED, UNDECIDED, REPEATED = (
    "refuted by the second reading",
    "left open by the second reading",
    "repeated in other words",
)
_MIN_SURE: Final = 7
"""Minimum number of ten readers who find an observation borne out."""
_MIN_READERS: Final = 5
"""Minimum number of ten readers who uphold an observation, for the last readers to check it."""
_UNSAID: Final = (ObservedKind.DETOUR, ObservedKind.WASTED)
"""Kinds of observations for which the text may be silent, because its silence is the fault."""
_Item = Mapping[str, Any]


def narrow(found: Sequence[Observation], verdicts: Sequence[_Item]) -> Iterator[Observation | str]:
    """Yield each observation that remains, in its narrowest words.

    For any other observation, yield the reason to drop it. An observation without a verdict remains. Of several that
    say the same, the one that most of them name remains.
    """
    items = {item["number"]: item for item in verdicts}
    narrowed = {n: _narrow_one(one, items[n]) if n in items else one for n, one in enumerate(found, 1)}
    names = {n: {n, items[n]["same"]} - {0} if n in items else {n} for n in narrowed}
    kept: list[int] = []
    for number in sorted(narrowed, key=lambda n: (-sum(n in others for others in names.values()), n)):
        if isinstance(narrowed[number], Observation):
            if any(names[number] & names[other] or _is_same_place(found, number, other) for other in kept):
                narrowed[number] = REPEATED
            else:
                kept.append(number)
    yield from narrowed.values()


def _is_same_place(found: Sequence[Observation], number: int, other: int) -> bool:
    """Return whether two observations are of the same line and the same words of a record."""
    one, two = found[number - 1], found[other - 1]
    return (one.line, one.quote) == (two.line, two.quote)


def _narrow_one(one: Observation, item: _Item) -> Observation | str:
    """Return an observation after its verdict has narrowed it.

    If the observation must be dropped, return the reason.
    """
    if item["happened"] == "no" or (item["demand"] == "silent" and one.kind not in _UNSAID):
        return REFUTED
    is_open = item["happened"] != "yes" or item["defence"] == "user"
    if is_open or item["readers"] < _MIN_READERS or item["sure"] < _MIN_SURE:
        return UNDECIDED
    return replace(one, severity=Severity(item["severity"]), what=redact(flatten(item["fact"])) or one.what)
