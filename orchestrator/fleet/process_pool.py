"""Scan pickled skills in processes with a time limit and a memory limit.

A process that dies is replaced. The pool is called by the threads of this process or by Dask workers.
"""

import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from orchestrator.errors import RunFailed
from orchestrator.fleet.scan_process import OUT_OF_MEMORY
from orchestrator.version import version

Answer = bytes | str
"""The record of a skill as JSON (bytes), or an error (str)."""
ScanPacked = Callable[[str, int, int, Sequence[bytes]], list[Answer]]
"""(version, seconds, megabytes, pickled tasks) -> an answer for each task. All values can be pickled."""

_MAX_ATTEMPTS = 3
"""Maximum number of attempts to scan a skill. Another program or an earlier skill may have ended the process."""
_MAX_SKILLS = 1000
"""Number of skills after which a process is replaced, to free its memory."""


class ProcessPool:
    """A pool of scan processes, one for each thread, which is started at the thread's first call."""

    def __init__(self) -> None:
        self._local = threading.local()
        self._all: set[_Process] = set()
        self._is_closed = False

    def scan_packed(self, caller_version: str, seconds: int, megabytes: int, packed: Sequence[bytes]) -> list[Answer]:
        """Scan skills, each within the limits. Raises RunFailed if the caller has another version of tune-skill."""
        if caller_version != version():
            raise RunFailed(
                f"a worker has tune-skill {version()}, but this is {caller_version}; install the same version on both"
            )
        return [self._scan(task, seconds, megabytes) for task in packed]

    def close(self) -> None:
        """Kill all processes."""
        self._is_closed = True
        for process in tuple(self._all):
            self._end(process)

    def _scan(self, task: bytes, seconds: int, megabytes: int) -> Answer:
        """Scan a skill. If its process dies, try again in a new one unless the skill certainly exceeds a limit."""
        for attempt in range(_MAX_ATTEMPTS):
            process = self._get_process(seconds, megabytes, must_replace=attempt > 0)
            with suppress(OSError):
                if answer := process.ask(task):
                    return answer
            error, is_certain = process.describe_death()
            self._end(process)
            if self._is_closed:
                raise RunFailed("interrupted")
            if is_certain:
                break
        return error

    def _get_process(self, seconds: int, megabytes: int, *, must_replace: bool) -> "_Process":
        """Return the process of this thread, or a new one after many skills or for other limits."""
        process: _Process | None = getattr(self._local, "process", None)
        if process and (must_replace or process.task_count >= _MAX_SKILLS or process.limits != (seconds, megabytes)):
            self._end(process)
        if process not in self._all:
            process = self._local.process = _Process(seconds, megabytes)
            self._all.add(process)
        return process

    def _end(self, process: "_Process") -> None:
        self._all.discard(process)
        process.end()


class _Process:
    """A process that scans one skill after another (`scan_process.py`), each within the limits."""

    def __init__(self, seconds: int, megabytes: int) -> None:
        self.limits, self.task_count = (seconds, megabytes), 0
        script = Path(__file__).with_name("scan_process.py")
        self._process = subprocess.Popen(
            [sys.executable, str(script), str(seconds), str(megabytes)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def ask(self, task: bytes) -> Answer | None:
        """Return the answer to a task. If the process has died, return None or raise OSError."""
        assert self._process.stdin and self._process.stdout
        self.task_count += 1
        self._process.stdin.write(task)
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line.endswith(b"\n"):
            return None
        return line[1:-1] if line.startswith(b"+") else line[1:-1].decode()

    def describe_death(self) -> tuple[str, bool]:
        """Return how the process ended, and whether a retry would fail too.

        It would fail if the process exceeded a limit and had scanned only one skill.
        """
        code, (seconds, megabytes) = self._process.wait(), self.limits
        is_first = self.task_count == 1
        if code == -signal.SIGALRM:
            return f"took longer than {seconds} s", is_first
        if code == OUT_OF_MEMORY:
            return f"needs more than {megabytes} MB of memory", is_first
        how = f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
        return f"the process that diagnosed the skill {how}", False

    def end(self) -> None:
        self._process.kill()
        with suppress(OSError):
            self._process.communicate()


_POOL = ProcessPool()


def scan_packed(caller_version: str, seconds: int, megabytes: int, packed: Sequence[bytes]) -> list[Answer]:
    """Scan skills with the pool of this process, which may be that of a Dask worker."""
    return _POOL.scan_packed(caller_version, seconds, megabytes, packed)
