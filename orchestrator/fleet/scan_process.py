"""Scan skills one after another in this process, which ends when a skill needs too much time or memory.

    python orchestrator/fleet/scan_process.py SECONDS MEGABYTES

It reads pickled (function, task) pairs from stdin and writes one line for each to stdout: `+` and the record as JSON,
or `!` and the error. If a skill ends the process, nothing is written and the parent sees the exit status.
"""

import gc
import os
import pickle
import resource
import signal
import sys
from contextlib import suppress
from pathlib import Path

OUT_OF_MEMORY = 77
"""The exit code of a process that ran out of memory."""


def main(seconds: int, megabytes: int) -> None:
    """Run tasks until stdin ends.

    The kernel enforces the limits, even if the parent process has ended.
    """
    sys.path[0] = str(Path(__file__).resolve().parents[2])
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # the parent handles Ctrl-C and the end of the terminal
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # other output must not be mistaken for an answer
    from actions.patterns import list_checked_patterns
    from schemas.vocabulary import UnitKind

    list_checked_patterns(UnitKind.SKILL)
    gc.disable()  # the records have no reference cycles
    with suppress(ValueError, OSError):  # macOS has no such limit
        resource.setrlimit(resource.RLIMIT_AS, (megabytes * 1_000_000,) * 2)
    while sys.stdin.buffer.peek(1):  # type: ignore[union-attr]
        signal.alarm(seconds)  # the default action of SIGALRM ends the process even in a C call
        answer = _run_task()
        signal.alarm(0)
        try:
            out.write(answer + b"\n")
            out.flush()
        except BrokenPipeError:  # the parent was killed
            os._exit(0)


def _run_task() -> bytes:
    from orchestrator.errors import one_line
    from orchestrator.fs.durable import encode_value

    try:
        run, task = pickle.load(sys.stdin.buffer)
        return b"+" + encode_value(run(task))
    except MemoryError:
        os._exit(OUT_OF_MEMORY)
    except Exception as error:  # noqa: BLE001 - the error is reported for this skill
        return b"!" + one_line(f"internal error: {type(error).__name__}: {error}")[:500].encode()


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
