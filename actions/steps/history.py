"""Record the history of steps in the state."""

from msgspec.structs import replace

from actions.steps.outcome import Outcome
from schemas.records import ErrorEntry, HistoryEntry, State
from schemas.vocabulary import ActionResult, Phase

_MAX_NOTE = 300
"""Maximum length of a note in characters."""


def record_step(outcome: Outcome, action: str, phase: Phase, times: tuple[str, str], files: tuple[str, ...]) -> State:
    """Record a step that ran in `phase`, with its start and end (`times`) and the files that it wrote."""
    state = outcome.state
    entry = HistoryEntry(action, *times, outcome.result, files, phase, outcome.note[:_MAX_NOTE])
    return replace(
        state,
        pause=None,
        current_action=None,
        completed_actions=tuple(dict.fromkeys((*state.completed_actions, action))),
        action_history=(*state.action_history, entry),
    )


def record_failure(state: State, action: str, message: str, times: tuple[str, str]) -> State:
    """Record a step that raised an error."""
    entry = HistoryEntry(action, *times, ActionResult.FAILURE, (), state.phase, message[:_MAX_NOTE])
    return replace(
        state,
        current_action=None,
        errors=(*state.errors, ErrorEntry(action, message, times[1], recoverable=True)),
        error_count=state.error_count + 1,
        action_history=(*state.action_history, entry),
    )
