"""action-init: know the skill and keep a full copy of it."""

from actions.issues import file_hashes
from actions.model import Case, Skill
from actions.model.skill import NOT_TEXT
from actions.outcome import Backup, Outcome, Tools
from schemas.records import State, TargetSkill

_NAMED = 20


def act(state: State, case: Case, tools: Tools) -> Outcome:
    """Read name, phases, specs and execution mode; ask for the backup."""
    skill = case.skill
    target = TargetSkill(
        name=skill.name,
        path=state.target_skill.path,
        execution_mode=skill.execution_mode,
        phases=tuple(file.path for file in skill.phases),
        specs=tuple(file.path for file in skill.specs),
        files=file_hashes(skill),
    )
    return Outcome(
        changes={"target_skill": target, "notes": (*state.notes, *left_alone(skill))},
        trigger="start",
        note=f"{skill.name}: {len(skill.files)} text files, {skill.execution_mode}",
        effects=(Backup(),),
    )


def left_alone(skill: Skill) -> tuple[str, ...]:
    """Say which files are listed only. Pictures and the like, which nobody expects to be read, are not named."""
    odd = [o for o in skill.opaque if o.reason != NOT_TEXT]
    notes = (*skill.notes, *(f"{o.path}: left alone, {o.reason}" for o in odd[:_NAMED]))
    return (*notes, f"{len(odd) - _NAMED} more files were left alone") if len(odd) > _NAMED else notes
