"""Decide from the answers of the second readers which observations of a run remain.

Two readers answer, who do not know of each other. They do not decide. They state plain facts about each observation,
the best defence of the run, and how many of ten careful readers would agree. The model is asked for the defence so
that it looks for one before it counts the readers.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from msgspec.structs import replace

from actions.session.observation import Observation, ObservedKind
from schemas.vocabulary import Severity

SECOND_READERS: Final = (1, 2)
"""The numbers of the second readers of a run."""
REFUTED, UNDECIDED, REPEATED = (
    "refuted by the second reading",
    "left open by the second reading",
    "repeated in other words",
)
_MIN_READERS: Final = 7.5
"""Minimum number of ten readers who agree with an observation that remains, as the mean of the answers.

Of the reports about runs with known verdicts, 96 % are true from there on, 73 % at 7 and 65 % at 6.5.
"""
_UNSAID: Final = (ObservedKind.DETOUR, ObservedKind.WASTED)
"""Kinds that the text need not speak of: that it has no word on them is the fault."""
_Item = Mapping[str, Any]


def weigh(found: Sequence[Observation], readings: Sequence[Sequence[_Item]]) -> Iterator[Observation | str]:
    """Yield each observation that remains, with the milder severity, or the reason why it does not.

    `readings` are the verdicts of each second reader who answered. An observation without a verdict remains. One that
    repeats another is left out only if the other remains.
    """
    by_number = [{item["number"]: item for item in verdicts} for verdicts in readings]
    items = {n: [known[n] for known in by_number if n in known] for n in range(1, len(found) + 1)}
    faults = {number: _find_fault(one, items[number]) for number, one in enumerate(found, 1)}
    for number, one in enumerate(found, 1):
        others = {item["same"] for item in items[number]} - {number}
        if not faults[number] and any(faults.get(other) == "" for other in others):
            faults[number] = REPEATED
        severity = max([Severity(item["severity"]) for item in items[number]], key=_rank, default=one.severity)
        yield faults[number] or replace(one, severity=severity)


def _rank(severity: Severity) -> int:
    return severity.rank


def _find_fault(one: Observation, items: Sequence[_Item]) -> str:
    """Return the reason why an observation does not remain, or ""."""
    if not items:
        return ""
    spoken_of = [item for item in items if one.kind in _UNSAID or item["demand"] != "silent"]
    if not spoken_of or any(item["happened"] == "no" for item in items):
        return REFUTED
    if all(item["defence"] == "judgement" for item in items):
        return UNDECIDED
    votes = sum(item["readers"] for item in spoken_of if item["happened"] == "yes")
    return "" if votes >= _MIN_READERS * len(items) else UNDECIDED
