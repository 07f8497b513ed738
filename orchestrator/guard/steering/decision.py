"""Decide from an analysis and the steering state: approve, or block with guidance."""

import hashlib
from collections.abc import Sequence
from typing import Any

import msgspec

from actions.session.judge import classify_category
from actions.session.session import Session
from orchestrator.guard.steering.diagnostics import timestamp
from orchestrator.guard.steering.results import Analysis
from orchestrator.limits import MAX_CONSECUTIVE_BLOCKS
from templates import render, turns

SAME_FAILURES = 3
"""Consecutive stops with the same failures after which the session may stop."""

QUALITY = 70
"""The lowest percentage of satisfied considerations that counts as good quality."""

_HISTORY = 20
_COMPLIANCE = ("workflow", "testing", "ci")

State = dict[str, Any]


class Decision(msgspec.Struct, frozen=True):
    """A decision. `reasons`: what blocks, or why it is approved nevertheless. `state` is to be saved."""

    approve: bool
    reasons: list[str]
    state: State


def decide(analysis: Analysis, session: Session, state: State, reasons_to_stop: Sequence[str] = ()) -> Decision:
    """Decide. `reasons_to_stop` say why the session may stop although blockers failed."""
    failed = sorted(result.id for result in analysis.failed_blockers)
    checked = {**state, "last_check_timestamp": timestamp(), "check_results": build_check_results(analysis, session)}
    cleared = {**checked, "consecutive_blocks": 0, "failure_fingerprints": [], "addressed": []}
    if not failed:
        return Decision(True, [], cleared)
    if reasons_to_stop:
        return Decision(True, [*reasons_to_stop, *failed], cleared)
    if state["consecutive_blocks"] >= MAX_CONSECUTIVE_BLOCKS.value:
        return Decision(True, ["block_limit_reached", *failed], cleared)
    fingerprints = [*_texts(state["failure_fingerprints"]), fingerprint(failed)][-SAME_FAILURES:]
    if len(fingerprints) == SAME_FAILURES and len(set(fingerprints)) == 1:
        return Decision(True, ["loop_detected", *failed], cleared)
    return Decision(False, failed, _build_blocked_state(checked, failed, fingerprints))


def _build_blocked_state(state: State, failed: list[str], fingerprints: list[str]) -> State:
    count = state["consecutive_blocks"] + 1
    history = state["block_history"] if isinstance(state["block_history"], list) else []
    return {
        **state,
        "consecutive_blocks": count,
        "failure_fingerprints": fingerprints,
        "block_history": [*history, {"timestamp": timestamp(), "block": count, "failed": failed}][-_HISTORY:],
        "addressed": sorted({*_texts(state["addressed"]), *(id for id in _last_failed(state) if id not in failed)}),
    }


def _last_failed(state: State) -> list[str]:
    """Return the checks that failed at the last block; [] if the session is not blocked."""
    history = state.get("block_history")
    if not state.get("consecutive_blocks") or not isinstance(history, list) or not history:
        return []
    return _texts(history[-1].get("failed")) if isinstance(history[-1], dict) else []


def fingerprint(failed: list[str]) -> str:
    """Compute the fingerprint that identifies a set of failures."""
    return hashlib.sha256("\0".join(sorted(failed)).encode()).hexdigest()[:16]


def build_check_results(analysis: Analysis, session: Session) -> dict[str, Any]:
    """Return files_modified, workflow_compliant and quality_score (percent of applicable known results)."""
    known = [r for r in analysis.results.values() if r.applicable and r.satisfied is not None and not r.failed]
    good = sum(r.satisfied is True for r in known)
    return {
        "files_modified": sorted({edit.path for edit in session.edits}),
        "workflow_compliant": not any(classify_category(r.category) in _COMPLIANCE for r in analysis.failed_blockers),
        "quality_score": round(100 * good / len(known)) if known else 100,
    }


def customize_message(results: dict[str, Any]) -> str:
    """Return the message of one of four cases: nothing modified, workflow not followed, low quality, all good."""
    files = results.get("files_modified")
    count = len(files) if isinstance(files, list) else 0
    return turns.describe_changes(
        count, bool(results.get("workflow_compliant")), results.get("quality_score", 0), QUALITY
    )


def guidance(analysis: Analysis, state: State) -> str:
    """Return the guidance of a blocked session: what was found, where, what to do."""
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
