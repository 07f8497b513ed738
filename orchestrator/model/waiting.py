"""Provide a judge whose answers an MCP client gives later; the run pauses until they arrive."""

from collections.abc import Sequence

from actions.project.lookup import Library
from actions.review.judge import Question, Reply
from orchestrator.model.question_queue import QuestionQueue, get_question_id

_LATER = "not answered yet"
_NO_LOOKUPS = (
    "the client's model looked up no files of the project and used the text alone; if its plugin lacks the tool "
    "`look`, `tune-skill install` updates it"
)


class WaitingJudge:
    """A judge that answers from the question queue of a run.

    Unanswered questions of an action are queued together. The action is repeated after they are answered.
    """

    def __init__(self, queue: QuestionQueue) -> None:
        self._queue = queue
        self._open: dict[str, Question] = {}
        self.notes: tuple[str, ...] = ()
        """A note if an answer was given without look-ups."""

    @property
    def name(self) -> str:
        """The name in the report."""
        return self._queue.reader

    def ask(self, questions: Sequence[Question], library: Library | None = None) -> Sequence[Reply]:
        """Return a reply to each question, without a value if it is still open. The MCP server offers the look-ups."""
        return [self._look_up(question) for question in questions]

    def _look_up(self, question: Question) -> Reply:
        known = self._queue.get(question)
        if known is None:
            self._open[get_question_id(question)] = question
        elif known.value is not None and question.may_look and question.kinds and not known.looked_up.describe():
            self.notes = (_NO_LOOKUPS,)
        return known or Reply(None, _LATER)

    def waits(self) -> bool:
        """Return whether questions are unanswered, and queue these."""
        asked, self._open = self._open, {}
        if asked:
            self._queue.set_open(asked)
        return bool(asked)
