"""The walk of a run through the machine, as it really went."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from schemas.records import Move
from schemas.vocabulary import Phase


@dataclass(frozen=True)
class Leg:
    """A transition and how many times the run made it."""

    source: Phase
    dest: Phase
    count: int


def legs(walk: Sequence[Move]) -> tuple[Leg, ...]:
    """Return each transition that was made, in the order of its first time."""
    counts = Counter((move.source, move.dest) for move in walk)
    return tuple(Leg(source, dest, count) for (source, dest), count in counts.items())
