"""Define the observations that a model makes in recorded runs of a text."""

from enum import StrEnum

import msgspec

from actions.session.transcript import Quote
from schemas.vocabulary import Severity


class ObservedKind(StrEnum):
    """The ways in which a run fails to follow a line of the text, or in which a line fails to help the run."""

    FAILED = "failed"  # a command or file that the line names failed, or is missing
    SKIPPED = "skipped"  # the run left out what the line demands
    LATE = "late"  # the run did it after the step that it should precede
    OTHERWISE = "otherwise"  # the run did it in another way than the line prescribes
    FORBIDDEN = "forbidden"  # the run did what the line forbids
    OVERRULED = "overruled"  # the user corrected or refused what the line led to
    DETOUR = "detour"  # the run needed several attempts because the text is silent or wrong
    WASTED = "wasted"  # the run paid for something that it did not use
    CONFLICT = "conflict"  # two lines contradict each other
    WAITED = "waited"  # the run waited for an answer that no one gave

    @property
    def group(self) -> str:
        """A name for similar kinds, because runs may deviate from a line in several ways."""
        return "not followed" if self in (self.SKIPPED, self.LATE, self.OTHERWISE, self.FORBIDDEN) else self.value


class Observation(msgspec.Struct, frozen=True):
    """Something that a model observed in a run, at `line` of the text as loaded.

    - `load`: the number of the record of `session` in which the text was loaded.
    - `agent`: the sub-agent that loaded it, or "" for the main agent.
    - `quote`: the part of a record that shows the observation.
    - `what`: one sentence that describes it.
    - `read_by`: the name of the model.
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
