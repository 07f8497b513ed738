"""The one place that starts git. A repository may be hostile: nothing that its settings name is ever started.

Only commands that read objects, names and the index are asked: they run no filter, hook, pager or diff program. What
else could start something (a file monitor, a fetch of missing objects) is switched off, and waiting has an end.
"""

import os
import re
import signal
import subprocess
from pathlib import Path
from tempfile import TemporaryFile
from threading import Timer
from typing import Literal

from orchestrator.errors import BadInput
from orchestrator.fs.home import find_program

SECONDS = 30
"""How long git may take for an answer; a pipe in place of a file it reads would hold it for ever."""

MOST = 32_000_000
"""Bytes that git may print: 300,000 files. A few small trees that hold each other name billions."""

_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_ERRORS = 10_000
_SETTINGS = (
    "core.fsmonitor=false",
    f"core.hooksPath={os.devnull}",
    "core.quotePath=false",
    "protocol.allow=never",
    "safe.bareRepository=explicit",
)
_CHANGED = (word for setting in _SETTINGS for word in ("-c", setting))
_OPTIONS = ("--no-pager", "--no-optional-locks", *_CHANGED)
_ENVIRONMENT = {
    "GIT_ALLOW_PROTOCOL": "none",  # weightier than any `protocol.*.allow` of a repository
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}


def ask_git(
    folder: Path,
    command: Literal["cat-file", "check-ignore", "ls-files", "ls-tree", "merge-base", "rev-parse"],
    *arguments: str,
) -> bytes:
    """Return what git prints; b"" when it says no. Raises BadInput when it cannot be asked or comes to no end."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}  # a hook has its own
    git = find_program("git")
    if git is None:
        raise BadInput("git was not found on PATH (relative folders are left out); install git")
    literal = () if command == "check-ignore" else ("--literal-pathspecs",)  # it takes no patterns, nor the option
    words = [git, *_OPTIONS, *literal, "-C", str(folder), command, *arguments]
    with TemporaryFile() as errors:
        try:
            process = subprocess.Popen(
                words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors, env=inherited | _ENVIRONMENT
            )
        except OSError as error:
            raise BadInput(f"git cannot be started: {error.strerror}; install git") from None
        printed = _ended(process, folder)
        if process.returncode in (0, 1):
            return printed
        errors.seek(0)
        lines = errors.read(_ERRORS).decode("utf-8", "replace").splitlines() or [f"it ended with {process.returncode}"]
    raise BadInput(f"{folder}: git says: {lines[-1]}")


def _ended(process: "subprocess.Popen[bytes]", folder: Path) -> bytes:
    """Return what a process prints until it ends, in time and within bounds; else it is killed. Raises BadInput."""
    end = Timer(SECONDS, process.kill)
    end.start()
    try:
        with process:
            printed = process.stdout.read(MOST + 1) if process.stdout else b""
            if len(printed) > MOST:
                process.kill()
    finally:
        end.cancel()
    if len(printed) > MOST:
        raise BadInput(f"{folder}: git prints more than {MOST:,} bytes, too much to read")
    if process.returncode == -signal.SIGKILL:
        raise BadInput(f"{folder}: git did not answer within {SECONDS} s; check its settings there")
    return printed


def working_tree(folder: Path) -> Path:
    """Return the top of the working tree that holds `folder`, which has a `.git`: a folder of another shape is none.

    Raises BadInput outside of git, and where a repository's settings name another folder for its files.
    """
    real = folder.resolve()
    top = next((above for above in (real, *real.parents) if os.path.lexists(above / ".git")), None)
    if top is None:
        raise BadInput(f"{folder}: not in a git repository; name a folder that is in one")
    told = os.fsdecode(ask_git(top, "rev-parse", "--show-toplevel").rstrip(b"\n"))
    if not told or Path(told).resolve() != top:
        raise BadInput(f"{top}: its git settings name another folder for its files, so git is not asked")
    return top


def find_commit(top: Path, rev: str) -> str | None:
    """Return the commit that `rev` names in a working tree; None for none. Raises BadInput as `ask_git`."""
    told = ask_git(top, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{rev}^{{commit}}").strip().decode()
    return told if _COMMIT.fullmatch(told) else None


def is_unignored(path: Path, root: Path) -> bool:
    """Return whether the repository around `root` does not ignore a file; False where git cannot say."""
    try:
        return not ask_git(working_tree(root), "check-ignore", "--no-index", "--", str(path))
    except BadInput:
        return False
