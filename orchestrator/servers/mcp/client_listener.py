"""Connect a run with an MCP client: send progress, pause for the user, and stop when the client disconnects."""

import logging
from collections.abc import Callable, Mapping
from threading import Event

from actions.steps.outcome import AskClarification, AskSelection
from schemas.records import State

_LOG = logging.getLogger("tune-skill")
Progress = Callable[[str], None]


class Stopped(BaseException):
    """Raised when the client cancelled the call or disconnected.

    As after Ctrl-C, the run can be resumed without loss.
    """


class ClientListener:
    """The listener of a run that is executed in a thread.

    progress: called with the name of each step. stop: if this event is set, the run stops before its next step.
    """

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
        """Send the name of the step that begins. Raises Stopped if the client has cancelled or disconnected."""
        if self._stop.is_set():
            raise Stopped
        self._progress(action.removeprefix("action-").replace("-", " "))

    def report(self, word: str) -> None:
        """Send progress during a step."""
        self._progress(word)

    def step(self, state: State, action: str, note: str) -> None:
        """Log a completed step."""
        _LOG.info("%s: %s", action, note)

    def say(self, message: str) -> None:
        """Add a message to the result of the call."""
        self.messages.append(message)

    def clarify(self, question: AskClarification) -> Mapping[str, str] | None:
        """Return None, which pauses the run, so that the client asks the user."""
        return None

    def select(self, question: AskSelection, save: Callable[[str, bool], None]) -> tuple[str, ...] | None:
        """Return None, which pauses the run, so that the client asks the user."""
        return None

    def begin_write(self) -> None:
        """Do nothing. A fix may be written at any time."""
