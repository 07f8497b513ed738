"""Run an improvement from its plan to its end, or continue one that was stopped."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from os import environ
from pathlib import Path

from msgspec.structs import replace

from orchestrator.errors import BadInput, Interrupted, Refused, StateDamaged
from orchestrator.fs import nofollow
from orchestrator.fs.durable import write_json
from orchestrator.fs.own_folders import ensure_trusted, read_trusted_skill
from orchestrator.model.environment import Say, describe_recipient
from orchestrator.tuning.improve.history import FOLDER, find_stopped, remember_folder
from orchestrator.tuning.improve.plan import ImprovementPlan, Settings, build_plan, describe_settings
from orchestrator.tuning.improve.plan_checks import ensure_provable
from orchestrator.tuning.improve.runs import TaskRunner
from orchestrator.tuning.improve.stages import Apply, StageRunner, finish, run_stages
from orchestrator.tuning.improve.store import FILE, ImprovementStore, read_state
from orchestrator.tuning.improve.unfinished import advise_after_interrupt, advise_on_lost_plan, name_edited_files
from orchestrator.tuning.trial.consent import Consent, Request, build_request, save_consent
from orchestrator.tuning.trial.folders import PLAN, create_folder
from orchestrator.tuning.trial.folders import read_plan as read_recorded_plan
from orchestrator.tuning.trial.ledger import Ledger
from orchestrator.tuning.trial.leftovers import remove_leftovers
from orchestrator.tuning.trial.recording import charge_killed_runs, describe_unremoved, remove_leftover
from orchestrator.tuning.trial.sandbox import Sandbox
from schemas.improvement import Improvement, Stage


def run_improvement(
    plan: ImprovementPlan, clock: Callable[[], datetime], say: Say, consent: Consent, apply: Apply
) -> Improvement:
    """Run an improvement, or continue a stopped one with the same skill, tasks and settings. Returns its last state.

    Raises Refused if the user has not consented, RunFailed if runs keep failing, and Busy if another command is running
    the same improvement. Raises Interrupted after Ctrl-C, once the improvement has a folder.
    """
    request = build_request(plan.tasks, (plan.full_version,), plan.settings.max_cost_usd)
    consent.ensure_given(request)
    folder = find_stopped(plan.root, plan.key)
    if folder is None:
        folder = create_folder(plan.root, clock(), describe_settings(plan), FOLDER, advise_on_lost_plan)
        remember_folder(plan.root, folder)
    with _name_in_interrupt(folder):
        return _run_in(folder, plan, clock, say, consent, request, apply)


def _run_in(
    folder: Path, plan: ImprovementPlan, clock: Callable[[], datetime], say: Say, consent: Consent, request: Request,
    apply: Apply,
) -> Improvement:  # fmt: skip
    """Run the improvement in its folder, or continue it there. Returns its last state."""
    save_consent(request, folder)  # `resume` must keep to this cost limit, even if the plan was edited meanwhile
    say(f"the texts of the skill and its tasks are sent to {describe_recipient(environ)} through Claude Code")
    with Ledger.open(folder) as ledger:
        remove_leftovers(say)
        store = ImprovementStore(folder, clock)
        state = _ensure_same_skill(folder, store.load()) if store.exists() else _create_state(plan, folder, store)
        if state.stage is not Stage.PLANNED:
            _ensure_same_split(plan, state)
            say(f"continuing {folder}: {state.stage}, {ledger.describe_cost()}")
        ledger.ensure_spent(state.usd)
        state = _set_limit(state, plan, store)
        runner = TaskRunner(plan, folder, ledger, say, request, consent.advice)
        return StageRunner(plan, runner, store, apply).run(state)


def _set_limit(state: Improvement, plan: ImprovementPlan, store: ImprovementStore) -> Improvement:
    """Save the plan's settings, with which `resume` continues, and return the state with its cost limit.

    If only a lower limit ended the improvement, it returns to the stage before.
    """
    settings, max_cost_usd, before = describe_settings(plan), plan.settings.max_cost_usd, state
    if read_recorded_plan(store.path.parent) != settings:
        write_json(store.path.parent / PLAN, settings)
    if state.is_continuable and max_cost_usd > state.ceiling:
        walk = tuple(moment for moment in state.walk if moment.stage is not Stage.LEFT)
        state = replace(state, stage=walk[-1].stage, walk=walk, why="", limit="", exam_unpaid=False)
    state = replace(state, ceiling=max_cost_usd)
    return store.save(state) if state != before else state


def finish_applying(folder: Path, clock: Callable[[], datetime], say: Say, apply: Apply) -> Improvement:
    """Finish an improvement that was stopped while applying its steps.

    The plan is not read again, because it no longer matches the partly changed skill. Nothing more is paid, so the
    ledger is not read either. Raises Interrupted after Ctrl-C.
    """
    ensure_trusted(folder)
    with _name_in_interrupt(folder), Ledger.hold(folder):
        store = ImprovementStore(folder, clock)
        state = _ensure_same_skill(folder, store.load())
        return run_stages(state, lambda trigger, state: finish(trigger, state, store, apply), store, say)


@contextmanager
def _name_in_interrupt(folder: Path) -> Iterator[None]:
    """Convert KeyboardInterrupt in the block to Interrupted, which names the improvement in `folder`."""
    try:
        yield
    except KeyboardInterrupt:
        raise Interrupted(advise_after_interrupt(folder)) from None


def _create_state(plan: ImprovementPlan, folder: Path, store: ImprovementStore) -> Improvement:
    state = Improvement(
        id=folder.name, name=plan.name, path=str(plan.root.resolve()), version=plan.full_version.digest,
        model=plan.settings.model, max_steps=plan.settings.steps, folder=str(folder),
        ceiling=plan.settings.max_cost_usd,
    )  # fmt: skip
    return store.save(state, has_new_stage=True)


def _ensure_same_skill(folder: Path, state: Improvement) -> Improvement:
    """Return the state unchanged. Raises Refused if the folder was created for another skill than the state's."""
    if state.path != (skill := read_trusted_skill(folder)):
        raise Refused(
            f"{folder}: its state names the skill {state.path}, but it was created for {skill}; start a new one"
        )
    return state


