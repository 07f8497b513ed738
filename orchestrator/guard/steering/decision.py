"""From an analysis and the steering state to the decision: approve, or hold the session with guidance."""

import hashlib
from collections.abc import Sequence
from typing import Any

import msgspec

from actions.session.judging import area
from actions.session.session import Session
from orchestrator.guard.steering.diagnostics import timestamp
from orchestrator.guard.steering.results import Analysis
from orchestrator.limits import MAX_CONSECUTIVE_BLOCKS
from templates import render, turns

SAME_FAILURES = 3
"""Times the same set of failures is met before the session is let go."""

QUALITY = 70
"""Percent of applicable considerations from which the quality is called good."""

_HISTORY = 20
_COMPLIANCE = ("workflow", "testing", "ci")

State = dict[str, Any]


class Decision(msgspec.Struct, frozen=True):
    """`reasons`: what blocks, or why it is approved all the same. `state` is what to save."""

    approve: bool
    reasons: list[str]
    state: State


def decide(analysis: Analysis, session: Session, state: State, let_go: Sequence[str] = ()) -> Decision:
    """Decide, and return the state that follows. `let_go` says why the session may go although something is open."""
    failed = sorted(result.id for result in analysis.failed_blockers)
    checked = {**state, "last_check_timestamp": timestamp(), "check_results": check_results(analysis, session)}
    calm = {**checked, "consecutive_blocks": 0, "failure_fingerprints": [], "addressed": []}
    if not failed:
        return Decision(True, [], calm)
    if let_go:
        return Decision(True, [*let_go, *failed], calm)
    if state["consecutive_blocks"] >= MAX_CONSECUTIVE_BLOCKS.value:
        return Decision(True, ["block_limit_reached", *failed], calm)
    marks = [*_texts(state["failure_fingerprints"]), fingerprint(failed)][-SAME_FAILURES:]
    if len(marks) == SAME_FAILURES and len(set(marks)) == 1:
        return Decision(True, ["loop_detected", *failed], calm)
    return Decision(False, failed, _held(checked, failed, marks))


def _held(state: State, failed: list[str], marks: list[str]) -> State:
    count = state["consecutive_blocks"] + 1
    history = state["block_history"] if isinstance(state["block_history"], list) else []
    return {
        **state,
        "consecutive_blocks": count,
        "failure_fingerprints": marks,
        "block_history": [*history, {"timestamp": timestamp(), "block": count, "failed": failed}][-_HISTORY:],
        "addressed": sorted({*_texts(state["addressed"]), *(id for id in last_failed(state) if id not in failed)}),
    }


def last_failed(state: State) -> list[str]:
    """Return what the last block was for; [] when the session is not held."""
    history = state.get("block_history")
    if not state.get("consecutive_blocks") or not isinstance(history, list) or not history:
        return []
    return _texts(history[-1].get("failed")) if isinstance(history[-1], dict) else []


def fingerprint(failed: list[str]) -> str:
    """Return the mark of a set of failures."""
    return hashlib.sha256("\0".join(sorted(failed)).encode()).hexdigest()[:16]


def check_results(analysis: Analysis, session: Session) -> dict[str, Any]:
    """Return files_modified, workflow_compliant and quality_score (percent of what counts and is known)."""
    counting = [r for r in analysis.results.values() if r.applicable and r.satisfied is not None]
    good = sum(r.satisfied is True for r in counting)
    return {
        "files_modified": sorted({edit.path for edit in session.edits}),
        "workflow_compliant": not any(area(r.category) in _COMPLIANCE for r in analysis.failed_blockers),
        "quality_score": round(100 * good / len(counting)) if counting else 100,
    }


def customize_message(results: dict[str, Any]) -> str:
    """Return the message of one of four cases: nothing modified, workflow not followed, low quality, all good."""
    files = results.get("files_modified")
    count = len(files) if isinstance(files, list) else 0
    return turns.modified(count, bool(results.get("workflow_compliant")), results.get("quality_score", 0), QUALITY)


def guidance(analysis: Analysis, state: State) -> str:
    """Return what the agent is told when the session is held: what was found, where, what to do."""
    return render(
        "steering/guidance.md",
        failed=analysis.failed_blockers,
        warnings=analysis.failed_warnings,
        block=state["consecutive_blocks"],
        most=MAX_CONSECUTIVE_BLOCKS.value,
        addressed=_texts(state["addressed"]),
    )


def summary(analysis: Analysis, state: State, reasons: list[str]) -> str:
    """Return the page of an approved session."""
    message, results = customize_message(state["check_results"]), list(analysis.results.values())
    return turns.summary(message, analysis.session_type, results, analysis.sources, reasons)


def _texts(value: object) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []
