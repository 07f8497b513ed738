"""Describe the status of a run, what it waits for, and the next commands."""

from actions.reporting.hints import quote_run
from orchestrator.cli.output.issue_lines import HANG, quote_path
from orchestrator.cli.output.text import format_gate, safe
from orchestrator.cli.output.wrap import fit
from orchestrator.fs.own_folders import explain_distrust, is_trusted
from orchestrator.run.relocation import is_outside
from orchestrator.run.run_judge import format_resume
from orchestrator.run.store import REPORT_FILE, StateStore
from schemas.records import State
from schemas.vocabulary import FixStatus, Pause, Phase
from templates.filters import counted

_MAX_ERRORS = 3
"""Maximum number of errors shown; older errors are left out."""
_MAX_IDS = 40
"""Maximum number of fix ids listed in the command that applies them."""

_PAUSES = {
    Pause.CLARIFICATION: "waits for your answer",
    Pause.FINDING_SELECTION: "waits for your choice of findings to fix",
    Pause.FIX_SELECTION: "waits for your choice of fixes",
    Pause.QUESTIONS: "waits for answers from a model",
}


def describe_status(state: State) -> str:
    """Return what a run is waiting for, or when and how it ended and how to start a new run."""
    run = f"run {safe(state.run_id)}"
    if state.pause:
        return f"{run} {_PAUSES[state.pause]}"
    if state.phase not in (Phase.COMPLETED, Phase.FAILED):
        return f"{run} is not finished: it is still running, or was stopped"
    end = f"{(state.updated_at or '')[:16].replace('T', ' ')} UTC"
    skill = quote_path(state.target_skill.path or "SKILL")
    new_run = f"To start a new run: tune-skill run {skill}"
    if state.phase is Phase.FAILED:
        return f"{run} failed ({end}).\n{new_run}"
    applied = sum(fix.status is FixStatus.APPLIED for fix in state.proposed_fixes)
    changes = f"{counted(applied, 'fix', 'fixes')} applied" if applied else "nothing changed"
    return f"{run} is finished ({end}): {changes}, {format_gate(state.quality_score, state.quality_gate)}.\n{new_run}"


def format_next_steps(store: StateStore) -> list[str]:
    """Return the commands that the user can type next, and the path of the report."""
    state = store.state
    if not is_trusted(store.path.parent):
        return _format_distrust(store)
    run = safe(quote_run(state))
    if state.pause is Pause.CLARIFICATION:
        return [f"Waiting for your answer: tune-skill answer {run} DIM-001=…", *_format_questions(state)]
    if state.pause is Pause.FIX_SELECTION:
        return format_choice(state)
    if state.pause is Pause.QUESTIONS:
        return _format_waiting(store, run)
    if state.phase not in (Phase.COMPLETED, Phase.FAILED):
        action = (state.current_action or state.phase).removeprefix("action-")
        resume, used = format_resume(state, store.path.parent)
        return [*_format_errors(state), f"Stopped at {action}{f', {used}' * bool(used)}. To continue: {safe(resume)}"]
    lines = [*_format_failure(state), f"report:   {safe(str(store.path.absolute().with_name(REPORT_FILE)))}"]
    if any(fix.status is FixStatus.APPLIED for fix in state.proposed_fixes):
        lines.append(f"rollback: tune-skill rollback {run} --all")
    return lines


def _format_distrust(store: StateStore) -> list[str]:
    """Return the path of the report of a run that is not trusted, why no command may use the run, and what to do."""
    state, work_dir = store.state, store.path.parent
    report = store.path.absolute().with_name(REPORT_FILE)
    lines = [f"report:   {safe(str(report))}"] if report.is_file() else []
    command = f"tune-skill trust {safe(quote_run(state))}"
    to_do = "start a new run" if is_outside(work_dir, state.target_skill) else f"to use it: {command}"
    return [*lines, *fit("note:     ", safe(f"read-only: {explain_distrust(work_dir)}; {to_do}"))]


def format_choice(state: State, *, brief: bool = False) -> list[str]:
    """Return the commands that choose among the proposed fixes, and the answers so far.

    brief: list only one fix id, because the user has already seen the fixes.
    """
    from orchestrator.cli.input.choose_fixes import summarize_answers

    fixes = [fix for fix in state.proposed_fixes if fix.status is FixStatus.PROPOSED]
    is_later_round = any(fix.status is FixStatus.APPLIED for fix in state.proposed_fixes)
    answers = summarize_answers(fixes)
    run = safe(quote_run(state))
    resume = f"tune-skill resume {run}"
    limit = 1 if brief else _MAX_IDS
    ids = " ".join(fix.id for fix in fixes[:limit])
    if brief or len(fixes) > limit:
        ids += " …"
    return [
        *([f"Your answers so far are saved: {answers}."] if answers else []),
        f"{'More fixes are proposed' if is_later_round else 'No fix is applied yet'}. Choose:",
        *fit(f"  {resume}    ", f"asks about {'the others' if answers else 'each'} in a terminal", HANG),
        *fit(f"  tune-skill apply {run} ", ids, HANG),
        f"  tune-skill apply {run} --all    or    --none",
    ]


def _format_failure(state: State) -> list[str]:
    """Return why a run failed, and how to start a new one. Returns [] if it did not fail."""
    if state.phase is not Phase.FAILED:
        return []
    skill = safe(state.target_skill.path or "SKILL")
    return [*_format_errors(state), "The run failed. Fix the error, then start a new run:", f"  tune-skill run {skill}"]


def _format_errors(state: State) -> list[str]:
    errors = dict.fromkeys(
        f"{safe(error.action.removeprefix('action-'))}: {safe(error.message)}" for error in state.errors
    )
    return [f"error:    {line}" for line in list(errors)[-_MAX_ERRORS:]]


def _format_waiting(store: StateStore, run: str) -> list[str]:
    from orchestrator.model.question_queue import QuestionQueue

    queue = QuestionQueue(store.path.parent)
    count = len(queue.list_open())
    if queue.is_damaged:
        return [f"A question in {safe(str(queue.folder))} is damaged. To ask it again: tune-skill resume {run}"]
    if not count:
        return [f"All questions are answered. To continue: tune-skill resume {run}"]
    questions = "1 question waits" if count == 1 else f"{count} questions wait"
    return [
        f"{questions} for a model. Let an MCP client with the server `tune-skill mcp` answer, then:",
        f"  tune-skill resume {run}",
        f"  tune-skill resume {run} --give-up    continues without the answers",
    ]


def _format_questions(state: State) -> list[str]:
    analysis = state.requirement_analysis
    lines = []
    for ambiguity in analysis.ambiguities if analysis else ():
        if ambiguity.needs_clarification and not ambiguity.answer:
            lines.append(f"  {ambiguity.dimension_id}: {safe(ambiguity.description)}")
            lines.append(f"    {' | '.join(ambiguity.possible_interpretations)}")
    return lines
