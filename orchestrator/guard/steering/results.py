"""Define the results of power steering."""

from enum import IntEnum
from typing import TYPE_CHECKING, Any

import msgspec

from actions.session.transcript import Quote
from schemas.considerations import AnswerSource

if TYPE_CHECKING:
    from orchestrator.guard.compaction.validator import CompactionContext, ValidationResult


class ReturnCode(IntEnum):
    """The result of saving the steering state."""

    SUCCESS = 0
    SAVE_FAILED = 1
    VALIDATION_FAILED = 2
    VERIFICATION_FAILED = 3
    RETRIES_EXHAUSTED = 4


class CheckerResult(msgspec.Struct, frozen=True):
    """The result of one consideration. satisfied: None if unknown.

    Unknown results never block a session and never count as satisfied. The same applies to the results of failed
    checkers,
    although their `satisfied` is True: amplihack documents that value for callers that use the result as a boolean.
    executed: False if the consideration was not checked, because it was addressed since the last block, or because
    it has
    no checker and there is no judge. source: sdk (the judge), heuristic (the records) or none (unknown).
    """

    consideration_id: str
    satisfied: bool | None
    reason: str
    severity: str
    recovery_steps: tuple[str, ...] = ()
    executed: bool = True
    category: str = ""
    applicable: bool = True
    source: AnswerSource = AnswerSource.RECORDS
    evidence: tuple[Quote, ...] = ()
    failed: bool = False

    @property
    def id(self) -> str:
        """The id of the consideration."""
        return self.consideration_id

    @property
    def is_violated(self) -> bool:
        """Whether the consideration applies to this session and is not satisfied."""
        return self.applicable and self.satisfied is False


class Analysis(msgspec.Struct, frozen=True):
    """All results of a session."""

    session_type: str
    results: dict[str, CheckerResult] = msgspec.field(default_factory=dict)

    @property
    def failed_blockers(self) -> list[CheckerResult]:
        """The violated considerations that block the session."""
        return [result for result in self.results.values() if result.is_violated and result.severity == "blocker"]

    @property
    def failed_warnings(self) -> list[CheckerResult]:
        """The violated considerations that are only reported."""
        return [result for result in self.results.values() if result.is_violated and result.severity != "blocker"]

    @property
    def has_blockers(self) -> bool:
        """Whether a violated consideration blocks the session."""
        return bool(self.failed_blockers)

    @property
    def sources(self) -> dict[str, int]:
        """The number of results from each source. The sources are the judge, the records, and none."""
        sources = [result.source for result in self.results.values()]
        return {source.value: sources.count(source) for source in AnswerSource}


class PowerSteeringResult(msgspec.Struct, frozen=True):
    """The decision on a Stop event: approve, or block with instructions (`continuation_prompt`).

    reasons: the ids of the considerations that block the session. If it was approved although they failed, the
    reasons for
    that come first (loop_detected, block_limit_reached, disabled …). summary: only for an approved session.
    compaction: None
    if there was no compaction.
    """

    decision: str
    reasons: list[str] = msgspec.field(default_factory=list)
    continuation_prompt: str | None = None
    summary: str | None = None
    analysis: Analysis | None = None
    considerations: list[CheckerResult] = msgspec.field(default_factory=list)
    compaction: "ValidationResult | None" = None
    check_results: dict[str, Any] = msgspec.field(default_factory=dict)

    @property
    def compaction_context(self) -> "CompactionContext":
        """The recorded compaction of the session; default values if there is none."""
        from orchestrator.guard.compaction.validator import CompactionContext

        return self.compaction.compaction_context if self.compaction else CompactionContext()
