"""Write a better description into its SKILL.md, so that the change can be undone byte for byte."""

from difflib import unified_diff
from pathlib import Path

from orchestrator.errors import Refused
from orchestrator.fs import durable
from orchestrator.fs.home import parse_path

BACKUP = "SKILL.md.before"


def find_change(file: Path, listed: str, description: str) -> bytes:
    """Return the new content of a SKILL.md. listed: its text during the test. Raises Refused if it changed since."""
    from actions.trigger.candidates import replace_description

    text = file.read_bytes().decode("utf-8", "replace")
    changed = replace_description(text, description) if text == listed else None
    if changed is None:
        raise Refused(f"{file} changed since the test began; write the description into it yourself")
    return changed.encode()


def format_diff(file: Path, changed: bytes) -> str:
    """Return the change as a diff."""
    before, after = (text.splitlines(keepends=True) for text in (file.read_text("utf-8", "replace"), changed.decode()))
    return "".join(unified_diff(before, after, str(file), str(file), n=1))


def write_description(file: Path, changed: bytes, folder: Path) -> Path:
    """Write the new content; return the path of a copy of the old one in the test's folder. Raises WriteFailed."""
    backup = parse_path(str(folder)) / BACKUP
    durable.write_bytes(backup, file.read_bytes(), mode=0o600)
    durable.write_bytes(file, changed, mode=file.stat().st_mode & 0o777)
    return backup
