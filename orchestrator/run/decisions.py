"""Check the decisions of a user, and apply them to the state of a run."""

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from msgspec.structs import replace

from orchestrator.errors import BadInput
from schemas.concerns import CONCERNS
from schemas.vocabulary import FixStatus, Pause, Phase

if TYPE_CHECKING:
    from schemas.records import State


_STATUS_DESCRIPTIONS = {
    FixStatus.PROPOSED: "proposed but not applied",
    FixStatus.SELECTED: "chosen but not applied yet",
    FixStatus.REFUSED: "refused and not applied",
    FixStatus.ROLLED_BACK: "already rolled back",
}
"""How messages describe the status of a fix that is not applied."""


def answer_clarification(state: "State", answers: Mapping[str, str]) -> "State":
    """Return the state of a paused run with the user's answers. answers: a category for each dimension id.

    Raises BadInput if an answer is invalid.
    """
    from actions.steps.analyze_requirements import apply_answers, list_open_questions
    from orchestrator.run.store import system_clock, timestamp

    if state.pause is not Pause.CLARIFICATION:
        raise BadInput(f"run {state.run_id} is not waiting for an answer; see `tune-skill status {state.run_id}`")
    open_ids = {question.dimension_id for question in list_open_questions(state)}
    for id, category in answers.items():
        if id not in open_ids:
            raise BadInput(f"{id}: run {state.run_id} did not ask that; it asked {', '.join(sorted(open_ids))}")
        if category not in CONCERNS:
            raise BadInput(f"{id}={category}: the category must be one of {', '.join(CONCERNS)}")
    return replace(apply_answers(state, answers, "user", timestamp(system_clock())), pause=None)


def choose_findings(state: "State", ids: Collection[str]) -> "State":
    """Return the state of a paused or completed run with the findings that the user chose to fix.

    ids: the ids of these findings. It is empty if the user chose none. A completed run gets a new round. Raises
    BadInput if an id is unknown.
    """
    from actions.scoring.issues import select_counted_issues

    if state.phase is not Phase.COMPLETED and state.pause is not Pause.FINDING_SELECTION:
        raise BadInput(f"run {state.run_id} is not waiting for a choice of findings; `status` says what it waits for")
    open_ids = [issue.id for issue in select_counted_issues(state.issues)]
    for id in ids:
        if id not in open_ids:
            raise BadInput(f"{id}: not an open finding of run {state.run_id}; open: {', '.join(open_ids) or 'none'}")
    if state.phase is Phase.COMPLETED:
        if not ids:
            return state
        state = reopen(state, proposed=False)
    current = replace(state.rounds[-1], chosen=tuple(id for id in open_ids if id in ids))
    return replace(state, rounds=(*state.rounds[:-1], current), pause=None)


def choose_readings(state: "State", meant: Mapping[str, str]) -> "State":
    """Return the state with the author's choices among possible readings of the text. The next drafts use them.

    meant: the chosen reading for each id of a finding. Raises BadInput if one is invalid.
    """
    from actions.fixes import author_choices

    open_choices = author_choices.list_open_choices(state)
    for id in meant:
        if id not in open_choices:
            raise BadInput(
                f"{id}: run {state.run_id} does not ask for a choice about it; see `tune-skill status {state.run_id}`"
            )
    return author_choices.choose(state, meant)


def reopen(state: "State", *, proposed: bool) -> "State":
    """Return the state of a completed run with a new round, which begins by checking the current text again.

    proposed: whether the round applies fixes that were proposed before, and drafts none. Raises BadInput if the run
    cannot be reopened.
    """
    from actions.scoring.issues import hash_files
    from orchestrator.run.case_reader import read_target_case

    number, old = state.iteration_count + 1, state.rounds[-1]
    current = replace(
        old, iteration=number, score=state.quality_score, gate=state.quality_gate, counts=state.issues_by_severity,
        tokens=state.tokens or old.tokens, proposed=proposed, selected=False, fixes_kept=(), untried=(), chosen=(),
    )  # fmt: skip
    target = replace(state.target_skill, files=hash_files(read_target_case(state.target_skill).skill))
    rounds = (*state.rounds, current)
    return replace(state, phase=Phase.VERIFY, iteration_count=number, rounds=rounds, target_skill=target)


def choose_fixes(state: "State", fixes: Collection[str] | None) -> "State":
    """Return the state of a paused run with the fixes that the user chose. None means all proposed fixes.

    For a completed run, the ids of the fixes must be given. They are applied in a new round. Raises BadInput if a fix
    cannot be chosen.
    """
    from actions.steps.select_fixes import find_selectable, select

    must_reopen = state.phase is Phase.COMPLETED and bool(fixes)
    if not must_reopen and state.pause is not Pause.FIX_SELECTION:
        raise BadInput(
            f"run {state.run_id} is not waiting for a choice of fixes; see `tune-skill status {state.run_id}`"
        )
    open_ids = [fix.id for fix in find_selectable(state)]
    for id in fixes or ():
        if id not in open_ids:
            raise BadInput(f"{id}: not proposed in run {state.run_id}; proposed: {', '.join(open_ids) or 'none'}")
    chosen = open_ids if fixes is None else fixes
    return select(reopen(state, proposed=True) if must_reopen else state, chosen)


def ensure_applied(state: "State", applied: Collection[str], fixes: Collection[str]) -> None:
    """Raise BadInput if one of the fixes is not applied. The message has the status of the fix in this run."""
    status = {fix.id: _STATUS_DESCRIPTIONS.get(fix.status, "not applied") for fix in state.proposed_fixes}
    applied_ids = ", ".join(sorted(applied)) or "none"
    for id in fixes:
        if id not in applied:
            raise BadInput(f"{id} is {status.get(id, 'not a fix')} in run {state.run_id}; applied: {applied_ids}")
