"""WaitingJudge: its answers come from outside, later. What is not answered yet lets the run pause."""

from collections.abc import Sequence

from actions.review.judge import Question, Reply
from orchestrator.model.question_queue import Desk, id_of

_LATER = "not answered yet"


class WaitingJudge:
    """A judge that answers from the desk of a run.

    What nobody has answered is collected while an action asks on: all that can be asked now is handed out together.
    The action counts for nothing then; it is made again when the answers are there.
    """

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._open: dict[str, Question] = {}

    @property
    def name(self) -> str:
        """What the report calls it."""
        return self._desk.reader

    def ask(self, questions: Sequence[Question]) -> Sequence[Reply]:
        """Return what is known of each question."""
        return [self._known(question) for question in questions]

    def _known(self, question: Question) -> Reply:
        known = self._desk.get(question)
        if known is None:
            self._open[id_of(question)] = question
        return known or Reply(None, _LATER)

    def waits(self) -> bool:
        """Return whether something was asked that nobody has answered; it lies on the desk then."""
        asked, self._open = self._open, {}
        if asked:
            self._desk.put(asked)
        return bool(asked)
