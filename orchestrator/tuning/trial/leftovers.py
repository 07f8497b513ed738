"""Remove the sandboxes that killed commands left in the folder for temporary files.

This does not require that a later command continues a killed one.
"""

import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from orchestrator.errors import Busy, StateDamaged, WriteFailed
from orchestrator.fs.own_folders import is_trusted, list_folders
from orchestrator.model.environment import Say
from orchestrator.tuning.trial.folders import RESULT
from orchestrator.tuning.trial.ledger import FILE, Ledger
from orchestrator.tuning.trial.recording import charge_killed_runs, describe_unremoved, remove_leftover
from orchestrator.tuning.trial.sandbox import Sandbox, list_run_folders

_MAX_UNGRADED_SECONDS = 7 * 24 * 3600
"""How long the sandbox of a paid run without a grade is kept. After that the result of the run stays unknown."""


def remove_leftovers(say: Say) -> None:
    """Record the cost of runs that were killed in this project, and remove their sandboxes.

    This applies to trials, improvements, trigger tests and drafting, unless their command is still running. The
    sandbox of a paid run without a grade is kept for a week, because the run can still be graded if it is
    continued. say: called with one message about all sandboxes that cannot be removed.
    """
    if not list_run_folders():
        return
    failed: list[Path] = []
    for folder in _list_ledger_folders():
        unneeded: set[Path] = set()
        if not (folder / RESULT).exists() and is_trusted(folder):
            with suppress(Busy, StateDamaged, WriteFailed, OSError), Ledger.open(folder, patience=0.0) as ledger:
                charge_killed_runs(ledger)
                unneeded = ledger.unneeded_folders
                failed += [path for path in _list_outdated(ledger) if not remove_leftover(Sandbox(path))]
        # Removing may take long, and the command that continues must not wait for it.
        failed += [path for path in unneeded if not remove_leftover(Sandbox(path))]
    if failed:
        say(describe_unremoved(failed))


def _list_ledger_folders() -> list[Path]:
    return [file.parent for parent in list_folders(".workflow") for file in parent.glob(f"*/*/{FILE}")]


def _list_outdated(ledger: Ledger) -> Iterator[Path]:
    for key, record in ledger.finished.items():
        if key not in ledger.graded and record["folder"]:
            folder = Path(record["folder"])
            with suppress(OSError):
                if time.time() - folder.lstat().st_mtime > _MAX_UNGRADED_SECONDS:
                    yield folder
