"""Narrow the observations of the first readers of a run, and drop those that are not worth a check.

One reader narrows each observation to a sentence that no one can refute, and names repetitions. It also estimates how
many of ten careful readers would find that sentence true, and how many would call it a fault. Observations that are
refuted, repeated or rarely upheld are dropped; `final_check` decides about the rest.
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
"""Minimum number of ten readers who find an observation true, for the last readers to check it."""
_MIN_READERS: Final = 5
"""Minimum number of ten readers who call an observation a fault, for the last readers to check it."""
_WITHOUT_DEMAND: Final = (ObservedKind.DETOUR, ObservedKind.WASTED)
"""Kinds of observations that the text need not mention, because the missing instruction is the fault."""
_Item = Mapping[str, Any]


def narrow_observations(observations: Sequence[Observation], verdicts: Sequence[_Item]) -> Iterator[Observation | str]:
    """Yield each observation that is kept, narrowed by its verdict.

    For any other observation, yield the reason to drop it. An observation without a verdict is kept as it is. Among
    repetitions, the observation that most of them name is kept.
    """
    items = {item["number"]: item for item in verdicts}
    narrowed = {n: _apply_verdict(o, items[n]) if n in items else o for n, o in enumerate(observations, 1)}
    names = {n: {n, items[n]["same"]} - {0} if n in items else {n} for n in narrowed}
    kept_numbers: list[int] = []
    for number in sorted(narrowed, key=lambda n: (-sum(n in others for others in names.values()), n)):
        if isinstance(narrowed[number], Observation):
            if any(names[number] & names[n] or _is_same_place(observations, number, n) for n in kept_numbers):
                narrowed[number] = REPEATED
            else:
                kept_numbers.append(number)
    yield from narrowed.values()


def _is_same_place(observations: Sequence[Observation], number: int, other: int) -> bool:
    """Return whether two observations are about the same line and the same words of a record."""
    first, second = observations[number - 1], observations[other - 1]
    return (first.line, first.quote) == (second.line, second.quote)


def _apply_verdict(observation: Observation, item: _Item) -> Observation | str:
    """Return the observation as its verdict narrows it, or the reason to drop it."""
    if item["happened"] == "no" or (item["demand"] == "silent" and observation.kind not in _WITHOUT_DEMAND):
        return REFUTED
    is_open = item["happened"] != "yes" or item["defence"] == "user"
    if is_open or item["readers"] < _MIN_READERS or item["sure"] < _MIN_SURE:
        return UNDECIDED
    fact = redact(flatten(item["fact"])) or observation.what
    return replace(observation, severity=Severity(item["severity"]), what=fact)
