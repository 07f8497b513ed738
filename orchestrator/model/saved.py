"""Provide a judge that knows only the saved answers of a run, because no model can be asked."""

from collections.abc import Sequence

from actions.project.lookup import Library
from actions.review.judge import Question, Reply
from orchestrator.errors import Refused
from orchestrator.model.memory import Memory


class SavedJudge:
    """A judge whose answers an earlier command of the run has paid for.

    model: the name of the model that is set, or "". given_up: why unanswered questions have no answer. If it is "",
    an unanswered question stops the command with `advice`, so that the run waits until a model can be asked.
    """

    def __init__(self, memory: Memory, model: str, given_up: str, advice: str) -> None:
        self._memory, self._model = memory, model
        self._given_up, self._advice = given_up, advice

    @property
    def name(self) -> str:
        """The name in the report: the SDK and the model that answered."""
        return f"Claude Agent SDK ({self._model})" if self._model else "Claude Agent SDK"

    def ask(self, questions: Sequence[Question], library: Library | None = None) -> Sequence[Reply]:
        """Return the saved replies to questions. Raises Refused if one is missing and not given up."""
        replies = [self._memory.find(question, self._model) for question in questions]
        if not self._given_up and None in replies:
            raise Refused(self._advice)
        return [reply or Reply(None, self._given_up) for reply in replies]
