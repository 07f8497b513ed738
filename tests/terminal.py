"""Run the command in a process with a terminal."""

import os
import pty
import select
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).parents[1]
COMMAND = [sys.executable, str(ROOT / "tune_skill.py")]


class Terminal:
    """A process with a terminal for stdin and stderr; stdout is a pipe."""

    def __init__(self, project: Path, *arguments: str, **environment: str) -> None:
        self.master, slave = pty.openpty()
        env = {**os.environ, "TERM": "xterm", **environment}
        self.process = subprocess.Popen(
            [*COMMAND, *arguments], cwd=project, stdin=slave, stderr=slave, stdout=subprocess.PIPE, env=env
        )
        os.close(slave)
        self.output = b""

    def wait_for(self, words: bytes) -> None:
        deadline = time.monotonic() + 60
        while words not in self.output:
            assert time.monotonic() < deadline, self.output
            ready, _, _ = select.select([self.master], [], [], 1)
            if ready:
                self.output += os.read(self.master, 4096)

    def type(self, keys: bytes) -> None:
        os.write(self.master, keys)

    def interrupt(self) -> int:
        """Send Ctrl-C until the process ends, because a new prompt may miss the first one; return the exit code."""
        for _ in range(10):
            time.sleep(0.5)
            self.process.send_signal(signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(10)
                break
        return self.wait_for_end()

    def wait_for_end(self) -> int:
        try:
            self.process.communicate(timeout=60)
        finally:
            self.process.kill()
            self.process.communicate()
            os.close(self.master)
        return self.process.returncode

    def read_all(self) -> bytes:
        """Return everything that the terminal showed until the process ended."""
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            ready, _, _ = select.select([self.master], [], [], 0.1)
            if not ready and self.process.poll() is not None:
                break
            try:
                self.output += os.read(self.master, 4096) if ready else b""
            except OSError:  # how Linux reports a closed terminal
                break
        return self.output
