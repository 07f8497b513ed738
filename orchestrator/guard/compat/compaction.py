"""Provide the compaction validator under the names that amplihack documents."""
# ruff: noqa: F401 - names for other programs

from collections.abc import Callable

from actions.session.compaction import (
    Loss,
    Memory,
    build_current_memory,
    build_memory,
    find_lost_objective,
    find_lost_todos,
    find_lost_turns,
)
from actions.session.transcript_parse import parse_transcript
from orchestrator.guard.compaction import validator
from orchestrator.guard.compaction.events import CompactionEvent, Messages
from orchestrator.guard.compaction.validator import CompactionContext, ValidationResult, build_result


class CompactionValidator(validator.CompactionValidator):
    """The validator, with a separate method for each check."""

    def validate_todos(self, pre_compaction: Messages, post_compaction: Messages) -> ValidationResult:
        """Check that the open todos were kept."""
        return _validate(find_lost_todos, pre_compaction, post_compaction)

    def validate_objectives(self, pre_compaction: Messages, post_compaction: Messages) -> ValidationResult:
        """Check that the objective is still clear."""
        return _validate(find_lost_objective, pre_compaction, post_compaction)

    def validate_recent_context(
        self, pre_compaction: Messages, post_compaction: Messages, context: CompactionContext
    ) -> ValidationResult:
        """Check that the last ten turns were kept."""
        return _validate(find_lost_turns, pre_compaction, post_compaction, context)


def _validate(
    find_loss: Callable[[Memory, Memory], Loss | None],
    before: Messages,
    after: Messages,
    context: CompactionContext | None = None,
) -> ValidationResult:
    loss = find_loss(build_memory(parse_transcript(before)), build_current_memory(parse_transcript(after)))
    return build_result([loss] if loss else [], context)
