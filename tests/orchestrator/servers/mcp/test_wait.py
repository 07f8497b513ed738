"""Test that waiting calls release the questions of silent agents, but not those that a server itself asks a model."""

from functools import partial
from threading import Event

import pytest

from actions.review.judge import Question
from orchestrator.model.question_queue import QuestionQueue
from orchestrator.servers.mcp.client_listener import ClientListener
from orchestrator.servers.mcp.wait import AGENT_TIMEOUT, CLAIM_SECONDS, wait_for_answers

ID = "Q-000000000000"


class Clock:
    """A clock that only sleeping advances."""

    seconds = 1000.0

    def now(self):
        return self.seconds

    def sleep(self, seconds):
        self.seconds += seconds


@pytest.mark.parametrize("is_agent", [True, False])
def test_waiting_calls_release_only_silent_agents(tmp_path, is_agent):
    clock = Clock()
    queue = QuestionQueue(tmp_path / "run", clock.now)
    queue.set_open({ID: Question("gulls", "How many gulls?", {"type": "object"})})
    queue.claim(ID, seconds=10 * AGENT_TIMEOUT, is_agent=is_agent)
    began = clock.seconds
    while queue.list_open()[0].claimed and clock.seconds - began < 2 * AGENT_TIMEOUT:
        wait_for_answers(queue, ClientListener(print, Event()), CLAIM_SECONDS, clock.now, clock.sleep)
    assert (clock.seconds - began < AGENT_TIMEOUT + 2) is is_agent
    queue.claim(ID, seconds=10 * AGENT_TIMEOUT)
    began = clock.seconds
    wait_for_answers(queue, ClientListener(print, Event()), CLAIM_SECONDS, clock.now, clock.sleep)
    assert clock.seconds - began > CLAIM_SECONDS, "an agent that starts afterwards has its own time"


def test_question_claimed_between_two_calls_has_its_own_time(tmp_path):
    """The counts are those of the call before, but they are of another question."""
    clock, second = Clock(), "Q-111111111111"
    queue = QuestionQueue(tmp_path / "run", clock.now)
    wait = partial(wait_for_answers, queue, ClientListener(print, Event()), CLAIM_SECONDS, clock.now, clock.sleep)
    for id in (ID, second):
        queue.set_open({id: Question("gulls", f"How many gulls in {id}?", {"type": "object"})})
        queue.claim(id, seconds=10 * AGENT_TIMEOUT)
        wait()
        assert queue.list_open()[0].claimed
        clock.sleep(2 * AGENT_TIMEOUT)
