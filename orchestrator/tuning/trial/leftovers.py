"""Remove the sandboxes that killed trials left in the folder for temporary files, also if no trial continues them."""

from contextlib import suppress

from orchestrator.errors import Busy, StateDamaged, WriteFailed
from orchestrator.tuning.trial.folders import RESULT, list_plans
from orchestrator.tuning.trial.ledger import Ledger
from orchestrator.tuning.trial.recording import charge_killed_runs, remove_leftover
from orchestrator.tuning.trial.sandbox import Sandbox, list_run_folders


def remove_leftovers() -> None:
    """Charge the killed runs of this project's unfinished trials, and remove their sandboxes.

    A trial that is running is left alone. A paid run that is not graded yet keeps its sandbox, in which the trial
    grades it if it is continued.
    """
    if not list_run_folders():
        return
    for folder, _ in list_plans():
        if not (folder / RESULT).exists():
            with suppress(Busy, StateDamaged, WriteFailed, OSError), Ledger.open(folder) as ledger:
                charge_killed_runs(ledger)
                for unneeded in ledger.unneeded_folders:
                    remove_leftover(Sandbox(unneeded))
