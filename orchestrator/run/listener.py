"""Define the interface through which a run reports to its user and asks questions."""

from collections.abc import Callable, Mapping
from typing import Protocol

from actions.steps.outcome import AskClarification, AskSelection
from schemas.records import State


class Listener(Protocol):
    """Shows a run to its user and asks questions.

    can_ask: whether a user can answer. picks_findings: whether the user chooses which findings to fix.
    """

    can_ask: bool
    picks_findings: bool

    def begin(self, state: State, action: str) -> None:
        """Show that a step has begun."""
        ...

    def step(self, state: State, action: str, note: str) -> None:
        """Show that a step has ended, with a note on its result."""
        ...

    def say(self, message: str) -> None:
        """Show a message to the user."""
        ...

    def clarify(self, question: AskClarification) -> Mapping[str, str] | None:
        """Ask what the user meant. Returns a category for each dimension id, or None to pause the run."""
        ...

    def select(self, question: AskSelection, save: Callable[[str, bool], None]) -> tuple[str, ...] | None:
        """Ask which fixes to apply. Returns their ids, or None to pause the run. save: called with each answer."""
        ...

    def begin_write(self) -> None:
        """Do nothing, or raise Refused if no fix may be written now."""
        ...
