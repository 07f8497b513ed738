"""Who watches a run for a client: progress goes to it, questions pause the run, and a client that is gone stops it."""

import logging
from collections.abc import Callable, Mapping
from threading import Event

from actions.steps.outcome import AskClarification, AskSelection
from schemas.records import State

_LOG = logging.getLogger("tune-skill")
Progress = Callable[[str], None]


class Stopped(BaseException):
    """The client cancelled, or is gone. As after Ctrl-C, nothing is lost: the run goes on later from where it stood."""


class Watching:
    """The listener of a run in a thread. `progress` hears each step; once `stop` is set no further step begins."""

    someone_there = True

    def __init__(self, progress: Progress, stop: Event) -> None:
        self._progress, self._stop = progress, stop
        self.said: list[str] = []

    @property
    def gone(self) -> bool:
        """Whether nobody waits for the result any more."""
        return self._stop.is_set()

    def begin(self, state: State, action: str) -> None:
        """Tell what begins."""
        if self._stop.is_set():
            raise Stopped
        self._progress(action.removeprefix("action-").replace("-", " "))

    def step(self, state: State, action: str, note: str) -> None:
        """Tell of a step that was made."""
        _LOG.info("%s: %s", action, note)

    def say(self, sentence: str) -> None:
        """Keep what the user should know for the result."""
        self.said.append(sentence)

    def clarify(self, question: AskClarification) -> Mapping[str, str] | None:
        """Pause: the client asks its user."""
        return None

    def select(self, question: AskSelection, keep: Callable[[str, bool], None]) -> tuple[str, ...] | None:
        """Pause: the client asks its user."""
        return None
