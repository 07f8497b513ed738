"""Turn changes of a run's state into events, and events into lines of text."""

from collections.abc import Iterator, Mapping
from typing import Any

from orchestrator.guard.log.event_log import Record
from schemas.codec import to_json
from schemas.records import State

Event = tuple[str, dict[str, Any]]

_EVENT_TEXTS = {
    "run_created": "run {run_id} started",
    "phase_changed": "{before} -> {phase}",
    "action_completed": "{action}: {result}",
    "action_failed": "{action}: {message}",
    "run_paused": "waiting for {pause}",
    "run_continued": "continued after {pause}",
    "fix_proposed": "{fix} {strategy}",
    "fix_selected": "{fix} {strategy}",
    "fix_applied": "{fix} {strategy}",
    "fix_refused": "{fix} {strategy}: {reason}",
    "fix_rolled_back": "{fix} {strategy}: {reason}",
    "state_recovered": "{note}",
}


def list_events(old: State, new: State, added: Mapping[str, Any]) -> Iterator[Event]:
    """Yield the events of a state change.

    added: the new entries of the lists that the state truncates (`action_history`, `errors`).
    """
    for entry in added.get("action_history", ()):
        yield "action_completed", entry
    for entry in added.get("errors", ()):
        yield "action_failed", entry
    yield from _list_fix_events(old, new)
    if new.pause is not old.pause:
        event = "run_paused" if new.pause else "run_continued"
        yield event, {"pause": to_json(new.pause or old.pause)}
    if new.phase is not old.phase:
        values = {"before": to_json(old.phase)}
        if new.rounds and new.rounds[0].measured:
            values |= {"score": new.quality_score, "gate": to_json(new.quality_gate)}
        yield "phase_changed", values


def format_event(record: Record) -> tuple[str, str] | None:
    """Return the name and the text of a run's event. Returns None for other events."""
    text = _EVENT_TEXTS.get(record["event"])
    if text is None:
        return None
    measured = " (score {score}, gate {gate})" if "score" in record["data"] else ""
    return record["event"], f"{text}{measured}".format_map(_Values(record["data"]))


def _list_fix_events(old: State, new: State) -> Iterator[Event]:
    if new.proposed_fixes is old.proposed_fixes:
        return
    before = {fix.id: fix.status for fix in old.proposed_fixes}
    for fix in new.proposed_fixes:
        if before.get(fix.id) is not fix.status:
            yield f"fix_{fix.status}", {"fix": fix.id, "strategy": fix.strategy, "reason": fix.reason}


class _Values(dict[str, Any]):
    """Values for `format_map`. A missing value becomes "?"."""

    def __missing__(self, key: str) -> str:
        return "?"
