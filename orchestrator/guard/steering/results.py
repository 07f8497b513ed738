"""What power steering gives back."""

from enum import IntEnum
from typing import Any

import msgspec

from actions.session.transcript import Quote
from orchestrator.guard.compat.compaction import CompactionContext
from schemas.considerations import AnswerSource


class ReturnCode(IntEnum):
    """How a change of the steering state ended."""

    SUCCESS = 0
    SAVE_FAILED = 1
    VALIDATION_FAILED = 2
    VERIFICATION_FAILED = 3
    RETRIES_EXHAUSTED = 4


class CheckerResult(msgspec.Struct, frozen=True):
    """What one consideration came to. `satisfied` is None when the record does not tell, or its checker failed.

    That never blocks, and claims nothing: an error is no proof that something was done.

    `executed` is False when it was not looked at: addressed since the last block, or nobody could.
    `source` is sdk (a judge), heuristic (what the records prove) or none (unknown).
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

    @property
    def id(self) -> str:
        """The id of the consideration."""
        return self.consideration_id

    @property
    def counts_against(self) -> bool:
        """Whether it was asked of this session and is not satisfied."""
        return self.applicable and self.satisfied is False


class Analysis(msgspec.Struct, frozen=True):
    """All results of a session, and what follows from them."""

    session_type: str
    results: dict[str, CheckerResult] = msgspec.field(default_factory=dict)

    @property
    def failed_blockers(self) -> list[CheckerResult]:
        """The results that may hold the session."""
        return [r for r in self.results.values() if r.counts_against and r.severity == "blocker"]

    @property
    def failed_warnings(self) -> list[CheckerResult]:
        """The results that are only told."""
        return [r for r in self.results.values() if r.counts_against and r.severity != "blocker"]

    @property
    def has_blockers(self) -> bool:
        """Whether something may hold the session."""
        return bool(self.failed_blockers)

    @property
    def sources(self) -> dict[str, int]:
        """How many answers came from the judge, from the records, from nobody."""
        found = [r.source for r in self.results.values()]
        return {name.value: found.count(name) for name in AnswerSource}


class PowerSteeringResult(msgspec.Struct, frozen=True):
    """The decision on a Stop: approve, or block with what to do (`continuation_prompt`).

    `reasons` are the ids of what blocks, or why it was approved all the same (loop_detected, block_limit_reached,
    disabled …). `summary` is for an approved session.
    """

    decision: str
    reasons: list[str] = msgspec.field(default_factory=list)
    continuation_prompt: str | None = None
    summary: str | None = None
    analysis: Analysis | None = None
    considerations: list[CheckerResult] = msgspec.field(default_factory=list)
    compaction_context: CompactionContext | None = None
    check_results: dict[str, Any] = msgspec.field(default_factory=dict)
