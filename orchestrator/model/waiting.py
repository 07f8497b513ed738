"""Provide a judge whose questions an MCP client answers later. The run pauses until then."""

from collections.abc import Sequence

from actions.project.lookup import Library
from actions.review.judge import Question, Reply
from orchestrator.model.question_queue import QuestionQueue, get_question_id

_UNANSWERED = "not answered yet"
_NO_LOOKUPS = (
    "the client's model looked up no other files of the project; if the client's tune-skill has no tool `look`, update "
    "it with `tune-skill install`"
)


class WaitingJudge:
    """A judge whose answers come from the question queue of a run.

    Questions without answers are collected while an action runs, then queued together. After the answers have
    arrived, the action is repeated.
    """

    def __init__(self, queue: QuestionQueue) -> None:
        self._queue = queue
        self._open: dict[str, Question] = {}
        self.notes: tuple[str, ...] = ()
        """The note that an answer was given without look-ups."""

    @property
    def name(self) -> str:
        """The name in the report."""
        return self._queue.reader

    def ask(self, questions: Sequence[Question], library: Library | None = None) -> Sequence[Reply]:
        """Return a reply to each question, without a value if it is still open. The MCP server offers the look-ups."""
        return [self._look_up(question) for question in questions]

    def _look_up(self, question: Question) -> Reply:
        answer = self._queue.get(question)
        if answer is None:
            self._open[get_question_id(question)] = question
        elif (
            answer.value is not None
            and question.may_look
            and question.pattern_ids
            and not self._queue.has_log(question)
        ):
            self.notes = (_NO_LOOKUPS,)
        return answer or Reply(None, _UNANSWERED)

    def queue_open_questions(self) -> bool:
        """Queue the questions without an answer. Returns whether there are any."""
        questions, self._open = self._open, {}
        if questions:
            self._queue.set_open(questions)
        return bool(questions)
