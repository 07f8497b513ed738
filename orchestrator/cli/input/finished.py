"""Find a finished trial or trigger test by its id, so that `report` can show its result again."""

import os
from pathlib import Path
from typing import Any

from orchestrator.cli.output.results import TrialResult, TriggerResult
from orchestrator.cli.output.text import safe, warn
from orchestrator.cli.output.write import write_result
from orchestrator.errors import BadInput
from orchestrator.fs.home import parse_path
from schemas.records import State


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


def find_unseen(what: str, key: str, kind: str) -> dict[str, Any] | None:
    """Return the result of the same trial or trigger test if it has ended but was not shown, or None.

    An earlier command may have been killed before it could show the result, or did not record it (before 0.2.0). If the
    result was shown, report that this command pays for a new one. what: "trial" or "trigger test". kind: the folder
    that contains the trials.
    """
    from orchestrator.tuning.trial.folders import find_finished, is_shown

    found = find_finished(key, kind, what.split()[0])
    if found is None:
        return None
    folder, result = found
    ended = f"the same {what} has ended and cost {result['cost']['usd']:.2f} USD"
    if is_shown(folder, result):
        warn(safe(f"{ended}; `tune-skill report {folder.name}` shows its result, this command pays for a new one"))
        return None
    unseen = "its result may not have been shown, so nothing is run; repeat the command to pay for a new one"
    warn(safe(f"{ended}, and {unseen}"))
    return result


def show(result: TrialResult | TriggerResult, format_: str, output: str | None) -> None:
    """Write the result of a trial or trigger test, and record that the user has seen it."""
    from orchestrator.tuning.trial.folders import mark_shown

    write_result(result, format_, output)
    mark_shown(parse_path(result.value["folder"]), result.value)


def mark_trial_of_run(state: State) -> None:
    """Record that the user has seen the result of a run's trial, because the result of the run was printed."""
    from orchestrator.tuning.trial.folders import mark_shown, read_result

    if trial := state.trial:
        folder = parse_path(trial.folder)
        result = read_result(folder, "trial")
        if result is not None and result["cost"]["usd"] == trial.usd:  # not that of a later, higher limit
            mark_shown(folder, result)


def warn_of_change(result: TrialResult | TriggerResult) -> None:
    """Print how to undo a description that a trigger test wrote, if the skill still has it."""
    from orchestrator.tuning.trigger.writing import describe_undo

    if isinstance(result, TriggerResult) and (undo := describe_undo(parse_path(result.value["folder"]))):
        warn(safe(undo))
