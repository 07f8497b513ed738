"""One thing that is asked of a session, as `considerations.yaml` has it, and the types of sessions that it names."""

from enum import StrEnum

import msgspec


class SessionType(StrEnum):
    """The kinds of sessions."""

    SIMPLE = "SIMPLE"
    DEVELOPMENT = "DEVELOPMENT"
    INFORMATIONAL = "INFORMATIONAL"
    MAINTENANCE = "MAINTENANCE"
    INVESTIGATION = "INVESTIGATION"
    OPERATIONS = "OPERATIONS"


class AnswerSource(StrEnum):
    """What answered a consideration: a model, the records of the session, or nothing."""

    MODEL = "sdk"
    RECORDS = "heuristic"
    NONE = "none"


class Consideration(msgspec.Struct, frozen=True):
    """One thing that is asked of a session; see `consideration.schema.json`.

    `guidance` tells the judge how to look, `recovery` tells the agent what to do when it is not satisfied.
    """

    id: str
    category: str
    question: str
    severity: str
    checker: str
    applicable_session_types: tuple[str, ...] = ("*",)
    description: str = ""
    enabled: bool = True
    guidance: str = ""
    recovery: str = ""

    @property
    def is_blocker(self) -> bool:
        """Whether a session that falls short of it may be held."""
        return self.severity == "blocker"

    def applies_to(self, kind: str) -> bool:
        """Whether it counts in a session of this type: in simple and operational ones only compaction does."""
        if kind in ("SIMPLE", "OPERATIONS"):
            return self.category == "compaction" or self.id == "compaction_handling"
        return "*" in self.applicable_session_types or kind in self.applicable_session_types
