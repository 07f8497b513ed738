"""Keep room on the disk for what is being paid for, because the disk can fill up before it is written."""

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from orchestrator.errors import TuneSkillError
from orchestrator.fs import nofollow
from orchestrator.fs.append_log import FULL, append
from orchestrator.fs.durable import closing

BYTES = 256 * 1024
"""The room for one question or run: two of the longest answers."""
_PART_BYTES = 64 * 1024
"""How much is given up at once. The rest stays kept for other answers, because other programs fill the disk too."""


class Room:
    """A file that keeps room on the disk. name: its name in the folder of what it is kept for."""

    def __init__(self, folder: Path, name: str = "room") -> None:
        self._path = folder / name

    def keep(self, size: int = BYTES) -> None:
        """Keep at least `size` bytes from now on. Raises OSError if the disk has less."""
        with closing(nofollow.open_file(str(self._path), os.O_WRONLY | os.O_APPEND | os.O_CREAT)) as fd:
            missing = size - os.fstat(fd).st_size
            if missing > 0:
                append(fd, os.urandom(missing), sync=True)  # a disk may compress other bytes

    def write(self, write: Callable[[], None]) -> None:
        """Call `write`. If the disk is full, call it again after each part of the room that is given up.

        Raises its last error, a TuneSkillError or OSError.
        """
        while True:
            try:
                return write()
            except (TuneSkillError, OSError) as error:
                if not (_is_full(error) and self._give_up_part()):
                    raise

    def release(self) -> None:
        """Give up the whole room."""
        with suppress(OSError):
            self._path.unlink(missing_ok=True)

    def _give_up_part(self) -> bool:
        """Make the file smaller. Returns False if there is nothing left to give up."""
        try:
            with closing(nofollow.open_file(str(self._path), os.O_WRONLY)) as fd:
                size = os.fstat(fd).st_size
                os.ftruncate(fd, max(0, size - _PART_BYTES))
        except OSError:
            return False
        return size > 0


def _is_full(error: Exception) -> bool:
    cause = error if isinstance(error, OSError) else error.__cause__
    return isinstance(cause, OSError) and cause.errno in FULL
