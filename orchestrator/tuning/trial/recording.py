"""Save the transcript of a run, and estimate the run's cost if Claude Code did not report it."""

import re
from contextlib import suppress
from pathlib import Path

from orchestrator.fs import durable, nofollow
from orchestrator.tuning.trial.sandbox import Sandbox, is_run_folder

_TURN_SHARE = 0.25
"""The estimated cost of one turn, as a share of the amount reserved for its run."""

_MAX_BYTES, _MAX_AGENTS = 200_000_000, 200
_USED_USD = re.compile(rb'"type":"budget_usd","used":([0-9.eE+-]{1,30})')


def save_transcript(sandbox: Sandbox, session_id: str, target: Path) -> str:
    """Copy the transcripts of a run and its sub-agents to `target` and next to it.

    Return the name of the run's transcript; "" if it is missing or cannot be copied.
    """
    transcript = _find_transcript(sandbox, session_id)
    if transcript is None:
        return ""
    durable.ensure_dir(target.parent)
    with suppress(OSError):
        durable.write_bytes(target, nofollow.read(str(transcript), _MAX_BYTES), mode=0o600)
        for part in sorted(transcript.with_suffix("").glob("subagents/agent-*"))[:_MAX_AGENTS]:
            folder = target.with_suffix("") / "subagents"
            durable.ensure_dir(folder)
            durable.write_bytes(folder / part.name, nofollow.read(str(part), _MAX_BYTES), mode=0o600)
        return target.name
    return ""


def estimate_cost(sandbox: Sandbox, limit: float) -> float:
    """Estimate the cost in USD of a run that did not report it: the cost in its transcript, recorded after each turn,
    plus one turn, at most `limit`. If the run's home folder is gone, return `limit`.
    """
    if not (sandbox.home / ".claude").is_dir():
        return limit
    path, used = _find_transcript(sandbox, ""), [0.0]
    with suppress(OSError, ValueError):
        if path is not None:
            used += [float(found) for found in _USED_USD.findall(nofollow.read(str(path), _MAX_BYTES))]
    return min(limit, max(used) + limit * _TURN_SHARE)


def remove_leftover(sandbox: Sandbox) -> bool:
    """Remove the sandbox of a killed run; return whether it is gone."""
    folder = sandbox.base
    return not (is_run_folder(folder) and folder.is_dir() and not folder.is_symlink()) or sandbox.remove()


def _find_transcript(sandbox: Sandbox, session_id: str) -> Path | None:
    found = sorted((sandbox.home / ".claude" / "projects").glob(f"*/{session_id or '*'}.jsonl"))
    return next((path for path in found if nofollow.is_regular(str(path))), None)
