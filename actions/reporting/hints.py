"""What the user can paste: how commands name a run, and how to have a model asked."""

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from schemas.records import State

RUNS = ".workflow/skill-tuning"
"""Where the work dirs of a project's runs are; each is named by its run's id."""
NOT_ASKED = "no model was asked: "
"""How the note begins that says why."""


def quote_run(state: "State") -> str:
    """Return what a command takes as RUN, quoted for a shell: the id, or the work dir of a run that lives elsewhere."""
    work_dir = state.work_dir or ""
    return shlex.quote(state.run_id if work_dir.endswith(f"/{RUNS}/{state.run_id}") else work_dir)


def note_unasked(command: str, count: int, notes: Sequence[str] = ()) -> list[str]:
    """Return the notes; the first says how many patterns were not asked, and why, or with which command they are."""
    if not count:
        return list(notes)
    subject = "1 pattern needs a model and was" if count == 1 else f"{count} patterns need a model and were"
    why = next((note.removeprefix(NOT_ASKED) for note in notes if note.startswith(NOT_ASKED)), "")
    how = why or f"`tune-skill {command} SKILL --judge auto` asks one"
    return [f"{subject} not checked: {how}", *(note for note in notes if not note.startswith(NOT_ASKED))]
