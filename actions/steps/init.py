"""action-init: record the skill and back it up."""

from dataclasses import replace

from actions.case import Case
from actions.reporting.unread_files import list_unread
from actions.scoring.issues import hash_files
from actions.steps.outcome import Backup, Outcome, Tools
from schemas.records import State, TargetSkill
from templates.filters import counted


def act(state: State, case: Case, tools: Tools) -> Outcome:
    """Record name, phases, specs and execution mode of the skill; ask for the backup."""
    skill = case.skill
    target = TargetSkill(
        name=skill.name,
        path=state.target_skill.path,
        execution_mode=skill.execution_mode,
        phases=tuple(file.path for file in skill.phases),
        specs=tuple(file.path for file in skill.specs),
        files=hash_files(skill),
    )
    notes = (*state.notes, *case.settings.notes, *list_unread(skill))
    note = f"{skill.name}: {counted(len(skill.files), 'text file')}, {skill.execution_mode}"
    return Outcome(replace(state, target_skill=target, notes=notes), note, Backup())
