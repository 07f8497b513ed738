"""Define the interface through which a run reports to its user and asks them."""

from collections.abc import Callable, Mapping
from typing import Protocol

from actions.steps.outcome import AskClarification, AskSelection
from schemas.records import State


class Listener(Protocol):
    """Shows a run to its user and asks them."""

    someone_there: bool
    picks_findings: bool

    def begin(self, state: State, action: str) -> None:
        """Show that a step begins."""
        ...

    def step(self, state: State, action: str, note: str) -> None:
        """Show that a step ended."""
        ...

    def say(self, sentence: str) -> None:
        """Show a sentence to the user."""
        ...

    def clarify(self, question: AskClarification) -> Mapping[str, str] | None:
        """Return a category for each dimension id; None pauses the run."""
        ...

    def select(self, question: AskSelection, keep: Callable[[str, bool], None]) -> tuple[str, ...] | None:
        """Return the ids of the chosen fixes; None pauses the run. `keep` saves the answer about one fix at once."""
        ...
