"""Find the program Claude Code, and start it so that Ctrl-C spares it and the system ends it with this process."""

import os
import shlex
import subprocess
import sys
from contextlib import suppress
from functools import cache
from pathlib import Path

import claude_agent_sdk

from orchestrator.errors import BadInput
from orchestrator.fs.home import find_program
from orchestrator.model.environment import find_user_cli

_ENDING = ("--pdeathsig", "KILL", "--")
_OWN_SESSION = "import os, sys; os.setsid(); os.execv(sys.argv[1], sys.argv[1:])"
"""The program that starts its arguments in a session of their own. `setsid` of util-linux is missing on macOS."""


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

    Claude Code runs in a session of its own, because Ctrl-C in a terminal would otherwise end it, too, before it says
    what the ended turns cost. Linux kills it when the thread that started it ends, so this thread has to wait for it;
    elsewhere (another system, no `setpriv` of util-linux) nothing does. Where the folder can have no programs, returns
    the program itself, or None if only the SDK can find it.
    """
    try:
        program = find_claude_code()
    except BadInput:
        return None
    setpriv = _find_setpriv()
    words = (sys.executable, "-I", "-S", "-c", _OWN_SESSION, *((setpriv, *_ENDING) if setpriv else ()), program)
    launcher = folder / "claude"
    launcher.write_bytes(os.fsencode(f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n'))
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
