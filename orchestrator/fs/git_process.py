"""Run git as a process with limits on time and output."""

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryFile
from threading import Timer
from typing import IO

from orchestrator.errors import BadInput
from orchestrator.fs.git_silence import NoAnswer

SECONDS = 30
"""Time limit of a command, because git waits forever if one of its files is a pipe."""
MAX_BYTES = 32_000_000
"""Maximum output of git, enough for 300,000 files. A hostile repository can list billions of paths."""
_MAX_ERROR_BYTES = 10_000


def run_git(words: Sequence[str], folder: Path, environment: Mapping[str, str]) -> bytes:
    """Run git and return its output, even for exit code 1. Raises BadInput, which names `folder`, if it fails."""
    with _open_errors() as errors:
        try:
            process = subprocess.Popen(
                words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors, env=environment
            )
        except OSError as error:
            raise BadInput(f"git cannot be started: {error.strerror}; install git") from None
        output = _read_output(process, folder)
        if process.returncode in (0, 1):
            return output
        errors.seek(0)
        lines = errors.read(_MAX_ERROR_BYTES).decode("utf-8", "replace").splitlines() or [
            f"exit code {process.returncode}"
        ]
    raise BadInput(f"{folder}: git failed: {lines[-1]}")


def _open_errors() -> IO[bytes]:
    """Open a file for git's error messages. On a full disk they are lost, but git still runs."""
    try:
        return TemporaryFile()
    except OSError:
        return Path(os.devnull).open("rb+")


def _read_output(process: "subprocess.Popen[bytes]", folder: Path) -> bytes:
    """Return the output of a process. Beyond the limit of time or size, kill it and raise BadInput."""
    timer = Timer(SECONDS, process.kill)
    timer.start()
    try:
        with process:
            output = process.stdout.read(MAX_BYTES + 1) if process.stdout else b""
            if len(output) > MAX_BYTES:
                process.kill()
    finally:
        timer.cancel()
    if len(output) > MAX_BYTES:
        raise BadInput(f"{folder}: git printed more than {MAX_BYTES:,} bytes")
    if process.returncode == -signal.SIGKILL:
        raise NoAnswer(f"{folder}: git did not answer within {SECONDS} s; check the repository's settings")
    return output
