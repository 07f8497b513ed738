"""Which work dirs are this user's own: one of their runs made them, or they said `trust`.

A clone brings a `.workflow` as it likes, and what stands in it is obeyed by what goes on with a run. So a note in the
user's own state folder, not in the project, says which work dirs count and which skill each may change.
"""

from dataclasses import dataclass
from pathlib import Path

from orchestrator.errors import BadInput, Refused
from orchestrator.fs.notes import WORK_DIRS, note_file, read_note, write_note
from orchestrator.run.workspace.disk import told
from orchestrator.run.workspace.journal import Journal
from orchestrator.run.workspace.paths import is_gits, real
from schemas.codec import from_json, to_json

_MAIN = "SKILL.md"


@dataclass(frozen=True)
class _Note:
    """A work dir, and the one skill that runs in it may change (both real paths)."""

    work_dir: str
    skill: str


def make_known(work_dir: Path, skill: Path) -> None:
    """Note that `work_dir` is the user's own and may change `skill`. Raises WriteFailed."""
    path = real(work_dir)
    with told(f"cannot note {work_dir} in {note_file(WORK_DIRS, path)}"):
        write_note(WORK_DIRS, path, to_json(_Note(str(path), str(real(skill)))))


def is_known(work_dir: Path) -> bool:
    """Whether `work_dir` is the user's own."""
    return skill_of(work_dir) is not None


def ensure_known(work_dir: Path) -> None:
    """Raise Refused for a work dir that is not the user's own."""
    if not is_known(work_dir):
        raise Refused(
            f"{work_dir}: no run of yours made this work dir here (it came with the project, or was moved), so nothing "
            f"is changed by it; when you know what it holds, run `tune-skill trust {work_dir}`"
        )


def skill_for(work_dir: Path, named: str | None) -> Path:
    """Return the skill that the run in a known work dir may change, which its state must name. Raises Refused."""
    skill = skill_of(work_dir)
    if skill != named:
        raise Refused(
            f"{work_dir}: its state names the skill {named}, and the run was made for {skill}; start a new run"
        )
    return usable(work_dir, named)


def usable(work_dir: Path, named: str | None) -> Path:
    """Return the skill that the state in `work_dir` names, when a run may change it. Raises Refused.

    It is the real, absolute path of a folder with a SKILL.md, and all that the journal tells is of it.
    """
    skill = Path(named or "")
    if not skill.is_absolute() or real(skill) != skill:
        raise Refused(f"{work_dir}: its state names the skill {named!r}, which is no real path; start a new run")
    if not (skill / _MAIN).is_file():
        raise BadInput(f"{skill}: there is no such skill folder with a {_MAIN}; put it back there, or start a new run")
    journal = Journal(work_dir / "journal.jsonl", skill)
    for entry in journal.entries():
        where = f"{journal.path}: entry {entry.number}"
        if entry.skill != journal.skill:
            raise Refused(f"{where} is of {entry.skill!r}, not of {skill}; start a new run")
        for step in entry.steps:
            if is_gits(Path(step.file)):
                raise Refused(f"{where} changes {step.file!r}, which is git's; start a new run")
    return skill


def skill_of(work_dir: Path) -> str | None:
    """Return the skill that a work dir of the user's own may change; None for what is none."""
    try:
        note = from_json(_Note, read_note(WORK_DIRS, real(work_dir)))
    except (ValueError, LookupError, TypeError):
        return None
    return note.skill if note.work_dir == str(real(work_dir)) else None
