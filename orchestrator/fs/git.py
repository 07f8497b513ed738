"""Run git on repositories that may be hostile: no program that their settings name is ever started.

Only commands that read objects, names and the index are run: they start no filter, hook, pager or diff program.
Everything else that could start one (a file monitor, a fetch of missing objects) is disabled. Time is limited.
"""

import os
import signal
import subprocess
from pathlib import Path
from threading import Timer
from typing import IO, Literal

from actions.regex import regex
from orchestrator.errors import BadInput
from orchestrator.fs.home import find_program
from orchestrator.fs.project_root import is_foreign

SECONDS = 30
"""Time limit of a command: git would wait forever if a pipe replaced one of its files."""
MAX_BYTES = 32_000_000
"""Maximum output of git, enough for 300,000 files. A few small nested trees can list billions of paths."""

_COMMIT = regex(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_MAX_ERROR_BYTES = 10_000
_SETTINGS = (
    "core.fsmonitor=false",
    f"core.hooksPath={os.devnull}",
    "core.quotePath=false",
    "protocol.allow=never",
    "safe.bareRepository=explicit",
)
_OVERRIDES = (word for setting in _SETTINGS for word in ("-c", setting))
_OPTIONS = ("--no-pager", "--no-optional-locks", *_OVERRIDES)
_ENVIRONMENT = {
    "GIT_ALLOW_PROTOCOL": "none",  # overrides any `protocol.*.allow` of a repository
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}


def ask_git(
    folder: Path,
    command: Literal["cat-file", "check-ignore", "config", "ls-files", "ls-tree", "merge-base", "rev-parse"],
    *arguments: str,
) -> bytes:
    """Return the output of git, even if its exit code is 1. Raises BadInput if it fails or exceeds a limit."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}  # git hooks set them
    git = find_program("git")
    if git is None:
        raise BadInput("git not found on PATH (relative folders are skipped); install git")
    literal = () if command == "check-ignore" else ("--literal-pathspecs",)  # it rejects the option
    words = [git, *_OPTIONS, *literal, "-C", str(folder), command, *arguments]
    with _open_errors() as errors:
        try:
            process = subprocess.Popen(
                words,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=inherited | _ENVIRONMENT | _keep_index(folder),
            )
        except OSError as error:
            raise BadInput(f"git cannot be started: {error.strerror}; install git") from None
        printed = _read_output(process, folder)
        if process.returncode in (0, 1):
            return printed
        errors.seek(0)
        lines = errors.read(_MAX_ERROR_BYTES).decode("utf-8", "replace").splitlines() or [
            f"exit code {process.returncode}"
        ]
    raise BadInput(f"{folder}: git failed: {lines[-1]}")


def _open_errors() -> IO[bytes]:
    """Open a file for git's error messages. If the disk is full they are lost, but git still runs."""
    from tempfile import TemporaryFile  # slow to load, and needed only in a repository

    try:
        return TemporaryFile()
    except OSError:
        return Path(os.devnull).open("rb+")


def _keep_index(top: Path) -> dict[str, str]:
    """Return the variable that names the index of the commit in progress, if a hook of this working tree set it."""
    index = os.environ.get("GIT_INDEX_FILE", "")
    folder = top / ".git"
    try:
        if index and folder.is_file():
            folder = top / folder.read_text(encoding="utf-8")[:4096].removeprefix("gitdir:").strip()
        is_own = index and Path(index).is_absolute() and Path(index).parent.resolve() == folder.resolve()
    except (OSError, ValueError):
        return {}
    return {"GIT_INDEX_FILE": index} if is_own else {}


def _read_output(process: "subprocess.Popen[bytes]", folder: Path) -> bytes:
    """Return the output of a process; kill it if it exceeds the limits of time or size. Raises BadInput."""
    timer = Timer(SECONDS, process.kill)
    timer.start()
    try:
        with process:
            printed = process.stdout.read(MAX_BYTES + 1) if process.stdout else b""
            if len(printed) > MAX_BYTES:
                process.kill()
    finally:
        timer.cancel()
    if len(printed) > MAX_BYTES:
        raise BadInput(f"{folder}: git printed more than {MAX_BYTES:,} bytes")
    if process.returncode == -signal.SIGKILL:
        raise BadInput(f"{folder}: git did not answer within {SECONDS} s; check the repository's settings")
    return printed


def find_working_tree(folder: Path) -> Path:
    """Return the root of the working tree around `folder`: the nearest folder with a `.git` that is not foreign.

    Raises BadInput outside of git, and if the repository's settings point to another working tree.
    """
    real = folder.resolve()
    marked = (parent for parent in (real, *real.parents) if os.path.lexists(parent / ".git"))
    top = next((parent for parent in marked if not is_foreign(str(parent), str(real))), None)
    if top is None:
        raise BadInput(f"{folder}: not in a git repository; give a folder inside one")
    answer = os.fsdecode(ask_git(top, "rev-parse", "--show-toplevel").rstrip(b"\n"))
    if not answer or Path(answer).resolve() != top:
        raise BadInput(f"{top}: its git settings point to another working tree, so git is not used")
    return top


def find_commit(top: Path, rev: str) -> str | None:
    """Return the commit that `rev` names in a working tree, or None. Raises BadInput as `ask_git` does."""
    name = ask_git(top, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{rev}^{{commit}}").strip().decode()
    return name if _COMMIT.fullmatch(name) else None


def is_unignored(path: Path, root: Path) -> bool:
    """Return whether git, in the repository around `root`, does not ignore a file; False if git fails."""
    try:
        return not ask_git(find_working_tree(root), "check-ignore", "--no-index", "--", str(path))
    except BadInput:
        return False
