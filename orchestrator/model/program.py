"""Find the program Claude Code, and start it so that the system ends it when this process is killed."""

import os
import shlex
import subprocess
from contextlib import suppress
from functools import cache
from pathlib import Path

import claude_agent_sdk

from orchestrator.errors import BadInput
from orchestrator.fs.home import find_program
from orchestrator.model.environment import find_user_cli

_ENDING = ("--pdeathsig", "KILL", "--")


def find_claude_code() -> str:
    """Return the path of Claude Code: the one that the user chose, the one in the SDK, or the one on PATH.

    Raises BadInput if there is none.
    """
    bundled = Path(claude_agent_sdk.__file__).with_name("_bundled") / "claude"
    found = find_user_cli(os.environ) or (str(bundled) if bundled.is_file() else find_program("claude"))
    if found is None:
        raise BadInput("Claude Code (the command `claude`) was not found; install it")
    return found


def write_launcher(folder: Path) -> str | None:
    """Write an executable that starts Claude Code, and return its path.

    Linux kills the program when the thread that started it ends, so this thread has to wait for it. Where that is not
    possible (another system, no `setpriv` of util-linux, no programs in the folder), returns the program itself, or
    None if only the SDK can find it.
    """
    try:
        program = find_claude_code()
    except BadInput:
        return None
    if (setpriv := _find_setpriv()) is None:
        return program
    launcher = folder / "claude"
    launcher.write_bytes(os.fsencode(f'#!/bin/sh\nexec {shlex.join((setpriv, *_ENDING, program))} "$@"\n'))
    launcher.chmod(0o700)
    return str(launcher) if os.access(launcher, os.X_OK) else program


@cache
def _find_setpriv() -> str | None:
    """Return the path of `setpriv` if it can end a program together with its parent. That of busybox cannot."""
    with suppress(OSError, subprocess.TimeoutExpired):
        if path := find_program("setpriv"):
            tried = subprocess.run([path, *_ENDING, "true"], capture_output=True, timeout=5, check=False)
            return path if tried.returncode == 0 else None
    return None
