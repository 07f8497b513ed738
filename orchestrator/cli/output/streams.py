"""Make the standard streams usable, even if the command was started with some of them closed."""

import io
import os
import sys
from contextlib import suppress
from typing import Any


def ensure_streams() -> None:
    """Replace closed streams with the null device, and drop output to a closed pipe.

    This way no opened file gets descriptor 0, 1 or 2, and `tune-skill diagnose … | head` has the same exit code as
    without `head`.
    """
    for number in (0, 1, 2):
        _ensure_open(number)
    sys.stdin = sys.stdin or open(0, encoding="utf-8")  # noqa: SIM115 - stays open for the whole process
    if sys.stdout is sys.__stdout__:  # otherwise something has replaced it, for example a test
        sys.stdout = _open_dropping(1, sys.stdout)
    if sys.stderr is sys.__stderr__:
        sys.stderr = _open_dropping(2, sys.stderr)


def explain_server(explanation: str) -> None:
    """Print what normally starts this server if stdin is a terminal, where it would otherwise wait silently."""
    if sys.stdin.isatty():
        sys.stderr.write(f"tune-skill: {explanation}. Ctrl-C ends it.\n")
        sys.stderr.flush()


def _ensure_open(number: int) -> None:
    try:
        os.fstat(number)
    except OSError:
        null = os.open(os.devnull, os.O_RDWR)  # gets the lowest free number, which is this one
        os.set_inheritable(null, True)


class _DroppingStream(io.FileIO):
    """A stream that drops output to a closed pipe."""

    def write(self, data: Any, /) -> int:
        """Write, and report success even if the pipe is closed."""
        try:
            return super().write(data) or 0
        except BrokenPipeError:
            return len(memoryview(data).cast("B"))


def _open_dropping(number: int, old: Any) -> io.TextIOWrapper:
    with suppress(OSError):
        if old:
            old.flush()
    raw = _DroppingStream(number, "wb", closefd=False)
    is_line_buffered = bool(old) and bool(old.line_buffering)
    encoding = old.encoding if old else "utf-8"
    return io.TextIOWrapper(io.BufferedWriter(raw), encoding, "backslashreplace", line_buffering=is_line_buffered)
