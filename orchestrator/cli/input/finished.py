"""Find a finished trial or trigger test by its id, so that `report` can show its result again."""

from pathlib import Path

from orchestrator.cli.output.results import TrialResult, TriggerResult


def find_result(name: str | None) -> TrialResult | TriggerResult | None:
    """Return the result of this user's trial or trigger test with the id or folder `name`; None if there is none."""
    from orchestrator.tuning.trial.folders import FOLDER, list_plans, read_result
    from orchestrator.tuning.trigger.sealed import FOLDER as TRIGGERS

    id = Path(name or "").name
    for kind, schema, wrap in ((FOLDER, "trial", TrialResult), (TRIGGERS, "trigger", TriggerResult)):
        for folder, _ in list_plans(kind):
            if folder.name == id and (value := read_result(folder, schema)):
                return wrap(value)
    return None
