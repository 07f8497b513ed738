"""Record a hook event: append the raw bytes of stdin to the event log, without importing anything slow.

    /abs/python -I -S /abs/orchestrator/guard/hooks/entry.py EVENT

It runs at every tool call, so it does not import json, re or pathlib: stdin is not parsed, only joined into one line.
The code that reads the log validates it.
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
"""Maps the hook events that are only recorded to names of events in the log."""

_MAX_BYTES = 4_000_000
_ROOT = __file__.rpartition("/orchestrator/")[0]


def main(event: str) -> None:
    """Record one hook event. An error never disturbs the user's session."""
    if os.environ.get("TUNE_SKILL_JUDGE") == "1":
        return
    sys.path.insert(0, _ROOT)
    stdin = b""
    try:
        stdin = sys.stdin.buffer.read()
        record(event, stdin)
    except Exception as error:  # noqa: BLE001 - handled by `fail_open`
        from orchestrator.guard.hooks.hook import fail_open

        fail_open(event, error, stdin)
    try:
        os.write(1, b'{"continue": true}\n')
    except OSError:
        return  # if stdout is full or closed, the session continues anyway


def record(event: str, stdin: bytes) -> None:
    """Append a hook's input to the log. Raises OSError.

    Raises ValueError if the input is too large or is not a JSON object.
    """
    from orchestrator.fs.append_log import append_line
    from orchestrator.fs.project_root import get_log_path

    stdin = stdin.strip()
    if not (stdin.startswith(b"{") and stdin.endswith(b"}")):
        raise ValueError(f"stdin is not a JSON object ({len(stdin)} bytes)")
    if len(stdin) > _MAX_BYTES:
        raise ValueError(f"stdin has {len(stdin)} bytes, too many for the event log")
    path, now = get_log_path(), time.time()
    crumb = _build_breadcrumb(stdin, path, now)
    head = f'{{"timestamp":{now!r},"event":"{RECORDED[event]}","breadcrumb":"{crumb}","data":{{}},"hook_input":'
    append_line(path, head.encode() + stdin.replace(b"\n", b" ").replace(b"\r", b" ") + b"}")


def _build_breadcrumb(stdin: bytes, log: str, now: float) -> str:
    session, prompt = _read_id(stdin, b'"session_id"') or "unknown", _read_id(stdin, b'"prompt_id"') or "none"
    return f"s_{session}/c_{_read_cycle(log)}/p_{prompt}/t_{int(now)}"


def _read_id(stdin: bytes, key: bytes) -> str:
    """Return the first eight characters of the value of `key`.

    Returns "" if the key is not near the beginning of the input.
    """
    word = stdin[:2000].partition(key)[2].partition(b'"')[2][:8]
    return word.decode() if word.isalnum() else ""


def _read_cycle(log: str) -> str:
    """Return the current cycle from the project's state file, which is next to the log.

    Returns "1" if no compaction has happened yet.
    """
    from orchestrator.fs import nofollow

    try:
        state = nofollow.read(f"{log.rpartition('/')[0]}/agent_state.json", nofollow.MAX_SMALL_BYTES)
        digits = state[:4000].partition(b'"current_cycle_number":')[2].lstrip()[:10].partition(b",")[0].strip()
    except OSError:
        return "1"
    return digits.decode() if digits.isdigit() else "1"


if __name__ == "__main__":
    main(sys.argv[1])
    os._exit(0)  # nothing is buffered, and a normal exit takes as long as appending the event
