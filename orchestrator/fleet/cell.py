"""A cell: a process that looks at one skill after the other, and ends itself when one takes too long or too much.

    python orchestrator/fleet/cell.py SECONDS MEGABYTES

It reads pickled (look, parcel) pairs on stdin and answers each with one line on stdout: `+` and the record as JSON, or
`!` and why there is none. Nothing answers for a skill that ends the process; who asked sees how it ended.
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
"""The exit code after a skill that needs more memory than it may have."""


def main(seconds: int, megabytes: int) -> None:
    """Answer until stdin ends. The limits hold even when whoever asked is gone: the kernel keeps them."""
    sys.path[0] = str(Path(__file__).resolve().parents[2])
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in the terminal is for who asks
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what anything prints is no answer
    from actions.patterns import all_patterns

    all_patterns()
    gc.disable()  # the records hold no cycles
    with suppress(ValueError, OSError):  # macOS keeps no such limit
        resource.setrlimit(resource.RLIMIT_AS, (megabytes * 1_000_000,) * 2)
    while sys.stdin.buffer.peek(1):  # type: ignore[union-attr]
        signal.alarm(seconds)  # its default action ends the process, whatever Python is doing
        answer = _answer()
        signal.alarm(0)
        out.write(answer + b"\n")
        out.flush()


def _answer() -> bytes:
    from orchestrator.errors import one_line
    from orchestrator.fs.durable import encode_value

    try:
        look, parcel = pickle.load(sys.stdin.buffer)
        return b"+" + encode_value(look(parcel))
    except MemoryError:
        os._exit(OUT_OF_MEMORY)
    except Exception as error:  # noqa: BLE001 - it costs this skill's row, which says so
        return b"!" + one_line(f"internal error: {type(error).__name__}: {error}")[:500].encode()


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
