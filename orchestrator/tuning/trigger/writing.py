"""Write a better description into SKILL.md so that the change can be undone byte for byte."""

from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path

from orchestrator.errors import Refused
from orchestrator.fs import durable
from orchestrator.fs.home import parse_path

BACKUP = "SKILL.md.before"


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
    """Write the new content; return the path of a copy of the old one in the test's folder.

    Raises Refused if the file was changed in the meantime, and WriteFailed.
    """
    change.ensure_unchanged()
    backup = parse_path(str(folder)) / BACKUP
    durable.write_bytes(backup, change.before, mode=0o600)
    durable.write_bytes(change.file, change.after, before_rename=change.ensure_unchanged)
    return backup
