"""What recorded sessions show of a skill, as records."""

from dataclasses import dataclass
from typing import NamedTuple

from actions.session.transcript import Quote
from schemas.issues import Location, ReadBy
from schemas.sessions import SessionSeen
from schemas.vocabulary import Family, Severity


class Sighting(NamedTuple):
    """Where a session shows something: the session's id and the words of a record ("" where it has none).

    `read_by` is None where a checker counted it in the records.
    """

    session: str
    quote: Quote
    read_by: ReadBy | None = None


@dataclass(frozen=True)
class Shown:
    """One thing that sessions show, with where each of them does."""

    pattern: str
    family: Family
    severity: Severity
    message: str
    location: Location
    root_cause: str
    impact: str
    sightings: tuple[Sighting, ...]
    alone: bool = True

    @property
    def sessions(self) -> tuple[str, ...]:
        """The sessions that show it, each once."""
        return tuple(dict.fromkeys(sighting.session for sighting in self.sightings))

    @property
    def read_by(self) -> ReadBy | None:
        """The model that read it; None where a checker counted it in the records of a session."""
        readers = [sighting.read_by for sighting in self.sightings]
        return None if None in readers else readers[0]


@dataclass(frozen=True)
class Evidence:
    """What sessions show for some families; `rows` tell of each session, `failed` of checkers that could not look."""

    shown: tuple[Shown, ...] = ()
    rows: tuple[SessionSeen, ...] = ()
    asked: frozenset[str] = frozenset()
    failed: tuple[str, ...] = ()
