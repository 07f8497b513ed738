"""The recording hooks: a line of the event log, made of the raw bytes of stdin, before anything slow is imported.

    /abs/python -I -S /abs/orchestrator/guard/hooks/entry.py EVENT

It starts at every tool call, so no json, re or pathlib: what stdin holds is not parsed, only put on one line. Who
reads the log validates it.
"""

import os
import sys
import time

RECORDED = {
    "PreToolUse": "tool_call_started",
    "PostToolUse": "tool_call_completed",
    "SubagentStop": "delegation_completed",
    "SessionEnd": "session_ended",
}
"""The hook events that are only recorded, and what they are called in the log."""

_LARGEST = 4_000_000
_ROOT = __file__.rpartition("/orchestrator/")[0]


def main(event: str) -> None:
    """Record one hook event. A user's session never fails by it."""
    if os.environ.get("TUNE_SKILL_JUDGE") == "1":
        return
    sys.path.insert(0, _ROOT)
    given = b""
    try:
        given = sys.stdin.buffer.read()
        record(event, given)
    except Exception as error:  # noqa: BLE001 - handed to the one place that fails open
        from orchestrator.guard.hooks.hook import fail_open

        fail_open(event, error, given)
    try:
        os.write(1, b'{"continue": true}\n')
    except OSError:
        return  # a stdout that takes nothing, or is closed: the session goes on all the same


def record(event: str, given: bytes) -> None:
    """Append what a hook was given. Raises ValueError when it is no object or too large, OSError for the disk."""
    from orchestrator.fs.append_log import append_line
    from orchestrator.fs.project_root import log_path

    given = given.strip()
    if not (given.startswith(b"{") and given.endswith(b"}")):
        raise ValueError(f"stdin holds no JSON object ({len(given)} bytes)")
    if len(given) > _LARGEST:
        raise ValueError(f"stdin holds {len(given)} bytes, too many for the event log")
    path, now = log_path(), time.time()
    crumb = _breadcrumb(given, path, now)
    head = f'{{"timestamp":{now!r},"event":"{RECORDED[event]}","breadcrumb":"{crumb}","data":{{}},"hook_input":'
    append_line(path, head.encode() + given.replace(b"\n", b" ").replace(b"\r", b" ") + b"}")


def _breadcrumb(given: bytes, log: str, now: float) -> str:
    session, prompt = _id(given, b'"session_id"') or "unknown", _id(given, b'"prompt_id"') or "none"
    return f"s_{session}/c_{_cycle(log)}/p_{prompt}/t_{int(now)}"


def _id(given: bytes, key: bytes) -> str:
    """Give the first eight characters of the value of `key`, which stands at the head of a hook's input."""
    word = given[:2000].partition(key)[2].partition(b'"')[2][:8]
    return word.decode() if word.isalnum() else ""


def _cycle(log: str) -> str:
    """Give the cycle from the project's state beside the log; "1" before the first compaction."""
    from orchestrator.fs import nofollow

    try:
        state = nofollow.read(f"{log.rpartition('/')[0]}/agent_state.json", nofollow.SMALL)
        digits = state[:4000].partition(b'"current_cycle_number":')[2].lstrip()[:10].partition(b",")[0].strip()
    except OSError:
        return "1"
    return digits.decode() if digits.isdigit() else "1"


if __name__ == "__main__":
    main(sys.argv[1])
    os._exit(0)  # nothing is buffered, and taking the interpreter down costs as much as the line
