"""Decide which narrowed observations of a run stand.

Two last readers, each in a separate conversation, try to refute each sentence that would be shown. No sentence is shown
that only its author has held against the records.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from actions.session.observation import Observation

LAST_READERS: Final = (1, 2)
"""The numbers of the last readers of a run."""
REFUTED, ARGUABLE, UNCHECKED = "refuted by the last check", "arguable by the last check", "not checked"


def keep_standing(
    found: Sequence[Observation], checks: Sequence[Sequence[Mapping[str, Any]]]
) -> Iterator[Observation | str]:
    """Yield each observation that stands, or the reason why it does not.

    `checks` are the answers of the last readers who answered. An observation stands if one of them says so, and none
    says otherwise.
    """
    by_number = [{item["number"]: item["verdict"] for item in items} for items in checks]
    for number, one in enumerate(found, 1):
        verdicts = {known[number] for known in by_number if number in known}
        if not verdicts:
            yield UNCHECKED
        elif verdicts == {"stands"}:
            yield one
        else:
            yield REFUTED if "wrong" in verdicts else ARGUABLE
