"""Decide from the answers of a second reading which observations of a run remain.

The second reading does not decide. It states plain facts about each observation, the best defence of the run, and how
many of ten careful readers would agree. The defence is asked for so that it is looked for before they are counted.
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
"""Minimum number of ten readers who agree with an observation that remains: more than do not."""


def weigh(found: Sequence[Observation], verdicts: Sequence[Mapping[str, Any]]) -> Iterator[Observation | str]:
    """Yield each observation that remains, with the severity of the second reading, or the reason why it does not.

    An observation without a verdict remains. One that repeats another is left out only if the other remains.
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
