"""Wait in a tool call while agents answer questions, so that the main session does not end its turn."""

import time
from collections.abc import Callable
from pathlib import Path

from orchestrator.model.question_queue import QuestionQueue
from orchestrator.servers.mcp.background import MAX_CALL_SECONDS
from orchestrator.servers.mcp.client_listener import ClientListener, Stopped

CLAIM_SECONDS = 45.0
"""Seconds within which a started agent must claim its question."""
AGENT_TIMEOUT = 300.0
"""Seconds without any claim or answer after which agents are assumed to be dead."""
_PAUSE_SECONDS = 0.5
_last_counts: dict[Path, tuple[tuple[int, int, float], float]] = {}
"""The last counts of each queue, and the time of their last change.

They are kept between calls, because agents can be silent for longer than one call lasts.
"""


def wait_for_answers(
    queue: QuestionQueue,
    listener: ClientListener,
    start: float,
    now: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> None:
    """Wait for the answers to open questions, at most MAX_CALL_SECONDS, and send progress.

    The wait ends when no question is open, or when no agent is answering an open question. start: the number of
    seconds within which started agents must claim their questions. After AGENT_TIMEOUT, the claims of all agents end,
    because the agents may have died. Raises Stopped if the client has disconnected.
    """
    began = now()
    before = _count(queue)
    last_count, changed = _last_counts.get(queue.folder, (before, began))
    changed = changed if last_count == before and (before[1] or not start) else began
    while before[0] and now() - began < MAX_CALL_SECONDS:
        if listener.is_gone:
            raise Stopped
        if now() - began >= start and before[1] < before[0]:
            return
        if now() - changed > AGENT_TIMEOUT:
            queue.release_agents()
            _last_counts.pop(queue.folder, None)
            return
        sleep(_PAUSE_SECONDS)
        if (after := _count(queue)) != before:
            before, changed = after, now()
            listener.report(f"{before[0]} open, {before[1]} being answered")
        _last_counts[queue.folder] = before, changed


def _count(queue: QuestionQueue) -> tuple[int, int, float]:
    """Return the number of open questions, the number of claimed ones among them, and when the last claim ends."""
    questions = queue.list_open()
    return len(questions), sum(queued.claimed for queued in questions), max((q.until for q in questions), default=0.0)
