"""Keep git from waiting for pipes: look for pipes among its files, and remember which repositories did not answer."""

import os
import stat
import time
from contextlib import suppress
from pathlib import Path

from orchestrator.errors import BadInput

_FILES = (
    ".gitignore",
    ".gitattributes",
    *(f".git/{name}" for name in ("HEAD", "commondir", "config", "config.worktree", "index", "packed-refs")),
    *(f".git/info/{name}" for name in ("attributes", "exclude")),
    ".git/objects/info/alternates",
)
"""Files that git opens in most commands, and in which it would wait for the other end of a pipe."""
_SECONDS = 600
"""For how long a repository that did not answer is not asked again. Afterwards, it may have been repaired."""
_unanswered: dict[Path, tuple[float, str]] = {}
"""When a repository did not answer, and the error, by its root."""


class NoAnswer(BadInput):
    """A git command was ended, because it exceeded its limit of time."""


def find_silence(top: Path) -> str:
    """Return why git must not be asked about the repository at `top`, or ""."""
    for name in _FILES:
        with suppress(OSError, ValueError):
            if stat.S_ISFIFO(os.stat(f"{top}/{name}").st_mode):  # noqa: PTH116 - called before each command
                return f"{top}: git is not asked, because it would wait for the pipe {name}; remove it"
    since, problem = _unanswered.get(top, (0.0, ""))
    return problem if problem and time.monotonic() - since < _SECONDS else ""


def record_silence(top: Path, error: NoAnswer) -> None:
    """Remember that git did not answer about the repository at `top`."""
    _unanswered[top] = (time.monotonic(), str(error))
