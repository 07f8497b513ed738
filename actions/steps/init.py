"""action-init: record the skill and back it up."""

from msgspec.structs import replace

from actions.case import Case
from actions.reporting.unread_files import list_unread_files
from actions.scoring.issues import hash_files
from actions.steps.outcome import Backup, Outcome, Tools
from schemas.records import State
from schemas.vocabulary import UnitKind
from templates.filters import counted


def act(state: State, case: Case, tools: Tools) -> Outcome:
    """Record the skill's name, phases, specs, execution mode and file hashes, and request the backup."""
    skill = case.skill
    is_skill = skill.kind is UnitKind.SKILL
    target = replace(
        state.target_skill,
        name=case.unit.name if case.unit and not is_skill else skill.name,
        execution_mode=skill.execution_mode,
        phases=tuple(file.path for file in skill.phases),
        specs=tuple(file.path for file in skill.specs),
        files=hash_files(skill),
    )
    notes = (*state.notes, *case.settings.notes, *(list_unread_files(skill) if is_skill else ()))
    note = f"{target.name}: {counted(len(skill.files), 'text file')}, {skill.execution_mode}"
    return Outcome(replace(state, target_skill=target, notes=notes), note, Backup())
