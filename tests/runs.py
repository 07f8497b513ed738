"""Read the history, fixes, journal and log of a run."""

import json

from msgspec.structs import replace

from actions.steps import table
from orchestrator.guard.log.events import open_project_log

ACTIONS_OF_ROUND = [
    "action-init",
    "action-analyze-requirements",
    "action-begin-round",
    "action-diagnose-context",
    "action-diagnose-memory",
    "action-diagnose-dataflow",
    "action-diagnose-agent",
    "action-diagnose-docs",
    "action-diagnose-token_consumption",
    "action-verify",
    "action-propose-fixes",
    "action-select-fixes",
]
"""The actions of a round, up to the selection."""


def wrap_actions(change, name=None):
    """Return the rows of a run's table, with the function `act` of one action (or of all) replaced by `change(act)`."""
    return tuple(
        replace(row, action=replace(row.action, act=change(row.action.act)))
        if row.action and name in (None, row.action.name)
        else row
        for row in table.TABLE
    )


def list_actions(run):
    return [entry.action for entry in run.store.state.action_history]


def map_statuses(run):
    return {f.id: f.status.value for f in run.store.state.proposed_fixes}


def read_journal(work):
    """Return (fix, outcome) of each journal entry, in order."""
    entries = {}
    for line in (work / "journal.jsonl").read_text().splitlines():
        record = json.loads(line)
        number = record["number"]
        entries[number] = (record["fixes"][0], "open") if "fixes" in record else (entries[number][0], record["outcome"])
    return list(entries.values())


def read_events(work):
    """Return the log entries of the run, oldest first."""
    return [e for e in open_project_log().read() if e["data"].get("run_id") == work.name]


def read_phases(work):
    """Return the phases in the log, in order, without immediate repetitions."""
    logged = [e["data"]["phase"] for e in read_events(work)]
    return [p for n, p in enumerate(logged) if n == 0 or p != logged[n - 1]]
