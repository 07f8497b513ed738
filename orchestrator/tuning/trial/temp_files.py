"""Remove the temporary files that a kill left in the folder of a trial, an improvement or a trigger test."""

from pathlib import Path

from orchestrator.fs.durable import remove_old_temp_files, remove_temp_files
from orchestrator.fs.own_folders import list_folders

SESSIONS = "sessions"
"""The folder with the transcripts of the runs; those of their sub-agents are in folders below it."""


_FILES = (
    ".gitignore", "plan.json", "result.json", "improvement.json", "opened.json", "SKILL.md.before", "written.json",
)  # fmt: skip
"""The files beside the ledger, whose temporary files are found by the checksum in their names."""


def remove_in_folder(folder: Path) -> None:
    """Remove the temporary files in a folder and among its transcripts; the caller has locked its ledger."""
    remove_temp_files(folder, *_FILES)
    for part in _list_parts(folder)[1:]:
        remove_old_temp_files(part, 0.0)


def remove_of_earlier_folders(kind: str) -> None:
    """Remove the temporary files in the project's folders of a kind, and above them, whose writer has certainly ended.

    This includes the folders that no command opens again: the finished ones, and those without a plan.
    """
    for parent in list_folders(kind):
        for folder in (parent.parent, parent, *(part for child in parent.glob("*/") for part in _list_parts(child))):
            remove_old_temp_files(folder)


def _list_parts(folder: Path) -> tuple[Path, ...]:
    return folder, folder / SESSIONS, *folder.glob(f"{SESSIONS}/*/subagents/")
