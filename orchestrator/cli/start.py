"""What `run` does: makes a work dir, holds the skill, tunes it, and shows what came of it."""

from orchestrator.cli.console import Console
from orchestrator.cli.exits import Exit
from orchestrator.places import new_work_dir
from orchestrator.cli.result import finished
from orchestrator.readers import read_skill, skill_root
from orchestrator.run import Run
from orchestrator.store import StateStore, system_clock
from orchestrator.workspace.workspace import Workspace
from schemas.options import Options
from schemas.records import State, TargetSkill


def start(
    skill: str, options: Options, work_dir: str | None, *,
    issue: str, focus: tuple[str, ...], rounds: int, quiet: bool, pause: bool,
) -> Exit:  # fmt: skip
    """Tune the skill that `skill` names, in at most `rounds` rounds. pause: wait for each answer outside."""
    root = skill_root(skill)
    read_skill(root)
    place = new_work_dir(root, work_dir, system_clock())
    store = StateStore(place)
    store.check_free()
    workspace = Workspace(root, place)
    state = State(
        run_id=place.resolve().name,
        target_skill=TargetSkill(path=str(workspace.root)),
        user_issue_description=issue,
        focus_areas=focus,
        options=options,
        max_iterations=rounds,
        work_dir=str(workspace.work_dir),
    )
    listener = Console(quiet=quiet, ask=options.format == "text", later=pause)
    one = Run(store, workspace, listener)
    with listener, workspace.hold(state.run_id) as recovered:
        for recovery in recovered:
            listener.say(recovery.sentence)
        one.store.create(state)
        one.go()
    return finished(one.store, options.format, with_diffs=not listener.showed_diffs)
