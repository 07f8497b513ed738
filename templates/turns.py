"""What hooks say and write at every turn, without Jinja: to import it would cost more than all else that they do."""

from collections.abc import Mapping, Sequence
from typing import Any

from templates.filters import counted, prose

_LET_GO = {
    "user_confirmed": "the user says that the work is done",
    "pull_request_merged": "its pull request was merged",
    "work_merged": "what it committed is part of the remote's default branch, and nothing is left in the tree",
    "work_pushed": "what it committed is pushed, and nothing is left in the tree",
    "state_not_saved": "how often it was held could not be written down",
    "stall": "the count of its stops does not go forward",
    "oscillation": "the count of its stops goes up and down",
    "failure_rate": "its state could too often not be written",
    "loop_detected": "the same things were met three times",
    "block_limit_reached": "the session was held as often as it may be",
}


def awareness(tool: str, *, time: Mapping[str, Any], breadcrumb: str, budget: Any, auto: bool, **_: object) -> str:
    """Give time, place and token budget (`window`, `percent_left`) for the model; at a tool, its name first."""
    return (
        f"{f'{prose(tool)} | ' if tool else ''}{time['day_of_week']}, {time['date']} {time['timestamp_formatted']} "
        f"({time['time_of_day']}) | {breadcrumb} | {budget.percent_left} % of {budget.window} tokens left | "
        f"AUTO_MODE {'on' if auto else 'off'}"
    )


def drive(time: Mapping[str, Any], number: int, duration: str, total: str, delegations: int) -> str:
    """Give the figures of a drive that ended."""
    more = f", {counted(delegations, 'delegation')}" if delegations else ""
    return f"{time['timestamp_formatted']} | Drive {number} took {duration} ({total} in all{more})."


def delegations(time: Mapping[str, Any], counts: Mapping[str, int]) -> str:
    """Give how often each kind of sub-agent worked in a session."""
    told = ", ".join(f"{prose(kind)} {count}" for kind, count in counts.items())
    known = f"Sub-agents in this session: {told}" if told else "No sub-agent worked in this session yet."
    return f"{time['timestamp_formatted']} | {known}"


def modified(files: int, compliant: bool, quality: int, threshold: int) -> str:
    """Give what a session did to files, and whether its work was followed to the end and is good."""
    if not files:
        return "No files were modified."
    told = f"{counted(files, 'file')} {'was' if files == 1 else 'were'} modified"
    if not compliant:
        return f"{told}, but the workflow was not followed to its end."
    if quality < threshold:
        return f"{told}; the quality score is {quality} (below {threshold}). Look at the changes once more."
    return f"{told}, the quality score is {quality}. Nothing is open."


def summary(message: str, kind: str, results: Sequence[Any], sources: Mapping[str, int], reasons: Sequence[str]) -> str:
    """Give the page of a session that may stop. `results` have id, severity, satisfied, reason and applicable."""
    why = next((f"Let go although something is open: {told}.\n\n" for id, told in _LET_GO.items() if id in reasons), "")
    words = {None: "unknown", True: "yes", False: "no"}
    asked = [result for result in results if result.applicable]
    rows = [f"| {prose(r.id)} | {r.severity} | {words[r.satisfied]} | {prose(r.reason)} |\n" for r in asked]
    return (
        f"# Session summary\n\n{message}\n\n{why}"
        f"Type: {kind}. Answers: {sources['sdk']} by the judge, {sources['heuristic']} from the records, "
        f"{sources['none']} by nobody.\n\n"
        f"| Consideration | Severity | Satisfied | Why |\n|---|---|---|---|\n{''.join(rows)}"
    )
