"""What ends a session from outside its transcript: the user's word, a merge, or that its work is pushed."""

import json
import re
from collections.abc import Set
from pathlib import Path

from actions.session.session import Session
from orchestrator.fs.home import program

CONFIRMED = "confirmed"
"""A file of this name in the session's folder is the user's word that the work is done."""

_SECONDS = 2.0
_OPENED = re.compile(r"https://github\.com/[\w.-]{1,100}/[\w.-]{1,100}/pull/\d{1,9}")


def ended_by(session: Session, folder: Path, root: Path, failed: Set[str]) -> str:
    """Return why a session may go although `failed` is open; "" where nothing from outside speaks for it.

    Asked in turn: a file in the session's `folder`, git in the project's `root`, and of a pull request that the session
    opened gh, once, away from the project and its settings. What none of them can prove is unknown, and holds nobody.
    """
    if (folder / CONFIRMED).is_file():
        return "user_confirmed"
    from orchestrator.guard.steering.landed import PUSHED, SETTLED_BY_A_PUSH, landed  # it starts git: seldom needed

    opened = [found[0] for act in session.git.requests if (found := _OPENED.search(act.output))]
    if opened and session.git.merged:
        return "pull_request_merged"
    told = landed(session.git, root)
    if told and (told != PUSHED or failed <= SETTLED_BY_A_PUSH):
        return told
    return "pull_request_merged" if opened and _state(opened[-1]) == "MERGED" else ""


def _state(url: str) -> str:
    """Return what gh says of a pull request; "" where it is not there, or has no answer in time."""
    import subprocess  # most sessions open no pull request, and a hook waits

    gh = program("gh")
    if gh is None:
        return ""
    command = [gh, "pr", "view", url, "--json", "state"]
    try:
        done = subprocess.run(
            command, cwd="/", stdin=subprocess.DEVNULL, capture_output=True, timeout=_SECONDS, check=False
        )
        told = json.loads(done.stdout)
    except (OSError, subprocess.SubprocessError, ValueError, RecursionError):
        return ""
    state = told.get("state") if isinstance(told, dict) else ""
    return state if isinstance(state, str) else ""
