"""Remember whether this user lets the MCP server ask a model with the login of their Claude Code."""

import os
from dataclasses import dataclass
from pathlib import Path

from orchestrator.fs.home import claude_folder
from orchestrator.fs.notes import get_note_file, read_record, write_note
from orchestrator.fs.paths import real
from orchestrator.model.environment import find_receiver
from schemas.options import MAX_COST_USD

_KIND = "asks-model"


@dataclass(frozen=True)
class _Note:
    """The user's answer; it counts for the receiver of the texts that was named to them."""

    receiver: str
    allowed: bool


def read_consent() -> bool | None:
    """Return the user's answer; None if they were not asked about the present receiver."""
    note = read_record(_KIND, _subject(), _Note)
    return note.allowed if note and note.receiver == find_receiver(os.environ) else None


def save_consent(allowed: bool) -> None:
    """Remember the user's answer. Raises WriteFailed."""
    write_note(_KIND, _subject(), _Note(find_receiver(os.environ), allowed))


def describe_request() -> str:
    """Return the question to the user: who gets what, at which price, and how to take the answer back."""
    return (
        f"May tune-skill ask {find_receiver(os.environ)}'s model itself, with the login of this Claude Code? That "
        "takes a fraction of the tokens that agents of this session need. The skill, and files of the project that the "
        f"model asks for, are sent; a run costs at most {MAX_COST_USD:.2f} USD. Without it, agents of this session "
        f"read. The answer is kept in {get_note_file(_KIND, _subject()).parent}; delete that folder to be asked again."
    )


def _subject() -> Path:
    return real(claude_folder())
