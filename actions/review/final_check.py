"""Drop the observations of a run that a last check refutes.

Two last readers, each in a separate conversation, try to refute each sentence before it is shown. So no sentence is
shown that only its author has compared with the records.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from actions.session.observation import Observation

LAST_READERS: Final = (1, 2)
"""The numbers of the last readers of a run."""
REFUTED, ARGUABLE, UNCHECKED = "refuted by the last check", "arguable by the last check", "not checked"


def drop_refuted(
    found: Sequence[Observation], checks: Sequence[Sequence[Mapping[str, Any]]]
) -> Iterator[Observation | str]:
    """Yield each observation that the last readers uphold.

    For any other observation, yield the reason why it is dropped. `checks` are the answers of the last readers who
    answered. An observation is upheld if at least one of them says that it stands, and none says otherwise.
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
