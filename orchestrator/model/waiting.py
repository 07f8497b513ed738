"""WaitingJudge: its answers come from outside, later. What is not answered yet lets the run pause."""

from collections.abc import Sequence

from actions.review.judge import Question, Reply
from orchestrator.model.question_queue import QuestionQueue, get_question_id

_LATER = "not answered yet"


class WaitingJudge:
    """A judge that answers from the desk of a run.

    What nobody has answered is collected while an action asks on: all that can be asked now is handed out together.
    The action counts for nothing then; it is made again when the answers are there.
    """

    def __init__(self, desk: QuestionQueue) -> None:
        self._desk = desk
        self._open: dict[str, Question] = {}

    @property
    def name(self) -> str:
        """What the report calls it."""
        return self._desk.reader

    def ask(self, questions: Sequence[Question]) -> Sequence[Reply]:
        """Return what is known of each question."""
        return [self._look_up(question) for question in questions]

    def _look_up(self, question: Question) -> Reply:
        known = self._desk.get(question)
        if known is None:
            self._open[get_question_id(question)] = question
        return known or Reply(None, _LATER)

    def waits(self) -> bool:
        """Return whether something was asked that nobody has answered; it lies on the desk then."""
        asked, self._open = self._open, {}
        if asked:
            self._desk.set_open(asked)
        return bool(asked)
