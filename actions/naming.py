"""How commands name a run, so that the user can paste it."""

import shlex

from schemas.records import State

RUNS = ".workflow/skill-tuning"
"""Where the work dirs of a project's runs are; each is named by its run's id."""


def run_argument(state: State) -> str:
    """Give what a command takes as RUN, quoted for a shell: the id, or the work dir of a run that lives elsewhere."""
    work_dir = state.work_dir or ""
    return shlex.quote(state.run_id if work_dir.endswith(f"/{RUNS}/{state.run_id}") else work_dir)
