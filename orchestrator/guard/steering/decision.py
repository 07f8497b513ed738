"""Decide, from an analysis and the steering state, whether to approve a stop or to block it with guidance."""

from collections.abc import Sequence
from typing import Any

import msgspec

from actions.lean_hash import hash_bytes
from actions.session.judge import classify_category
from actions.session.session import Session
from orchestrator.guard.steering.diagnostics import timestamp
from orchestrator.guard.steering.results import Analysis
from orchestrator.limits import MAX_CONSECUTIVE_BLOCKS
from templates import render, turns

MAX_SAME_FAILURES = 3
"""Number of consecutive stops with the same failures after which the session is allowed to stop."""
MIN_QUALITY = 70
"""Minimum percentage of satisfied considerations for good quality."""
_MAX_HISTORY = 20
_WORKFLOW_CATEGORIES = ("workflow", "testing", "ci")

State = dict[str, Any]


class Decision(msgspec.Struct, frozen=True):
    """A decision on a stop, and the state to save.

    reasons: the failed checks that block the stop. For a stop that was approved despite failed checks, first the
    reasons
    for the approval.
    """

    approve: bool
    reasons: list[str]
    state: State


def decide(analysis: Analysis, session: Session, state: State, reasons_to_stop: Sequence[str] = ()) -> Decision:
    """Decide whether a session is allowed to stop.

    reasons_to_stop: reasons to let the session stop even though checks failed.
    """
    failed = sorted(result.id for result in analysis.failed_blockers)
    new = {**state, "last_check_timestamp": timestamp(), "check_results": build_check_results(analysis, session)}
    approved = {**new, "consecutive_blocks": 0, "failure_fingerprints": [], "addressed": []}
    if not failed:
        return Decision(True, [], approved)
    if reasons_to_stop:
        return Decision(True, [*reasons_to_stop, *failed], approved)
    if state["consecutive_blocks"] >= MAX_CONSECUTIVE_BLOCKS.value:
        return Decision(True, ["block_limit_reached", *failed], approved)
    fingerprints = [*_list_texts(state["failure_fingerprints"]), compute_fingerprint(failed)][-MAX_SAME_FAILURES:]
    if len(fingerprints) == MAX_SAME_FAILURES and len(set(fingerprints)) == 1:
        return Decision(True, ["loop_detected", *failed], approved)
    return Decision(False, failed, _build_blocked_state(new, failed, fingerprints))


def _build_blocked_state(state: State, failed: list[str], fingerprints: list[str]) -> State:
    """Return the state after another block. Checks that failed at the last block, but not now, become addressed."""
    count = state["consecutive_blocks"] + 1
    history = state["block_history"] if isinstance(state["block_history"], list) else []
    addressed = [id for id in _list_last_failed(state) if id not in failed]
    return {
        **state,
        "consecutive_blocks": count,
        "failure_fingerprints": fingerprints,
        "block_history": [*history, {"timestamp": timestamp(), "block": count, "failed": failed}][-_MAX_HISTORY:],
        "addressed": sorted({*_list_texts(state["addressed"]), *addressed}),
    }


def _list_last_failed(state: State) -> list[str]:
    history = state.get("block_history")
    if not state.get("consecutive_blocks") or not isinstance(history, list) or not history:
        return []
    return _list_texts(history[-1].get("failed")) if isinstance(history[-1], dict) else []


def compute_fingerprint(failed: list[str]) -> str:
    """Compute the fingerprint that identifies a set of failures."""
    return hash_bytes("\0".join(sorted(failed)).encode())[:16]


def build_check_results(analysis: Analysis, session: Session) -> dict[str, Any]:
    """Return files_modified, workflow_compliant and quality_score (percentage of known results that are satisfied)."""
    known = [
        result
        for result in analysis.results.values()
        if result.applicable and result.satisfied is not None and not result.failed
    ]
    satisfied = sum(result.satisfied is True for result in known)
    failed_categories = {classify_category(result.category) for result in analysis.failed_blockers}
    return {
        "files_modified": sorted({edit.path for edit in session.edits}),
        "workflow_compliant": failed_categories.isdisjoint(_WORKFLOW_CATEGORIES),
        "quality_score": round(100 * satisfied / len(known)) if known else 100,
    }


def customize_message(results: dict[str, Any]) -> str:
    """Return the message for one of four cases: nothing modified, workflow not followed, low quality, good quality."""
    files = results.get("files_modified")
    count = len(files) if isinstance(files, list) else 0
    return turns.describe_changes(
        count, bool(results.get("workflow_compliant")), results.get("quality_score", 0), MIN_QUALITY
    )


def format_guidance(analysis: Analysis, state: State) -> str:
    """Format the guidance for a blocked session: what was found, where, and what to do."""
    return render(
        "steering/guidance.md",
        failed=analysis.failed_blockers,
        warnings=analysis.failed_warnings,
        block=state["consecutive_blocks"],
        most=MAX_CONSECUTIVE_BLOCKS.value,
        addressed=_list_texts(state["addressed"]),
    )


def format_summary(analysis: Analysis, state: State, reasons: list[str]) -> str:
    """Format the summary of an approved session."""
    message, results = customize_message(state["check_results"]), list(analysis.results.values())
    return turns.summary(message, analysis.session_type, results, analysis.sources, reasons)


def _list_texts(value: object) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []
