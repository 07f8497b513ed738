"""Record which questions of a run the model did not answer, and why: they are left to agents, and not paid again."""

import json
from contextlib import suppress
from pathlib import Path

from orchestrator.errors import TuneSkillError
from orchestrator.fs import durable, nofollow
from orchestrator.model.memory import FOLDER
from orchestrator.model.query import PROSE

_FILE = "unanswered.json"
"""The file in the folder of the answers, with the notes on questions that were paid, by their ids."""
_notes: dict[Path, dict[str, str]] = {}
"""The notes on all questions that this process asked or could not ask, by the work dir of the run and their ids."""


def read_notes(work_dir: Path) -> dict[str, str]:
    """Return why the model did not answer questions of a run, by their ids."""
    return {**_read_saved(work_dir), **_notes.get(work_dir, {})}


def add_note(work_dir: Path, id: str, why: str, *, was_asked: bool) -> None:
    """Record why a question got no usable answer.

    was_asked: whether it was sent, and so paid. Then no later process asks it again in this run.
    """
    note = describe_failure(why, was_asked=was_asked)
    _notes.setdefault(work_dir, {})[id] = note
    if was_asked:
        with suppress(TuneSkillError, OSError):  # then only this process knows it
            durable.write_json(work_dir / FOLDER / _FILE, {**_read_saved(work_dir), id: note})


def describe_failure(why: str, *, was_asked: bool) -> str:
    """Return the note for the client on why the model did not answer, without words of the model."""
    reason = PROSE if why.startswith(PROSE) else why
    what = f"gave no usable answer ({reason})" if was_asked else f"could not be asked: {reason}"
    return f"the model {what}; let agents answer the questions"


def _read_saved(work_dir: Path) -> dict[str, str]:
    try:
        content = json.loads(nofollow.read(str(work_dir / FOLDER / _FILE)))
    except (OSError, ValueError, RecursionError):
        return {}
    return {str(id): str(note) for id, note in content.items()} if isinstance(content, dict) else {}
