"""Remove the temporary files that killed processes left in the folders of trials, improvements and trigger tests."""

from pathlib import Path

from orchestrator.fs.durable import remove_old_temp_files, remove_temp_files
from orchestrator.fs.own_folders import list_folders

PLAN, SESSIONS = "plan.json", "sessions"
"""The file with the plan, and the folder with the transcripts of runs, which has subfolders for those of sub-agents."""


_FILES = (
    ".gitignore", PLAN, "result.json", "improvement.json", "opened.json", "SKILL.md.before", "written.json",
    "shown",
)  # fmt: skip
"""The files next to the ledger. The names of their temporary files contain a checksum, by which they are found."""


def remove_in_folder(folder: Path) -> None:
    """Remove the temporary files of a trial, improvement or trigger test, and of its folders of transcripts.

    The caller must have locked its ledger.
    """
    remove_temp_files(folder, *_FILES)
    for part in _list_parts(folder)[1:]:
        remove_old_temp_files(part, 0.0)


def remove_in_earlier_folders(kind: str) -> None:
    """Remove old temporary files in the project's folders of a kind, and in the folders above them.

    Otherwise temporary files in finished folders and in folders without a plan would remain. A file is removed only if
    the process that wrote it has certainly ended.
    """
    for parent in list_folders(kind):
        for folder in (parent.parent, parent, *(part for child in parent.glob("*/") for part in _list_parts(child))):
            remove_old_temp_files(folder)


def _list_parts(folder: Path) -> tuple[Path, ...]:
    return folder, folder / SESSIONS, *folder.glob(f"{SESSIONS}/*/subagents/")
