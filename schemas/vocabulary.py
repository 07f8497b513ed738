"""The words that state, reports and outputs share: phases, severities, statuses, risks."""

from enum import StrEnum
from functools import cached_property

SCHEMA_VERSION = 2


class Phase(StrEnum):
    """Where a run stands in the machine."""

    PENDING = "pending"
    RUNNING = "running"
    DIAGNOSIS = "diagnosis"
    VERIFY = "verify"
    APPLY_FIX = "apply-fix"
    COMPLETED = "completed"
    FAILED = "failed"

    @property
    def status(self) -> "Status":
        """The coarse status that belongs to this phase."""
        if self in (Phase.PENDING, Phase.COMPLETED, Phase.FAILED):
            return Status(self.value)
        return Status.RUNNING


class Status(StrEnum):
    """What a caller wants to know of a run."""

    PENDING = "pending"
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"


class Severity(StrEnum):
    """How much harm a finding does; iteration runs from worst to mildest."""

    CRITICAL = "critical"
    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"

    @cached_property
    def rank(self) -> int:
        """0 = worst."""
        return tuple(Severity).index(self)


class Grade(StrEnum):
    """How a finding is known: a parser proves it, or a model reads it."""

    PROVEN = "proven"
    READ = "read"


class IssueSource(StrEnum):
    """What reported a finding: a parser, a model, or a recorded session."""

    PARSER = "parser"
    MODEL = "sdk"
    SESSION = "session"


class FixSource(StrEnum):
    """What made a fix: a strategy, a model, or the user."""

    STRATEGY = "mechanical"
    MODEL = "sdk"
    USER = "user"


class IssueStatus(StrEnum):
    """What became of a finding."""

    OPEN = "open"
    RESOLVED = "resolved"
    SUPPRESSED = "suppressed"
    REJECTED = "rejected"
    UNKNOWN = "unknown"


class Ruling(StrEnum):
    """What a judge says of a finding; refuted is what a second look rejects."""

    CONFIRMED = "confirmed"
    REJECTED = "rejected"
    REFUTED = "refuted"


class FixStatus(StrEnum):
    """What became of a proposed fix."""

    PROPOSED = "proposed"
    SELECTED = "selected"
    APPLIED = "applied"
    REFUSED = "refused"
    ROLLED_BACK = "rolled_back"


class Risk(StrEnum):
    """What a fix may break."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


class Verification(StrEnum):
    """The result of verifying an applied fix."""

    PASS = "pass"
    FAIL = "fail"
    PENDING = "pending"
    ROLLED_BACK = "rolled_back"


class Gate(StrEnum):
    """The quality gate."""

    PASS = "pass"
    REVIEW = "review"
    FAIL = "fail"


class Fate(StrEnum):
    """What a compaction does to a rule of SKILL.md: it stands before the cut, is said elsewhere too, or is gone."""

    SURVIVES = "survives"
    REPEATED = "repeated"
    LOST = "lost"


class Pause(StrEnum):
    """What a paused run waits for."""

    CLARIFICATION = "clarification"
    FIX_SELECTION = "fix_selection"
    QUESTIONS = "questions"


class Family(StrEnum):
    """The types of findings; each belongs to one diagnosis."""

    CONTEXT = "context_explosion"
    MEMORY = "memory_loss"
    DATAFLOW = "dataflow_break"
    AGENT = "agent_failure"
    TOKENS = "token_consumption"
    AUTHORING = "authoring_violation"
    REDUNDANCY = "doc_redundancy"
    CONFLICT = "doc_conflict"
    SPEC = "spec_violation"
    CUSTOM = "custom"

    @cached_property
    def names(self) -> frozenset[str]:
        """What the family goes by where someone selects patterns: its own name and its focus's, in upper case."""
        return frozenset({self.upper(), *(name.upper() for name, families in FOCUS.items() if self in families)})


CODES = {
    "AGT": Family.AGENT,
    "APV": Family.AUTHORING,
    "CTX": Family.CONTEXT,
    "DF": Family.DATAFLOW,
    "DOC-CON": Family.CONFLICT,
    "DOC-RED": Family.REDUNDANCY,
    "MEM": Family.MEMORY,
    "SPEC": Family.SPEC,
    "TKN": Family.TOKENS,
}
"""What the ids of a family's patterns begin with."""

FOCUS: dict[str, tuple[Family, ...]] = {
    "context": (Family.CONTEXT,),
    "memory": (Family.MEMORY,),
    "dataflow": (Family.DATAFLOW, Family.AUTHORING),
    "agent": (Family.AGENT,),
    "docs": (Family.REDUNDANCY, Family.CONFLICT, Family.SPEC),
    "token_consumption": (Family.TOKENS,),
}
"""The six diagnoses in their order, and the families that each of them looks at."""

FIX_ORDER = (
    Family.DATAFLOW,
    Family.AGENT,
    Family.CONTEXT,
    Family.MEMORY,
    Family.SPEC,
    Family.AUTHORING,
    Family.CONFLICT,
    Family.REDUNDANCY,
    Family.TOKENS,
    Family.CUSTOM,
)
"""In this order fixes are applied: data flow, agents, context and memory first, on which the rest builds."""
