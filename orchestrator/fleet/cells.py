"""What an executor runs, in a thread here or in a Dask worker: it asks a cell, and takes another when that one dies."""

import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from orchestrator.errors import RunFailed
from orchestrator.fleet.cell import OUT_OF_MEMORY
from orchestrator.version import version

Answer = bytes | str
"""A record as JSON, or why there is none."""
Examine = Callable[[str, int, int, Sequence[bytes]], list[Answer]]
"""(version, seconds, megabytes, packed skills) -> an answer for each. Plain values, which travel everywhere."""

_TRIES = 3
"""How often a skill whose cell dies gets a fresh one: someone may have killed it, or it died of what came before."""
_LIFE = 1000
"""Skills after which a cell is replaced, whatever it still remembers of them."""


class Cells:
    """The cells of one process: each of its threads has one, started when it is first asked."""

    def __init__(self) -> None:
        self._mine = threading.local()
        self._all: set[_Cell] = set()
        self._closed = False

    def examined(self, of: str, seconds: int, megabytes: int, packed: Sequence[bytes]) -> list[Answer]:
        """Look at skills, each within the limits. Raises RunFailed when `of` is another version of tune-skill."""
        if of != version():
            raise RunFailed(f"a worker has tune-skill {version()}, and this is {of}; install the same on both")
        return [self._examined(parcel, seconds, megabytes) for parcel in packed]

    def close(self) -> None:
        """End all cells, what they are at included."""
        self._closed = True
        for cell in tuple(self._all):
            self._end(cell)

    def _examined(self, parcel: bytes, seconds: int, megabytes: int) -> Answer:
        for number in range(_TRIES):
            cell = self._cell(seconds, megabytes, fresh=number > 0)
            with suppress(OSError):
                if answer := cell.ask(parcel):
                    return answer
            why, certain = cell.death()
            self._end(cell)
            if self._closed:
                raise RunFailed("interrupted")
            if certain:
                break
        return why

    def _cell(self, seconds: int, megabytes: int, *, fresh: bool) -> "_Cell":
        cell: _Cell | None = getattr(self._mine, "cell", None)
        if cell and (fresh or cell.asked >= _LIFE or cell.limits != (seconds, megabytes)):
            self._end(cell)
        if cell not in self._all:
            cell = self._mine.cell = _Cell(seconds, megabytes)
            self._all.add(cell)
        return cell

    def _end(self, cell: "_Cell") -> None:
        self._all.discard(cell)
        cell.end()


class _Cell:
    def __init__(self, seconds: int, megabytes: int) -> None:
        self.limits, self.asked = (seconds, megabytes), 0
        script = Path(__file__).with_name("cell.py")
        self._process = subprocess.Popen(
            [sys.executable, str(script), str(seconds), str(megabytes)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def ask(self, parcel: bytes) -> Answer | None:
        """Give the answer; None, or OSError, when the process died over it."""
        assert self._process.stdin and self._process.stdout
        self.asked += 1
        self._process.stdin.write(parcel)
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line.endswith(b"\n"):
            return None
        return line[1:-1] if line.startswith(b"+") else line[1:-1].decode()

    def death(self) -> tuple[str, bool]:
        """Say how the process ended, and whether another try would end like this: it met a limit at its first skill."""
        code, (seconds, megabytes) = self._process.wait(), self.limits
        first = self.asked == 1
        if code == -signal.SIGALRM:
            return f"took longer than {seconds} s", first
        if code == OUT_OF_MEMORY:
            return f"needs more than {megabytes} MB of memory", first
        return f"its process was killed by signal {-code}" if code < 0 else f"its process ended with {code}", False

    def end(self) -> None:
        self._process.kill()
        with suppress(OSError):
            self._process.communicate()


_HERE = Cells()


def examined(of: str, seconds: int, megabytes: int, packed: Sequence[bytes]) -> list[Answer]:
    """Look at skills with the cells of this process: what a worker on another machine is asked to do."""
    return _HERE.examined(of, seconds, megabytes, packed)
