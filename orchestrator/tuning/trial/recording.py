"""Save the transcript of a run, and estimate the run's cost if Claude Code did not report it."""

import os
import re
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from orchestrator.errors import WriteFailed, WriteUnsettled, reason
from orchestrator.fs import durable, nofollow
from orchestrator.tuning.trial.folders import SESSIONS
from orchestrator.tuning.trial.ledger import Key, Ledger
from orchestrator.tuning.trial.sandbox import Sandbox, is_run_folder

_TURN_SHARE = 0.25
"""The estimated cost of one turn, as a share of the amount that is reserved for its run."""

_MAX_BYTES, _MAX_AGENTS = 200_000_000, 200
_FREE_BYTES = 1_000_000
"""The space that transcripts leave free on a disk. A paid run is lost if its line in the ledger has no room."""

NOT_RECORDED = "it was killed or could not be recorded"
"""Why the ledger has no end of a run or query that began. The two cases cannot be distinguished."""

_USED_USD = re.compile(rb'"type":"budget_usd","used":([0-9.eE+-]{1,30})')


def has_transcript(sandbox: Sandbox, session_id: str) -> bool:
    """Return whether a run left a transcript in its sandbox."""
    return _find_transcript(sandbox, session_id) is not None


def get_transcript_file(folder: Path, key: Key) -> Path:
    """Return the file to which the transcript of a run is saved. folder: the folder of the ledger."""
    return folder / SESSIONS / f"{key}.jsonl"


def save_transcript(sandbox: Sandbox, session_id: str, target: Path) -> str:
    """Copy the transcript of a run to `target`, and the transcripts of its sub-agents to a folder next to it.

    Returns the reason if this fails, otherwise "". A full disk does not raise an exception, because the run is
    already paid for. A file is not copied if less than 1 MB of the disk would be left, which the ledger may need.
    """
    transcript = _find_transcript(sandbox, session_id)
    if transcript is None:
        return ""
    try:
        _copy(transcript, target)
        for part in sorted(transcript.with_suffix("").glob("subagents/agent-*"))[:_MAX_AGENTS]:
            _copy(part, target.with_suffix("") / "subagents" / part.name)
    except (OSError, WriteFailed, WriteUnsettled) as error:
        return reason(error)
    return ""


def _copy(file: Path, target: Path) -> None:
    data = nofollow.read(str(file), _MAX_BYTES)
    durable.ensure_dir(target.parent)
    _ensure_room(target, len(data))
    durable.write_bytes(target, data, mode=0o600)


def _ensure_room(target: Path, size: int) -> None:
    """Raise WriteFailed if `size` more bytes at `target` would fill the disk almost completely."""
    disk = os.statvfs(target.parent)
    if disk.f_blocks and disk.f_bavail * disk.f_frsize - size < _FREE_BYTES:  # some network disks report no sizes
        raise WriteFailed(f"cannot write {target}: the last 1 MB of the disk is kept to record paid runs")


def estimate_cost(sandbox: Sandbox, limit: float) -> float:
    """Estimate the cost in USD of a run that did not report it.

    The transcript records the cost after each turn. The estimate is the last of these costs plus one turn, but at most
    `limit`. If the run's home folder is gone, the estimate is `limit`.
    """
    if not (sandbox.home / ".claude").is_dir():
        return limit
    path, used = _find_transcript(sandbox, ""), [0.0]
    with suppress(OSError, ValueError):
        if path is not None:
            used += [float(found) for found in _USED_USD.findall(nofollow.read(str(path), _MAX_BYTES))]
    return min(limit, max(used) + limit * _TURN_SHARE)


def charge_killed_runs(ledger: Ledger) -> None:
    """Record the cost of the runs and queries that a command left unfinished.

    The command was killed, or could not write the ledger. The cost of a run is estimated. The cost of a query is
    the full amount that was reserved for it.
    """
    for key, record in tuple(ledger.started.items()):
        reserved = record["usd"]
        is_query = record.get("is_query", False)  # a query leaves no transcript
        usd = reserved if is_query else estimate_cost(Sandbox(Path(record["folder"])), reserved)
        ledger.record("lost", key, usd, why=NOT_RECORDED)


def remove_leftover(sandbox: Sandbox) -> bool:
    """Remove the sandbox of a killed run. Returns whether it no longer exists."""
    folder = sandbox.base
    return not (is_run_folder(folder) and folder.is_dir() and not folder.is_symlink()) or sandbox.remove()


def describe_unremoved(folders: Iterable[Path]) -> str:
    """Return advice on sandboxes that could not be removed."""
    return (
        f"cannot remove {', '.join(map(str, sorted(folders)))}, left by ended runs; end the processes that use "
        "the files in it, or remove it as the user who owns them"
    )


def _find_transcript(sandbox: Sandbox, session_id: str) -> Path | None:
    found = sorted((sandbox.home / ".claude" / "projects").glob(f"*/{session_id or '*'}.jsonl"))
    return next((path for path in found if nofollow.is_regular(str(path))), None)
