"""Write a better description into SKILL.md so that the change can be undone byte for byte."""

import json
import shlex
from contextlib import suppress
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path

from actions.lean_hash import hash_bytes
from orchestrator.errors import Refused
from orchestrator.fs import durable, nofollow
from orchestrator.fs.home import parse_path
from orchestrator.tuning.trial.folders import list_plans
from orchestrator.tuning.trigger.held_out import FOLDER

BACKUP, RECORD = "SKILL.md.before", "written.json"
"""The files in a test's folder. The first has the old content, the second the path and digest of the new content."""


@dataclass(frozen=True)
class DescriptionChange:
    """A SKILL.md, and its bytes before and after the change of its description."""

    file: Path
    before: bytes
    after: bytes

    def ensure_unchanged(self) -> None:
        """Raise Refused if the file has changed since this change was computed."""
        if self.file.read_bytes() != self.before:
            raise Refused(f"{self.file} has just changed, so nothing was written; write the description yourself")


def find_change(file: Path, listed: str, description: str) -> DescriptionChange:
    """Return the change of a SKILL.md. listed: its text during the test. Raises Refused if it has changed since."""
    from actions.trigger.candidates import replace_description

    before = file.read_bytes()
    try:
        text = before.decode()
    except UnicodeDecodeError:
        raise Refused(f"{file} is not UTF-8; write the description into it yourself") from None
    changed = replace_description(text, description) if text == listed else None
    if changed is None:
        raise Refused(f"{file} has changed since the test began; write the description into it yourself")
    return DescriptionChange(file, before, changed.encode())


def format_diff(change: DescriptionChange) -> str:
    """Return the change as a diff."""
    before, after = (text.decode().splitlines(keepends=True) for text in (change.before, change.after))
    return "".join(unified_diff(before, after, str(change.file), str(change.file), n=1))


def write_description(change: DescriptionChange, folder: Path) -> Path:
    """Write the new content. Returns the path of a copy of the old content in the test's folder.

    The caller must have locked the skill, because this also removes the temporary files of killed writers. Raises
    Refused if the file was changed in the meantime, and WriteFailed if it cannot be written.
    """
    change.ensure_unchanged()
    durable.remove_temp_files(change.file.parent, change.file.name)
    backup = parse_path(str(folder)) / BACKUP
    durable.write_bytes(backup, change.before, mode=0o600)
    durable.write_json(backup.with_name(RECORD), {"file": str(change.file), "after": hash_bytes(change.after)})
    durable.write_bytes(change.file, change.after, before_rename=change.ensure_unchanged)
    return backup


def describe_undo(folder: Path) -> str:
    """Return a sentence about the description that the test in `folder` wrote, and how to undo the change.

    Returns "" if the test wrote no description, or if the file has changed since. The command may have been killed
    before it printed the sentence.
    """
    with suppress(OSError, ValueError, LookupError, TypeError):
        record = json.loads(nofollow.read(str(folder / RECORD)))
        file = parse_path(record["file"])
        if hash_bytes(file.read_bytes()) == record["after"]:
            return f"{folder.name} has written the description in {file}; {format_undo(folder / BACKUP, file)}"
    return ""


def format_undo(backup: Path, file: Path) -> str:
    """Return advice on how to undo the change of a file."""
    return f"to undo this: cp {shlex.quote(str(backup))} {shlex.quote(str(file))}"


def describe_last_undo(skill: Path) -> str:
    """Return a sentence about the current description if a tuning wrote it, and how to undo the change, or ""."""
    folders = (folder for folder, plan in list_plans(FOLDER) if plan.get("skill") == str(skill))
    return next(filter(None, map(describe_undo, folders)), "")