def _ensure_same_split(plan: ImprovementPlan, state: Improvement) -> None:
    if (state.practice, state.exam_tasks) != (plan.split.practice, plan.split.exam):
        raise Refused(
            f"{state.id} cannot be continued: another improvement has since used some of its tasks; start a new one"
        )


def read_plan(folder: Path) -> ImprovementPlan:
    """Rebuild the plan of an improvement from its folder.

    Raises BadInput if the plan cannot be read, and Refused if the skill or a task has changed.
    """
    ensure_trusted(folder)
    try:
        recorded = json.loads(nofollow.read(str(folder / PLAN)))
        skill, settings = str(recorded["skill"]), Settings(**recorded["settings"])
        state = read_state(folder / FILE)  # earlier versions saved a new limit only there
        settings = replace(settings, max_cost_usd=max(settings.max_cost_usd, state.ceiling if state else 0.0))
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        advice = advise_on_lost_plan(folder)
        raise BadInput(f"{folder / PLAN} cannot be read, so the improvement cannot continue; {advice}") from None
    plan = build_plan(skill, settings)
    if plan.key != recorded["key"]:  # first: a changed plan counts the exam of this improvement as an earlier one
        edited = name_edited_files(recorded, plan.full_version)
        raise Refused(
            f"{folder.name} cannot be continued: {edited or 'a task'} changed since it began; undo this and repeat the "
            f"command, or end it with --give-up and start a new one with `tune-skill improve {skill}`"
        )
    ensure_provable(plan)
    return plan


def give_up(folder: Path, clock: Callable[[], datetime], say: Say) -> Improvement:
    """End an improvement without its edits, and return its last state. Nothing is changed if it has ended.

    The sandboxes of its runs are removed. say: called with one message about those that cannot be removed. Raises
    Busy if a command is running it. A damaged ledger does not prevent the end.
    """
    ensure_trusted(folder)
    store = ImprovementStore(folder, clock)
    try:
        with Ledger.open(folder) as ledger:
            charge_killed_runs(ledger)
            return _end_without_edits(store, ledger, say)
    except StateDamaged:
        with Ledger.hold(folder):
            ledger, _ = Ledger.peek(folder)
            return _end_without_edits(store, ledger, say)


def _end_without_edits(store: ImprovementStore, ledger: Ledger, say: Say) -> Improvement:
    """Save that the user gave up an improvement, and return its last state. The ledger must be locked."""
    state = _ensure_same_skill(store.path.parent, store.load())
    if state.has_ended:
        return state
    if failed := [path for path in ledger.folders if not remove_leftover(Sandbox(path))]:
        say(describe_unremoved(failed))
    usd = max(state.usd, ledger.spent)  # a damaged ledger can lack costs
    return store.save(replace(state, stage=Stage.LEFT, why="you gave it up", limit="", usd=usd), has_new_stage=True)
