"""Define the observations that a model makes in recorded runs of a text."""

from enum import StrEnum

import msgspec

from actions.session.transcript import Quote
from schemas.vocabulary import Severity


class ObservedKind(StrEnum):
    """The kinds of things that go wrong at a line."""

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
    def group(self) -> str:
        """The name of a group of similar kinds, because runs may deviate from a line in several ways."""
        return "not followed" if self in (self.SKIPPED, self.LATE, self.OTHERWISE, self.FORBIDDEN) else self.value


class Observation(msgspec.Struct, frozen=True):
    """Something that a model observed in a run, at `line` of the text as loaded.

    The run began at record `load` of `session`; `agent` is the sub-agent whose text it is, or "". `quote` proves the
    observation, `what` describes it in one sentence, `read_by` names the model.
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
