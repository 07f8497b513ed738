"""Judge with answers that an MCP client gives later; the run pauses until they arrive."""

from collections.abc import Sequence

from actions.review.judge import Question, Reply
from orchestrator.model.question_queue import QuestionQueue, get_question_id

_LATER = "not answered yet"


class WaitingJudge:
    """A judge that answers from the question queue of a run.

    Unanswered questions of an action are collected and queued together. The action is repeated when they are answered.
    """

    def __init__(self, queue: QuestionQueue) -> None:
        self._queue = queue
        self._open: dict[str, Question] = {}

    @property
    def name(self) -> str:
        """The name in the report."""
        return self._queue.reader

    def ask(self, questions: Sequence[Question]) -> Sequence[Reply]:
        """Return the answer to each question, or the reason why it is open."""
        return [self._look_up(question) for question in questions]

    def _look_up(self, question: Question) -> Reply:
        known = self._queue.get(question)
        if known is None:
            self._open[get_question_id(question)] = question
        return known or Reply(None, _LATER)

    def waits(self) -> bool:
        """Return whether a question is unanswered; put all of them in the queue then."""
        asked, self._open = self._open, {}
        if asked:
            self._queue.set_open(asked)
        return bool(asked)
