"""Drop the observations of a run that the last check refutes.

Before an observation is shown, two readers in separate conversations compare it with the records and try to refute it.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from actions.session.observation import Observation

LAST_READERS: Final = (1, 2)
"""The numbers of the last readers of a run."""
REFUTED, ARGUABLE, UNCHECKED = "refuted by the last check", "arguable by the last check", "not checked"


def drop_refuted_observations(
    observations: Sequence[Observation], checks: Sequence[Sequence[Mapping[str, Any]]]
) -> Iterator[Observation | str]:
    """Yield each observation that the last readers uphold.

    For any other observation, yield the reason why it is dropped. `checks` are the answers of the readers who answered.
    An observation is upheld if at least one reader gave a verdict on it, and all verdicts are "stands".
    """
    by_number = [{item["number"]: item["verdict"] for item in items} for items in checks]
    for number, observation in enumerate(observations, 1):
        verdicts = {verdict_of[number] for verdict_of in by_number if number in verdict_of}
        if not verdicts:
            yield UNCHECKED
        elif verdicts == {"stands"}:
            yield observation
        else:
            yield REFUTED if "wrong" in verdicts else ARGUABLE
