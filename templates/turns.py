"""Build the texts of hooks that run at every turn. Jinja is not used, because importing it takes too long."""

from collections.abc import Mapping, Sequence
from typing import Any

from templates.filters import counted, prose

_RELEASE_REASONS = {
    "user_confirmed": "the user said that the work is done",
    "pull_request_merged": "its pull request was merged",
    "work_merged": "its commits are on the remote's default branch, and the working tree is clean",
    "work_pushed": "its commits are pushed, and the working tree is clean",
    "state_not_saved": "the number of times it was blocked could not be saved",
    "stall": "the number of its stops does not increase",
    "oscillation": "the number of its stops goes up and down",
    "failure_rate": "writing its state failed too often",
    "loop_detected": "the same items were missing three times",
    "block_limit_reached": "the session was blocked the maximum number of times",
}


def awareness(tool: str, *, time: Mapping[str, Any], breadcrumb: str, budget: Any, auto: bool, **_: object) -> str:
    """Return a line for the model: tool, time, breadcrumb, token budget (`window`, `percent_left`), AUTO_MODE."""
    return (
        f"{f'{prose(tool)} | ' if tool else ''}{time['day_of_week']}, {time['date']} {time['timestamp_formatted']} "
        f"({time['time_of_day']}) | {breadcrumb} | {budget.percent_left} % of {budget.window} tokens left | "
        f"AUTO_MODE {'on' if auto else 'off'}"
    )


def drive(time: Mapping[str, Any], number: int, duration: str, total: str, delegations: int) -> str:
    """Return a line with the duration of a finished drive and the number of its delegations."""
    more = f", {counted(delegations, 'delegation')}" if delegations else ""
    return f"{time['timestamp_formatted']} | Drive {number} took {duration} ({total} in total{more})."


def delegations(time: Mapping[str, Any], counts: Mapping[str, int]) -> str:
    """Return a line that says how often each kind of sub-agent ran in a session."""
    parts = ", ".join(f"{prose(kind)} {count}" for kind, count in counts.items())
    known = f"Sub-agents in this session: {parts}" if parts else "No sub-agent has run in this session yet."
    return f"{time['timestamp_formatted']} | {known}"


def describe_changes(files: int, compliant: bool, quality: int, threshold: int) -> str:
    """Return a line about the modified files of a session, its workflow and its quality."""
    if not files:
        return "No files were modified."
    count = f"{counted(files, 'file')} {'was' if files == 1 else 'were'} modified"
    if not compliant:
        return f"{count}, but the workflow was not completed."
    if quality < threshold:
        return f"{count}; the quality score is {quality} (below {threshold}). Review the changes again."
    return f"{count}, the quality score is {quality}. Nothing is open."


def summary(message: str, kind: str, results: Sequence[Any], sources: Mapping[str, int], reasons: Sequence[str]) -> str:
    """Return the summary of a session that may stop. `results` have id, severity, satisfied, reason and applicable."""
    reason = next((text for id, text in _RELEASE_REASONS.items() if id in reasons), "")
    why = f"The session may stop although something is open: {reason}.\n\n" if reason else ""
    words = {None: "unknown", True: "yes", False: "no"}
    asked = [result for result in results if result.applicable]
    rows = [f"| {prose(r.id)} | {r.severity} | {words[r.satisfied]} | {prose(r.reason)} |\n" for r in asked]
    return (
        f"# Session summary\n\n{message}\n\n{why}"
        f"Type: {kind}. Answers: {sources['sdk']} by the judge, {sources['heuristic']} from the records, "
        f"{sources['none']} unknown.\n\n"
        f"| Consideration | Severity | Satisfied | Why |\n|---|---|---|---|\n{''.join(rows)}"
    )
