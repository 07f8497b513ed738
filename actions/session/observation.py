"""Define what a model observes in a recorded run of a text."""

from enum import StrEnum

import msgspec

from actions.session.transcript import Quote
from schemas.vocabulary import Severity


class ObservedKind(StrEnum):
    """What went wrong at a line."""

    FAILED = "failed"  # a command or file that the line names failed, or is missing
    SKIPPED = "skipped"
    LATE = "late"  # done after the step that it should precede
    OTHERWISE = "otherwise"  # not done in the way that the line prescribes
    FORBIDDEN = "forbidden"
    OVERRULED = "overruled"  # by the user
    DETOUR = "detour"  # the run needed several attempts because the text is silent or wrong
    WASTED = "wasted"
    CONFLICT = "conflict"  # two lines contradict each other
    WAITED = "waited"  # for an answer that no one gave

    @property
    def sort(self) -> str:
        """The name that groups similar kinds, because runs may depart from one line in several ways."""
        return "not followed" if self in (self.SKIPPED, self.LATE, self.OTHERWISE, self.FORBIDDEN) else self.value


class Observation(msgspec.Struct, frozen=True):
    """Something that a model observed in a run, at `line` of the text as loaded.

    The run began at record `load` of `session`; `agent` is the sub-agent whose text it is, or "". `quote` is the quote
    of the record that shows the observation, `what` describes it in one sentence. `is_fault` is false if the run
    and the text differ as it says, but careful readers may not agree that this is a fault.
    """

    session: str
    load: int
    agent: str
    kind: ObservedKind
    line: int
    quote: Quote
    what: str
    severity: Severity
    read_by: str
    is_fault: bool = True
