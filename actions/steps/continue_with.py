"""Continue a step with the result of the effect that it requested."""

from msgspec.structs import replace

from actions.case import Case
from actions.steps.analyze_requirements import apply_answers
from actions.steps.apply_fix import refuse, verify_written
from actions.steps.outcome import (
    BackedUp,
    Clarified,
    NotWritten,
    Outcome,
    Result,
    RollBackAll,
    RolledBack,
    Selected,
    Tools,
    Undone,
    Written,
)
from actions.steps.record_rollback import add_files_left, record_rollback
from actions.steps.select_fixes import select
from schemas.records import TrialRecord


def continue_with(result: Result, outcome: Outcome, case: Case, tools: Tools) -> Outcome:
    """Return the next outcome of a step after the effect of `outcome`. It may request another effect."""
    state = outcome.state
    match result:
        case BackedUp(folder):
            return outcome.then(replace(state, backup_dir=folder))
        case Written():
            return outcome.then(*verify_written(state, case, result, tools))
        case NotWritten(apply, reason, left):
            return outcome.then(add_files_left(refuse(state, apply.fix, reason), apply.fix.id, left))
        case Undone(fix_id, left):
            return outcome.then(add_files_left(state, fix_id, left))
        case TrialRecord():
            state = replace(state, trial=result, trial_folder=result.folder)
            return outcome.then(state, None if result.kept else RollBackAll(result.reason))
        case RolledBack():
            return outcome.then(record_rollback(state, result))
        case Clarified(categories):
            return outcome.then(apply_answers(state, categories, "user", tools.now()))
        case Selected(ids):
            return outcome.then(select(state, ids))
