"""The standard streams, there and writable whatever the command was started with."""

import io
import os
import sys
from contextlib import suppress
from typing import Any


def ensure_streams() -> None:
    """Let a closed stream be the null device, and drop what a pipe does not take any more.

    So no file of ours is opened as number 0, 1 or 2, and the exit code of `tune-skill diagnose … | head` says what it
    says without `head`.
    """
    for number in (0, 1, 2):
        _ensure_open(number)
    sys.stdin = sys.stdin or open(0, encoding="utf-8")  # noqa: SIM115 - it is a number, for the whole process
    if sys.stdout is sys.__stdout__:  # else something stands in for it
        sys.stdout = _dropping(1, sys.stdout)
    if sys.stderr is sys.__stderr__:
        sys.stderr = _dropping(2, sys.stderr)


def tell_who_typed(sentence: str) -> None:
    """Say on stderr, at a terminal, who is meant to start a server that would wait in silence."""
    if sys.stdin.isatty():
        sys.stderr.write(f"tune-skill: {sentence}. Ctrl-C ends it.\n")
        sys.stderr.flush()


def _ensure_open(number: int) -> None:
    try:
        os.fstat(number)
    except OSError:
        null = os.open(os.devnull, os.O_RDWR)  # the lowest number that is free, as those below it are open
        os.set_inheritable(null, True)


class _Dropping(io.FileIO):
    """A stream whose reader may leave."""

    def write(self, data: Any, /) -> int:
        """Write, or seem to where nobody reads any more."""
        try:
            return super().write(data) or 0
        except BrokenPipeError:
            return len(memoryview(data).cast("B"))


def _dropping(number: int, old: Any) -> io.TextIOWrapper:
    with suppress(OSError):
        if old:
            old.flush()
    raw = _Dropping(number, "wb", closefd=False)
    lines = bool(old) and bool(old.line_buffering)
    encoding = old.encoding if old else "utf-8"
    return io.TextIOWrapper(io.BufferedWriter(raw), encoding, "backslashreplace", line_buffering=lines)
