"""Remove the temporary files that killed hooks and commands left in tune-skill's folders of a project."""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from orchestrator.fs.durable import remove_old_temp_files
from orchestrator.guard.compaction.events import get_runtime_dir
from orchestrator.guard.sessions.paths import data_dir

_MAX_SESSIONS = 50
"""Maximum number of session folders that are searched. The start of a session must not wait for all of them."""


def remove_leftovers(root: Path) -> None:
    """Remove old temporary files in tune-skill's folders of a project, and in those of the newest sessions."""
    own, runtime = data_dir(root), get_runtime_dir(root)
    for folder in (own, own / "agents", runtime, *_list_newest(own / "sessions"), *_list_newest(runtime)):
        remove_old_temp_files(folder)


def _list_newest(parent: Path) -> Iterator[Path]:
    """Yield the folders in which a file was written most recently, newest first. Skips links."""
    with suppress(OSError), os.scandir(parent) as entries:
        folders = [(entry.stat().st_mtime_ns, entry.name) for entry in entries if entry.is_dir(follow_symlinks=False)]
        yield from (parent / name for _, name in sorted(folders, reverse=True)[:_MAX_SESSIONS])
