"""Listen to a run for an MCP client: send progress, pause for its user, and stop when it disconnects."""

import logging
from collections.abc import Callable, Mapping
from threading import Event

from actions.steps.outcome import AskClarification, AskSelection
from schemas.records import State

_LOG = logging.getLogger("tune-skill")
Progress = Callable[[str], None]


class Stopped(BaseException):
    """The client cancelled or disconnected. As after Ctrl-C, the run can be resumed without loss."""


class ClientListener:
    """The listener of a run in a thread. progress: called with each step. stop: if set, no further step begins."""

    can_ask = True
    picks_findings = True

    def __init__(self, progress: Progress, stop: Event) -> None:
        self._progress, self._stop = progress, stop
        self.messages: list[str] = []

    @property
    def is_gone(self) -> bool:
        """Whether the client has cancelled or disconnected."""
        return self._stop.is_set()

    def begin(self, state: State, action: str) -> None:
        """Send progress. Raises Stopped if the client is gone."""
        if self._stop.is_set():
            raise Stopped
        self._progress(action.removeprefix("action-").replace("-", " "))

    def report(self, word: str) -> None:
        """Send progress from within a step."""
        self._progress(word)

    def step(self, state: State, action: str, note: str) -> None:
        """Log a completed step."""
        _LOG.info("%s: %s", action, note)

    def say(self, message: str) -> None:
        """Add a message to the result."""
        self.messages.append(message)

    def clarify(self, question: AskClarification) -> Mapping[str, str] | None:
        """Return None to pause the run, because the client asks its user."""
        return None

    def select(self, question: AskSelection, save: Callable[[str, bool], None]) -> tuple[str, ...] | None:
        """Return None to pause the run, because the client asks its user."""
        return None
