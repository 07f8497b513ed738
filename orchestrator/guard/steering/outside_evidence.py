"""Find evidence that a session may stop although checks failed: the user's confirmation, an explanation, a merge."""

import json
import re
from collections.abc import Set
from pathlib import Path

from actions.session.session import Session
from actions.session.transcript import Kind, Transcript
from orchestrator.fs.home import find_program

CONFIRMED = "confirmed"
"""The name of a file in the session's folder by which the user confirms that the work is done."""

_SECONDS = 2.0
_OPENED = re.compile(r"https://github\.com/[\w.-]{1,100}/[\w.-]{1,100}/pull/\d{1,9}")

_OFFER = "say why in a sentence and stop again"
"""The offer in the last line of `templates/steering/guidance.md.j2`."""
_MIN_WORDS = 4
"""Minimum length of an answer that explains why, in words."""


def find_reason_to_stop(session: Session, folder: Path, root: Path, failed: Set[str]) -> str:
    """Return why a session may stop although the checks `failed`; "" without evidence.

    Sources, in this order: a file in the session's `folder`; the agent's answer to the last block; git at the project's
    `root`; and `gh`, asked once about the pull request that the session opened, outside the project and its settings.
    """
    if (folder / CONFIRMED).is_file():
        return "user_confirmed"
    if has_explained(session.transcript):
        return "explained"
    from orchestrator.guard.steering.merged_work import PUSHED, RESOLVED_BY_PUSH, find_merged_work  # starts git: rare

    opened = [found[0] for act in session.git.requests if (found := _OPENED.search(act.output))]
    if opened and session.git.merged:
        return "pull_request_merged"
    proven = find_merged_work(session.git, root)
    if proven and (proven != PUSHED or failed <= RESOLVED_BY_PUSH):
        return proven
    return "pull_request_merged" if opened and _read_pull_request_state(opened[-1]) == "MERGED" else ""


def has_explained(transcript: Transcript) -> bool:
    """Return whether the agent answered the last block with an explanation and no tool call, as the block offers."""
    blocks = (m.record for m in transcript.messages if m.kind is Kind.META and _OFFER in m.text)
    block = max(blocks, default=None)
    if block is None or any(call.record > block and not call.agent for call in transcript.calls):
        return False
    return any(
        m.record > block and m.kind is Kind.ANSWER and len(m.text.split()) >= _MIN_WORDS for m in transcript.messages
    )


def _read_pull_request_state(url: str) -> str:
    """Return the state that `gh` reports; "" if it is missing or does not answer in time."""
    import subprocess  # most sessions open no pull request, and a hook waits

    gh = find_program("gh")
    if gh is None:
        return ""
    command = [gh, "pr", "view", url, "--json", "state"]
    try:
        done = subprocess.run(
            command, cwd="/", stdin=subprocess.DEVNULL, capture_output=True, timeout=_SECONDS, check=False
        )
        answer = json.loads(done.stdout)
    except (OSError, subprocess.SubprocessError, ValueError, RecursionError):
        return ""
    state = answer.get("state") if isinstance(answer, dict) else ""
    return state if isinstance(state, str) else ""
