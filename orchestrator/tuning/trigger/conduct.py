"""Run a trigger test until it has a result, or continue a test that was stopped."""

from datetime import datetime
from os import environ
from pathlib import Path
from typing import Any

import schemas
from orchestrator.fs import durable
from orchestrator.model.environment import Say, describe_recipient
from orchestrator.tuning.trial.consent import Request, save_consent
from orchestrator.tuning.trial.folders import (
    RESULT,
    create_folder,
    find_stopped,
    read_result,
    report_end_in_interrupt,
)
from orchestrator.tuning.trial.ledger import Ledger
from orchestrator.tuning.trial.leftovers import remove_leftovers
from orchestrator.tuning.trigger.held_out import FOLDER, describe_split
from orchestrator.tuning.trigger.measurement import Measurement
from orchestrator.tuning.trigger.plan import TriggerPlan
from orchestrator.tuning.trigger.result import build_result
from orchestrator.tuning.trigger.tuning import Tuning


def run_trigger(plan: TriggerPlan, now: datetime, say: Say) -> dict[str, Any]:
    """Run a test, or continue one that was stopped or that reached a lower cost limit.

    Returns its result in the format of `trigger.schema.json`. Raises RunFailed if runs keep failing, and Busy if
    another command is running the same test.
    """
    folder = find_stopped(plan.key, FOLDER, "trigger")
    folder = folder or create_folder(plan.skills.subject, now, _describe_plan(plan), FOLDER)
    save_consent(Request({}, max_cost_usd=plan.max_cost_usd), folder)  # a higher limit needs a new consent of the user
    say(f"prompts and descriptions are sent to {describe_recipient(environ)} through Claude Code")
    with report_end_in_interrupt(folder, "test", lambda: read_result(folder, "trigger") is not None):
        return _complete_test(plan, folder, say)


def _complete_test(plan: TriggerPlan, folder: Path, say: Say) -> dict[str, Any]:
    """Run the missing runs of the test in a folder. Save its result if it is complete, and return it."""
    with Ledger.open(folder) as ledger:
        remove_leftovers(say)  # of other tests
        if ledger.finished or ledger.started:
            say(f"continuing {folder}: {len(ledger.finished)} runs are done, {ledger.describe_cost()}")
        test = Tuning(plan, plan.split, folder, ledger, say) if plan.split else Measurement(plan, folder, ledger, say)
        test.run()
        result = build_result(test) | {"tuning": test.describe() if isinstance(test, Tuning) else None}
    schemas.check("trigger", result)
    if not test.why:
        durable.write_json(folder / RESULT, result)
    return result


def _describe_plan(plan: TriggerPlan) -> dict[str, Any]:
    split = {"split": describe_split(plan.split)} if plan.split else {}
    return split | {
        "key": plan.key, "skill": str(plan.skills.path), "arm": plan.arm.value, "model": plan.model,
        "prompts": [prompt.where for prompt in plan.prompts], "runs": plan.runs, "ceiling": plan.max_cost_usd,
    }  # fmt: skip
