"""Store whether the user lets the MCP server ask a model with the login of their Claude Code."""

import os
from pathlib import Path

import msgspec

from orchestrator.fs.home import claude_folder
from orchestrator.fs.notes import get_note_file, read_record, write_note
from orchestrator.fs.paths import resolve_links
from orchestrator.model.environment import describe_recipient
from schemas.options import MAX_COST_USD

_KIND = "asks-model"


class _Note(msgspec.Struct, frozen=True):
    """The user's answer. It is valid only for the receiver of the texts about which the user was asked."""

    receiver: str
    allowed: bool


def read_consent() -> bool | None:
    """Return the user's answer. Returns None if the user was not asked about the current receiver."""
    note = read_record(_KIND, _get_note_path(), _Note)
    return note.allowed if note and note.receiver == describe_recipient(os.environ) else None


def save_consent(allowed: bool) -> None:
    """Store the user's answer. Raises WriteFailed."""
    write_note(_KIND, _get_note_path(), _Note(describe_recipient(os.environ), allowed))


def describe_request() -> str:
    """Return the question to the user: who receives what, at what cost, and how to withdraw the answer."""
    recipient = describe_recipient(os.environ)
    return (
        f"May tune-skill itself ask the model, at {recipient}, with the login of this Claude Code? "
        "That takes a fraction of the tokens that agents in this session need. The skill, a digest of the project "
        "(such as other skills, options of scripts, headings of CLAUDE.md), and files of the project that the model "
        f"asks for, are sent; a run costs at most {MAX_COST_USD:.2f} USD. If you decline, agents in "
        "this session read the skill and answer instead. Your choice is kept in "
        f"{get_note_file(_KIND, _get_note_path()).parent}; to be asked again, delete that folder."
    )


def _get_note_path() -> Path:
    return resolve_links(claude_folder())
