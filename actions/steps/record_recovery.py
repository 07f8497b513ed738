"""Update the state after a command was stopped while it applied a fix to files that were edited since."""

from collections.abc import Collection

from msgspec.structs import replace

from actions.case import Case
from actions.steps.apply_fix import update_hashes
from actions.steps.record_rollback import add_notes, mark_unmeasured, measure_again
from schemas.records import AppliedFix, ChangeMade, State
from schemas.vocabulary import FixStatus, Verification


def record_left_fix(
    state: State, fix_id: str, made: Collection[ChangeMade], after: Case | str, applied_at: str
) -> State:
    """Record a pending fix as applied but not verified, and measure the skill again.

    `made` are the changes of the fix that are still on disk. `after` is the case with these changes, or why the skill
    cannot be read.
    """
    files = ", ".join(change.file for change in made)
    reason = f"applied, but not verified: a command was stopped during it, and {files} was edited since"
    entry = AppliedFix(
        fix_id, applied_at, True, state.backup_dir or "", Verification.PENDING, True, tuple(made), reason
    )  # fmt: skip
    current = state.rounds[-1]
    state = replace(
        update_hashes(add_notes(state, (f"{fix_id}: {reason}",)), made),
        proposed_fixes=tuple(
            replace(fix, status=FixStatus.APPLIED, reason=reason) if fix.id == fix_id else fix
            for fix in state.proposed_fixes
        ),
        pending_fixes=tuple(id for id in state.pending_fixes if id != fix_id),
        applied_fixes=(*state.applied_fixes, entry),
        rounds=(*state.rounds[:-1], replace(current, fixes_kept=(*current.fixes_kept, fix_id), measured=False)),
    )
    return mark_unmeasured(state, after) if isinstance(after, str) else measure_again(state, after)
