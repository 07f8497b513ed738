"""What a run prints in the end: the result on stdout as text or JSON, and its exit code."""

from typing import Any

import click

from actions.reporting.hints import quote_run
from orchestrator.cli.output.concise import HANG, typed_path
from orchestrator.cli.output.evidence import evidence_lines
from orchestrator.cli.output.outcome import rejections, result_lines
from orchestrator.cli.output.text import gate_word, json_text, safe
from orchestrator.cli.output.wrap import fitted
from orchestrator.exits import Exit, exit_of_state
from orchestrator.run.store import REPORT_FILE, StateStore
from schemas.codec import to_json
from schemas.records import State
from schemas.vocabulary import SCHEMA_VERSION, FixStatus, Pause, Phase
from templates.filters import counted

_ERRORS, _IDS = 3, 40
"""What went wrong, the last of it, and the fixes that are named in how to choose."""


def finished(store: StateStore, format_: str, *, with_diffs: bool = True) -> Exit:
    """Print the result of a run that ended or paused. with_diffs: nobody has seen the fixes yet, nor the findings."""
    state = store.state
    if format_ == "json":
        click.echo(json_text(as_json(store)), nl=False)
    elif state.pause is Pause.FIX_SELECTION and not with_diffs:
        click.echo("\n".join(("", *_to_choose(state, brief=True))))
    else:
        result = result_lines(state, with_diffs=with_diffs)
        for line in (*evidence_lines(state.sessions, state.issues), *result, "", *_where_next(store)):
            click.echo(line)
    return exit_of_state(state)


_WAITS = {
    Pause.CLARIFICATION: "waits for your answer",
    Pause.FIX_SELECTION: "waits for your choice of fixes",
    Pause.QUESTIONS: "waits for the answers of a model",
}


def standing(state: State) -> str:
    """Return where a run stands: what it waits for, or when it ended, with what result, and what to type then."""
    run = f"run {safe(state.run_id)}"
    if state.pause:
        return f"{run} {_WAITS[state.pause]}"
    if state.phase not in (Phase.COMPLETED, Phase.FAILED):
        return f"{run} has not ended: it is at work, or was stopped"
    when = f"{(state.updated_at or '')[:16].replace('T', ' ')} UTC"
    skill = typed_path(state.target_skill.path or "SKILL")
    anew = f"To start a new one: tune-skill run {skill}"
    if state.phase is Phase.FAILED:
        return f"{run} failed ({when}).\n{anew}"
    applied = sum(fix.status is FixStatus.APPLIED for fix in state.proposed_fixes)
    made = f"{counted(applied, 'fix', 'fixes')} applied" if applied else "nothing changed"
    return f"{run} is finished ({when}): {made}, {gate_word(state.quality_score, state.quality_gate)}.\n{anew}"


def as_json(store: StateStore) -> dict[str, Any]:
    """Give the result as `run.schema.json` says."""
    state = store.state
    ended = state.phase in (Phase.COMPLETED, Phase.FAILED)
    return {
        "schema_version": SCHEMA_VERSION,
        "run_id": state.run_id,
        "work_dir": state.work_dir,
        "status": state.status,
        "phase": state.phase,
        "pause": state.pause,
        "skill": {key: getattr(state.target_skill, key) for key in ("name", "path", "execution_mode")},
        "ambiguities": to_json(state.requirement_analysis.ambiguities) if state.requirement_analysis else [],
        "issues": to_json(state.issues),
        "issues_by_severity": to_json(state.issues_by_severity),
        "sessions": to_json(state.sessions),
        "fixes": to_json(state.proposed_fixes),
        "applied_fixes": to_json(state.applied_fixes),
        "before": to_json(state.rounds[0]) if state.rounds else None,
        "quality_score": state.quality_score,
        "quality_gate": state.quality_gate,
        "notes": [*state.notes, *filter(None, [rejections(state.issues)])],
        "cost": to_json(state.cost),
        "unasked": state.unasked,
        "report": str(store.path.absolute().with_name(REPORT_FILE)) if ended else None,
    }


def _where_next(store: StateStore) -> list[str]:
    state = store.state
    run = safe(quote_run(state))
    if state.pause is Pause.CLARIFICATION:
        return [f"Waiting for your answer: tune-skill answer {run} DIM-001=…", *_questions(state)]
    if state.pause is Pause.FIX_SELECTION:
        return _to_choose(state)
    if state.pause is Pause.QUESTIONS:
        return _waiting(store, run)
    if state.phase not in (Phase.COMPLETED, Phase.FAILED):
        at = (state.current_action or state.phase).removeprefix("action-")
        return [*_errors(state), f"Stopped at {at}. Go on: tune-skill resume {run}"]
    lines = [*_failure(state), f"report:   {safe(str(store.path.absolute().with_name(REPORT_FILE)))}"]
    if any(f.status is FixStatus.APPLIED for f in state.proposed_fixes):
        lines.append(f"rollback: tune-skill rollback {run} --all")
    return lines


def _to_choose(state: State, *, brief: bool = False) -> list[str]:
    """Return how to choose among the fixes that are proposed, and what was said of them so far.

    brief: for who has just seen them; else with each id, for who types them or a program that does.
    """
    from orchestrator.cli.choose_fixes import answers

    fixes = [fix for fix in state.proposed_fixes if fix.status is FixStatus.PROPOSED]
    kept = any(fix.status is FixStatus.APPLIED for fix in state.proposed_fixes)
    said = answers(fixes)
    run = safe(quote_run(state))
    resume = f"tune-skill resume {run}"
    named = 1 if brief else _IDS
    ids = " ".join(fix.id for fix in fixes[:named]) + " …" * (brief or len(fixes) > named)
    return [
        *([f"Your answers so far are kept: {said}."] if said else []),
        f"{'More fixes are proposed' if kept else 'Nothing is changed yet'}. Choose:",
        *fitted(f"  {resume}    ", f"asks about {'the others' if said else 'each'} in a terminal", HANG),
        *fitted(f"  tune-skill apply {run} ", ids, HANG),
        f"  tune-skill apply {run} --all    or    --none",
    ]


def _failure(state: State) -> list[str]:
    """Return why a failed run ended, and how to begin anew."""
    if state.phase is not Phase.FAILED:
        return []
    skill = safe(state.target_skill.path or "SKILL")
    return [*_errors(state), "The run failed. When that is fixed, start a new run:", f"  tune-skill run {skill}"]


def _errors(state: State) -> list[str]:
    """Return what went wrong, the last ones; the same once."""
    told = dict.fromkeys(f"{safe(e.action.removeprefix('action-'))}: {safe(e.message)}" for e in state.errors)
    return [f"error:    {line}" for line in list(told)[-_ERRORS:]]


def _waiting(store: StateStore, run: str) -> list[str]:
    from orchestrator.model.question_queue import Desk

    count = len(Desk(store.path.parent).waiting())
    if not count:
        return [f"All questions are answered. Go on: tune-skill resume {run}"]
    told = "1 question waits" if count == 1 else f"{count} questions wait"
    return [
        f"{told} for a model: let one answer in an MCP client that has the server `tune-skill mcp`. Then:",
        f"  tune-skill resume {run}",
        f"  tune-skill resume {run} --give-up    goes on without the answers",
    ]


def _questions(state: State) -> list[str]:
    analysis = state.requirement_analysis
    open_ones = [a for a in analysis.ambiguities if a.needs_clarification and not a.answer] if analysis else []
    return [
        line
        for a in open_ones
        for line in (f"  {a.dimension_id}: {safe(a.description)}", f"    {' | '.join(a.possible_interpretations)}")
    ]
