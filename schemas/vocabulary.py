"""Define the enums that state, reports and outputs share: phases, severities, statuses, risks."""

from enum import StrEnum
from functools import cached_property

from schemas.family import Family as Family  # separate, so that hooks need not load this module

SCHEMA_VERSION = 2


class Phase(StrEnum):
    """The phase of a run."""

    PENDING = "pending"
    RUNNING = "running"
    DIAGNOSIS = "diagnosis"
    VERIFY = "verify"
    APPLY_FIX = "apply-fix"
    COMPLETED = "completed"
    FAILED = "failed"

    @property
    def status(self) -> "Status":
        """The status of a run in this phase."""
        if self in (Phase.PENDING, Phase.COMPLETED, Phase.FAILED):
            return Status(self.value)
        return Status.RUNNING


class Status(StrEnum):
    """The status of a run, which summarizes its phase."""

    PENDING = "pending"
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"


class Severity(StrEnum):
    """The severity of a finding, worst first."""

    CRITICAL = "critical"
    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"

    @cached_property
    def rank(self) -> int:
        """The position in the order of severities, from 0 for the worst."""
        return tuple(Severity).index(self)


class FailOn(StrEnum):
    """The condition on which `diagnose` fails: a finding of at least a severity, a gate that is not passed, or none."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    CRITICAL = "critical"
    GATE = "gate"
    NEVER = "never"


class Grade(StrEnum):
    """How a finding was established: proven by a parser, or read by a model."""

    PROVEN = "proven"
    READ = "read"


class IssueSource(StrEnum):
    """The source of a finding: a parser, a model, or a recorded session."""

    PARSER = "parser"
    MODEL = "sdk"
    SESSION = "session"


class FixSource(StrEnum):
    """The author of a fix: a strategy, a model, or the user."""

    STRATEGY = "mechanical"
    MODEL = "sdk"
    USER = "user"


class IssueStatus(StrEnum):
    """The status of an issue."""

    OPEN = "open"
    RESOLVED = "resolved"
    SUPPRESSED = "suppressed"
    REJECTED = "rejected"
    UNKNOWN = "unknown"


class Ruling(StrEnum):
    """A judge's ruling on a finding. A second reading can refute a confirmed finding."""

    CONFIRMED = "confirmed"
    REJECTED = "rejected"
    REFUTED = "refuted"


class FixStatus(StrEnum):
    """The status of a proposed fix."""

    PROPOSED = "proposed"
    SELECTED = "selected"
    APPLIED = "applied"
    REFUSED = "refused"
    ROLLED_BACK = "rolled_back"


class Risk(StrEnum):
    """The risk that a fix breaks something."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


class DiagnosisStatus(StrEnum):
    """The status of one of the diagnoses of a round."""

    COMPLETED = "completed"
    SKIPPED = "skipped"
    FAILED = "failed"


class ActionResult(StrEnum):
    """The result of an action of a run."""

    SUCCESS = "success"
    FAILURE = "failure"
    SKIPPED = "skipped"


class AnalysisStatus(StrEnum):
    """The status of the requirement analysis."""

    PENDING = "pending"
    COMPLETED = "completed"
    NEEDS_CLARIFICATION = "needs_clarification"


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
    """The effect of a compaction on a rule of SKILL.md: kept, cut off but repeated elsewhere, or cut off."""

    SURVIVES = "survives"
    REPEATED = "repeated"
    LOST = "lost"


class Pause(StrEnum):
    """The reason why a run is paused."""

    CLARIFICATION = "clarification"
    FINDING_SELECTION = "finding_selection"
    FIX_SELECTION = "fix_selection"
    QUESTIONS = "questions"


class UnitKind(StrEnum):
    """The kinds of units of a project, the files and folders that Claude Code loads."""

    SKILL = "skill"
    AGENT = "agent"
    COMMAND = "command"
    HOOKS = "hooks"
    MANIFEST = "manifest"
    MCP = "mcp"
    MEMORY = "memory"
    STYLE = "style"


LOADED_KINDS = (UnitKind.SKILL, UnitKind.COMMAND, UnitKind.AGENT)
"""The kinds of units whose texts agents follow in a session."""


FAMILIES_BY_CODE = {code: family for family in Family for code in family.codes}
"""Maps the prefixes of pattern ids to families."""

SESSION_PATTERN_PREFIX = "SES-"
"""The id prefix of patterns for faults in the text that only sessions reveal."""

FOCUS = {
    focus: tuple(family for family in Family if family.focus == focus)
    for focus in ("context", "memory", "dataflow", "agent", "docs", "token_consumption")
}
"""The six diagnoses in order, with the families that each checks."""
