"""Start a new run: create its work dir and first state, and continue until it ends or pauses."""

from pathlib import Path
from typing import TYPE_CHECKING

from orchestrator.project.skill_reader import read_skill
from orchestrator.run.listener import Listener
from orchestrator.run.run import Run
from orchestrator.run.store import StateStore, system_clock
from orchestrator.run.work_dirs import new_work_dir
from orchestrator.run.workspace.workspace import Workspace
from schemas.options import Options
from schemas.records import State, TargetSkill

if TYPE_CHECKING:
    from orchestrator.tuning.trial.consent import Request


def begin(
    skill: Path, options: Options, listener: Listener, *,
    work_dir: str | None = None, issue: str = "", focus: tuple[str, ...] = (), rounds: int = 5,
    allowed: "Request | None" = None,
) -> Run:  # fmt: skip
    """Tune the skill in a folder, in at most `rounds` rounds, until the run ends or pauses.

    allowed: what the user allowed for the trial of the run; without it there is no trial.
    """
    read_skill(skill)
    place = new_work_dir(skill, work_dir, system_clock())
    store = StateStore(place)
    store.check_free()
    workspace = Workspace(skill, place)
    state = State(
        run_id=place.resolve().name,
        target_skill=TargetSkill(path=str(workspace.root)),
        user_issue_description=issue,
        focus_areas=focus,
        options=options,
        max_iterations=rounds,
        work_dir=str(workspace.work_dir),
    )
    run = Run(store, workspace, listener)
    with workspace.hold(state.run_id) as recovered:
        for recovery in recovered:
            listener.say(recovery.sentence)
        store.create(state)
        if allowed is not None:
            from orchestrator.tuning.trial.consent import save_consent

            save_consent(allowed, workspace.work_dir)
        run.go()
    return run
