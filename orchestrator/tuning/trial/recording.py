"""Save the transcript of a run, and estimate its cost if only the transcript shows it."""

import re
from contextlib import suppress
from pathlib import Path

from orchestrator.fs import durable, nofollow
from orchestrator.tuning.trial.sandbox import Sandbox, is_run_folder

_TURN = 0.25
"""The estimated cost of one turn, as a part of the reservation for its run."""

_LARGEST, _AGENTS = 200_000_000, 200
_USED = re.compile(rb'"type":"budget_usd","used":([0-9.eE+-]{1,30})')


def save_transcript(sandbox: Sandbox, session_id: str, target: Path) -> str:
    """Copy the transcript of a run and of its sub-agents; return its name, "" without one."""
    found = _find_transcript(sandbox, session_id)
    if found is None:
        return ""
    durable.ensure_dir(target.parent)
    with suppress(OSError):
        durable.write_bytes(target, nofollow.read(str(found), _LARGEST), mode=0o600)
        for part in sorted(found.with_suffix("").glob("subagents/agent-*"))[:_AGENTS]:
            folder = target.with_suffix("") / "subagents"
            durable.ensure_dir(folder)
            durable.write_bytes(folder / part.name, nofollow.read(str(part), _LARGEST), mode=0o600)
        return target.name
    return ""


def estimate_cost(sandbox: Sandbox, most: float) -> float:
    """Estimate the cost of a run that did not report it: that of its transcript plus one turn, at most `most`.

    Claude Code records the used budget after each turn. If the home of the run is gone, return the whole reservation.
    """
    if not (sandbox.home / ".claude").is_dir():
        return most
    path, used = _find_transcript(sandbox, ""), [0.0]
    with suppress(OSError, ValueError):
        if path is not None:
            used += [float(found) for found in _USED.findall(nofollow.read(str(path), _LARGEST))]
    return min(most, max(used) + most * _TURN)


def remove_leftover(sandbox: Sandbox) -> bool:
    """Remove the sandbox of a run that was killed; return whether it is gone."""
    folder = sandbox.base
    return not (is_run_folder(folder) and folder.is_dir() and not folder.is_symlink()) or sandbox.remove()


def _find_transcript(sandbox: Sandbox, session_id: str) -> Path | None:
    found = sorted((sandbox.home / ".claude" / "projects").glob(f"*/{session_id or '*'}.jsonl"))
    return next((path for path in found if nofollow.is_regular(str(path))), None)
