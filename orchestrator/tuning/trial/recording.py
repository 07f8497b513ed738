"""What stays of a run: its transcript, and what it cost where only the transcript can tell."""

import re
from contextlib import suppress
from pathlib import Path

from orchestrator.fs import durable, nofollow
from orchestrator.tuning.trial.sandbox import Sandbox, is_run_folder

_TURN = 0.25
"""The part of what is reserved for a run that one turn of it is guessed to cost, and that is a usual run."""

_LARGEST, _AGENTS = 200_000_000, 200
_USED = re.compile(rb'"type":"budget_usd","used":([0-9.eE+-]{1,30})')


def save_transcript(sandbox: Sandbox, session_id: str, target: Path) -> str:
    """Copy the transcript of a run, with those of its sub-agents; returns its name, "" where the run left none."""
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
    """Return what a run has cost that told nobody: as its transcript counts it, and a turn on the way; at most `most`.

    Claude Code notes what is used of a budget after each turn. Where its home is gone it is all that was reserved.
    """
    if not (sandbox.home / ".claude").is_dir():
        return most
    path, used = _find_transcript(sandbox, ""), [0.0]
    with suppress(OSError, ValueError):
        if path is not None:
            used += [float(found) for found in _USED.findall(nofollow.read(str(path), _LARGEST))]
    return min(most, max(used) + most * _TURN)


def remove_leftover(sandbox: Sandbox) -> bool:
    """Take away the place of a run that was killed; returns whether none is there."""
    folder = sandbox.base
    return not (is_run_folder(folder) and folder.is_dir() and not folder.is_symlink()) or sandbox.remove()


def _find_transcript(sandbox: Sandbox, session_id: str) -> Path | None:
    found = sorted((sandbox.home / ".claude" / "projects").glob(f"*/{session_id or '*'}.jsonl"))
    return next((path for path in found if nofollow.is_regular(str(path))), None)
