"""Define the considerations (questions about a session) and the types of sessions. See `considerations.yaml`."""

from enum import StrEnum

import msgspec


class SessionType(StrEnum):
    """The types of sessions."""

    SIMPLE = "SIMPLE"
    DEVELOPMENT = "DEVELOPMENT"
    INFORMATIONAL = "INFORMATIONAL"
    MAINTENANCE = "MAINTENANCE"
    INVESTIGATION = "INVESTIGATION"
    OPERATIONS = "OPERATIONS"


class AnswerSource(StrEnum):
    """The source of an answer: a model, the records of the session, or neither."""

    MODEL = "sdk"
    RECORDS = "heuristic"
    NONE = "none"


class Consideration(msgspec.Struct, frozen=True):
    """A question about a session; see `consideration.schema.json`.

    `guidance` has instructions for the judge, and `recovery` instructions for the agent after a violation.
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
        """Whether a violation can block the session."""
        return self.severity == "blocker"

    def applies_to(self, kind: str) -> bool:
        """Return whether the question applies to a type of session.

        Only questions about compaction apply to simple and operational sessions.
        """
        if kind in ("SIMPLE", "OPERATIONS"):
            return self.category == "compaction" or self.id == "compaction_handling"
        return "*" in self.applicable_session_types or kind in self.applicable_session_types
