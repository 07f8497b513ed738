"""Build parts of suggested commands: the name of a run, and the option that asks a model."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from schemas.records import State

RUNS = ".workflow/skill-tuning"
"""The folder of a project with the work dirs of its runs. The name of a work dir is the id of its run."""
NOT_ASKED = "no model was asked: "
"""The start of the note with the reason why no model was asked."""
_UNREAD = "the model did not answer every question about the text"


def quote_run(state: "State") -> str:
    """Return the RUN argument of a command, quoted for a shell.

    It is the id of the run, or its work dir if that is not in the usual folder.
    """
    work_dir = state.work_dir or ""
    return quote_argument(state.run_id if work_dir.endswith(f"/{RUNS}/{state.run_id}") else work_dir)


def quote_argument(argument: object) -> str:
    """Return an argument of a command, such as a path, quoted for a shell."""
    from shlex import quote  # slow to load, and only runs need it

    return quote(str(argument))


def note_unasked(command: str, count: int, notes: Sequence[str] = (), *, is_unread: bool = False) -> list[str]:
    """Return the notes, preceded by a note on the number of patterns that were not checked, if there are any.

    This note gives the reason why no model was asked, or the command that asks one. is_unread: whether a model was to
    read the unit and has not read all of it. Other notes say then which questions have no answer, and why.
    """
    if not count:
        return list(notes)
    singular, plural = "1 pattern needs a model and was", f"{count} patterns need a model and were"
    subject = f"{singular if count == 1 else plural} not checked"
    reason = next((note.removeprefix(NOT_ASKED) for note in notes if note.startswith(NOT_ASKED)), "")
    reason = f"{reason or _UNREAD}, so the gate is not pass" if is_unread else reason
    hint = (
        f": {reason}"
        if reason
        else f". To check {'it' if count == 1 else 'them'}: `tune-skill {command} SKILL --judge auto`"
    )
    return [f"{subject}{hint}", *(note for note in notes if not note.startswith(NOT_ASKED))]
