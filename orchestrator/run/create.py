"""Start a new run: create its work dir and its first state, and drive it until it ends or pauses."""

from pathlib import Path
from typing import TYPE_CHECKING

from actions.case import Case
from orchestrator.project.unit_finder import LocatedUnit
from orchestrator.run.case_reader import read_case
from orchestrator.run.listener import Listener
from orchestrator.run.run import Run, explain_interrupt
from orchestrator.run.store import StateStore, system_clock
from orchestrator.run.unfinished import ensure_startable
from orchestrator.run.work_dirs import choose_work_dir, ensure_empty
from orchestrator.run.workspace.workspace import Workspace
from schemas.options import Options
from schemas.records import State, TargetSkill
from schemas.vocabulary import UnitKind

if TYPE_CHECKING:
    from orchestrator.tuning.trial.consent import Request


def start_run(
    target: Path | LocatedUnit, options: Options, listener: Listener, *,
    work_dir: str | None = None, issue: str = "", focus: tuple[str, ...] = (), rounds: int = 5,
    allowed: "Request | None" = None,
) -> Run:  # fmt: skip
    """Create a run that tunes a skill or another unit in at most `rounds` rounds, and drive it until it ends or pauses.

    allowed: what the user allows the run's trial to do, or None if there is no trial. Raises Refused if the last run of
    the unit was stopped before its trial, which decides whether its fixes are kept. Also raises Refused if an
    improvement was stopped while it applied its edits. Raises Interrupted after Ctrl-C, once the run exists.
    """
    if isinstance(target, LocatedUnit):
        kind, root, file = target.unit.kind, target.root, target.unit.path
    else:
        kind, root, file = UnitKind.SKILL, target, ""
    ensure_startable(root / file)
    case = read_case(root, file)
    folder = choose_work_dir(root / file, work_dir, system_clock())
    store = StateStore(folder)
    store.check_free()
    workspace = Workspace(root, folder, file)
    ensure_empty(folder)
    state = State(
        run_id=folder.resolve().name,
        target_skill=TargetSkill(
            path=str(workspace.unit_path), kind=kind, project=str(workspace.root) if file else None
        ),
        user_issue_description=issue,
        focus_areas=focus,
        options=options,
        max_iterations=rounds,
        work_dir=str(workspace.work_dir),
    )
    try:
        return _create_and_drive(store, workspace, state, listener, case, allowed)
    except KeyboardInterrupt:
        if store.path.exists():
            store.load(read_only=True)
            raise explain_interrupt(store) from None
        raise


def _create_and_drive(
    store: StateStore, workspace: Workspace, state: State, listener: Listener, case: Case, allowed: "Request | None"
) -> Run:
    with workspace.hold(state.run_id) as recovered:
        for recovery in recovered:
            listener.say(recovery.sentence)
        store.create(state)
        if allowed is not None:
            from orchestrator.tuning.trial.consent import save_consent

            save_consent(allowed, workspace.work_dir)
        run = Run(store, workspace, listener, first=None if recovered else case)
        run.drive()
    return run
