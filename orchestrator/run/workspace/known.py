"""Remember which work dirs belong to this user: those that their runs created, or that they trusted.

A cloned project can bring a `.workflow` folder, and resuming a run obeys its contents. Therefore a note in the user's
state folder, not in the project, lists the trusted work dirs and the skill that each may change.
"""

from dataclasses import dataclass
from pathlib import Path

from orchestrator.errors import BadInput, Refused
from orchestrator.fs.notes import WORK_DIRS, note_file, read_note, write_note
from orchestrator.run.workspace.disk import wrap_os_errors
from orchestrator.run.workspace.journal import Journal
from orchestrator.run.workspace.paths import is_in_git, real
from schemas.codec import from_json, to_json

_MAIN = "SKILL.md"


@dataclass(frozen=True)
class _Note:
    """A work dir, and the only skill that its run may change (both real paths)."""

    work_dir: str
    skill: str


def make_known(work_dir: Path, skill: Path) -> None:
    """Note that `work_dir` belongs to the user and may change `skill`. Raises WriteFailed."""
    path = real(work_dir)
    with wrap_os_errors(f"cannot note {work_dir} in {note_file(WORK_DIRS, path)}"):
        write_note(WORK_DIRS, path, to_json(_Note(str(path), str(real(skill)))))


def is_known(work_dir: Path) -> bool:
    """Return whether `work_dir` belongs to the user."""
    return skill_of(work_dir) is not None


def ensure_known(work_dir: Path) -> None:
    """Raise Refused unless `work_dir` belongs to the user."""
    if not is_known(work_dir):
        raise Refused(
            f"{work_dir}: none of your runs created this work dir (it came with the project, or was moved), so it may "
            f"not change anything; if you know its contents, run `tune-skill trust {work_dir}`"
        )


def skill_for(work_dir: Path, named: str | None) -> Path:
    """Return the skill that the run in a known work dir may change. Raises Refused if its state names another."""
    skill = skill_of(work_dir)
    if skill != named:
        raise Refused(
            f"{work_dir}: its state names the skill {named}, but the run was created for {skill}; start a new run"
        )
    return usable(work_dir, named)


def usable(work_dir: Path, named: str | None) -> Path:
    """Return the skill that the state in `work_dir` names if a run may change it. Raises Refused, BadInput.

    It must be the real, absolute path of a folder with a SKILL.md, and all journal entries must be about it.
    """
    skill = Path(named or "")
    if not skill.is_absolute() or real(skill) != skill:
        raise Refused(
            f"{work_dir}: its state names the skill {named!r}, not an absolute path without links; start a new run"
        )
    if not (skill / _MAIN).is_file():
        raise BadInput(f"{skill} has no {_MAIN}; put the skill back there, or start a new run")
    journal = Journal(work_dir / "journal.jsonl", skill)
    for entry in journal.entries():
        where = f"{journal.path}: entry {entry.number}"
        if entry.skill != journal.skill:
            raise Refused(f"{where} belongs to the skill {entry.skill!r}, not to {skill}; start a new run")
        for step in entry.steps:
            if is_in_git(Path(step.file)):
                raise Refused(f"{where} changes {step.file!r}, which belongs to git; start a new run")
    return skill


def skill_of(work_dir: Path) -> str | None:
    """Return the skill that `work_dir` may change; None if the work dir does not belong to the user."""
    try:
        note = from_json(_Note, read_note(WORK_DIRS, real(work_dir)))
    except (ValueError, LookupError, TypeError):
        return None
    return note.skill if note.work_dir == str(real(work_dir)) else None
