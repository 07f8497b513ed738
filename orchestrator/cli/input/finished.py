"""Find a finished trial or trigger test by its id, so that `report` can show its result again."""

import os
from pathlib import Path

from orchestrator.cli.output.results import TrialResult, TriggerResult
from orchestrator.cli.output.text import safe, warn
from orchestrator.errors import BadInput
from orchestrator.fs.home import parse_path


def find_result(name: str | None) -> TrialResult | TriggerResult | None:
    """Return the result of this user's trial or trigger test with the id or folder `name`, or None.

    Raises BadInput if the test has not ended, or if its result is damaged.
    """
    from orchestrator.tuning.trial.folders import FOLDER, PLAN, RESULT, list_plans, read_result
    from orchestrator.tuning.trigger.held_out import FOLDER as TRIGGERS

    id = Path(name or "").name
    for kind, schema, wrap in ((FOLDER, "trial", TrialResult), (TRIGGERS, "trigger", TriggerResult)):
        for folder, plan in list_plans(kind):
            if folder.name != id:
                continue
            if value := read_result(folder, schema):
                return wrap(value)
            file = folder / RESULT
            problem = "this result is damaged" if os.path.lexists(file) else "there is no result yet"
            if not plan:
                problem += f", and {PLAN} is missing or damaged, so its runs cannot be used again"
            advice = f"start the same {schema} again" if plan else f"move {folder} elsewhere and start a new {schema}"
            raise BadInput(f"{file}: {problem}; {advice}")
    return None


def warn_of_change(result: TrialResult | TriggerResult) -> None:
    """Print how to undo a description that a trigger test wrote, if the skill still has it."""
    from orchestrator.tuning.trigger.writing import describe_undo

    if isinstance(result, TriggerResult) and (undo := describe_undo(parse_path(result.value["folder"]))):
        warn(safe(undo))
