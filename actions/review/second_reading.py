"""Decide from the answers of a second reading which observations of a run remain.

The second reading does not decide. It states plain facts about each observation, the best defence of the run, and how
many of ten careful readers would agree. The model is asked for the defence so that it looks for one before it counts
the readers.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from msgspec.structs import replace

from actions.session.observation import Observation
from schemas.vocabulary import Severity

REFUTED, UNDECIDED, REPEATED = (
    "refuted by the second reading",
    "left open by the second reading",
    "repeated in other words",
)
_MIN_READERS: Final = 6
"""Minimum number of the ten readers who must agree with an observation: the majority."""


def weigh(found: Sequence[Observation], verdicts: Sequence[Mapping[str, Any]]) -> Iterator[Observation | str]:
    """Yield each observation with the severity of the second reading or, if it does not remain, the reason why.

    An observation without a verdict remains. A repetition of another observation is dropped only if the other remains.
    """
    items = {item["number"]: item for item in verdicts}
    faults = {number: _find_fault(items[number]) if number in items else "" for number in range(1, len(found) + 1)}
    for number, one in enumerate(found, 1):
        item = items.get(number)
        if item and not faults[number] and item["same"] != number and faults.get(item["same"]) == "":
            faults[number] = REPEATED
        yield faults[number] or (replace(one, severity=Severity(item["severity"])) if item else one)


def _find_fault(item: Mapping[str, Any]) -> str:
    """Return the reason why an observation does not remain, or ""."""
    if item["happened"] == "no" or item["demand"] == "silent":
        return REFUTED
    return "" if item["happened"] == "yes" and item["readers"] >= _MIN_READERS else UNDECIDED
