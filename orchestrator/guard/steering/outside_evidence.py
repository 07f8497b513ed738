"""Find evidence that lets a session stop although checks failed: a confirmation, an explanation or a merge."""

import json
from collections.abc import Set
from pathlib import Path

from actions.regex import regex
from actions.session.session import Session
from actions.session.transcript import Kind, Transcript
from orchestrator.fs.home import find_program

CONFIRMED = "confirmed"
"""The name of the file that the user creates in the session's folder to confirm that the work is done."""

_GH_SECONDS = 2.0
_PULL_REQUEST = regex(r"https://github\.com/[\w.-]{1,100}/[\w.-]{1,100}/pull/\d{1,9}")

_BLOCK_PHRASE = "say why in a sentence and stop again"
"""Part of the last line of `templates/steering/guidance.md.j2`, used to recognize a block."""
_MIN_WORDS = 4
"""Minimum number of words of an answer that counts as an explanation."""


def find_reason_to_stop(session: Session, folder: Path, root: Path, failed: Set[str]) -> str:
    """Return why a session is allowed to stop although the checks `failed`. Returns "" without evidence.

    The evidence is, in this order, a file in the session's `folder`, the agent's answer to the last block, git at
    the
    project's `root`, and the state that `gh` reports for the session's pull request. `gh` runs outside the project,
    so the
    project's settings do not affect it.
    """
    if (folder / CONFIRMED).is_file():
        return "user_confirmed"
    if has_explained(session.transcript):
        return "explained"
    from orchestrator.guard.steering.merged_work import PUSHED, RESOLVED_BY_PUSH, find_merged_work  # rarely needed

    outputs = (request.output for request in session.git.pull_requests)
    pull_requests = [match[0] for output in outputs if (match := _PULL_REQUEST.search(output))]
    if pull_requests and session.git.merges:
        return "pull_request_merged"
    reason = find_merged_work(session.git, root)
    if reason and (reason != PUSHED or failed <= RESOLVED_BY_PUSH):
        return reason
    is_merged = bool(pull_requests) and _read_pull_request_state(pull_requests[-1]) == "MERGED"
    return "pull_request_merged" if is_merged else ""


def has_explained(transcript: Transcript) -> bool:
    """Return whether the agent answered the last block with an explanation and without a tool call."""
    messages = transcript.messages
    blocks = [message for message in messages if message.kind is Kind.META and _BLOCK_PHRASE in message.text]
    if not blocks:
        return False
    last_block = max(block.record for block in blocks)
    if any(call.record > last_block and not call.agent for call in transcript.calls):
        return False
    answers = (message for message in messages if message.kind is Kind.ANSWER and message.record > last_block)
    return any(len(answer.text.split()) >= _MIN_WORDS for answer in answers)


def _read_pull_request_state(url: str) -> str:
    """Return the state that `gh` reports for a pull request, or "" if `gh` is missing or does not answer in time."""
    import subprocess  # imported late: most sessions open no pull request

    gh = find_program("gh")
    if gh is None:
        return ""
    command = [gh, "pr", "view", url, "--json", "state"]
    try:
        process = subprocess.run(
            command, cwd="/", stdin=subprocess.DEVNULL, capture_output=True, timeout=_GH_SECONDS, check=False
        )
        answer = json.loads(process.stdout)
    except (OSError, subprocess.SubprocessError, ValueError, RecursionError):
        return ""
    state = answer.get("state") if isinstance(answer, dict) else ""
    return state if isinstance(state, str) else ""
