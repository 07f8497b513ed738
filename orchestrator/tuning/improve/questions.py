"""Ask a model, and record each answer and its cost in the ledger, so that no question is paid for twice."""

from collections.abc import Sequence

from actions.improve.task_texts import ExamPhrases
from actions.project.lookup import Library
from actions.review.checking import explain_violation
from actions.review.judge import Question, Reply
from orchestrator.errors import RunFailed
from orchestrator.model.environment import Say
from orchestrator.model.memory import hash_question
from orchestrator.model.query import Fault, Query, QueryResult
from orchestrator.tuning.trial.ledger import Key, Ledger
from orchestrator.tuning.trial.queries import build_query
from orchestrator.tuning.trial.sandbox import choose_folder
from orchestrator.tuning.trial.supervised import charge_killed, send_supervised

QUESTION_TASK = "question"
"""The task name in the ledger keys of questions."""
_MARGIN_USD = 0.10
"""The amount by which an answer can exceed its estimated cost. A draft is longer than most answers."""
_QUESTION_SECONDS = 600
"""Time limit of a question."""


class LedgerJudge:
    """A judge whose questions are paid from the cost limit of an improvement.

    A judge is a model that answers questions. This one gets no text of the exam tasks and cannot look up files.
    """

    def __init__(self, ledger: Ledger, model: str, max_cost_usd: float, exam_phrases: ExamPhrases, say: Say) -> None:
        self._ledger, self._model, self._limit = ledger, model, max_cost_usd
        self._exam_phrases, self._say = exam_phrases, say
        self.why = ""
        """Why a question could not be paid for, or ""."""

    @property
    def name(self) -> str:
        """The name of the model, for the report. By default, it is the model that the runs used."""
        models = (record["session"]["model"] for record in self._ledger.finished.values() if "session" in record)
        model = self._model or next(models, "")
        return f"Claude Agent SDK ({model})" if model else "Claude Agent SDK"

    def ask(self, questions: Sequence[Question], library: Library | None = None) -> Sequence[Reply]:
        """Return a reply for each question, in order. Raises RunFailed if no model can be reached."""
        return [self._ask(question) for question in questions]

    def _ask(self, question: Question) -> Reply:
        key = Key(QUESTION_TASK, 1, hash_question(question, self._model)[:24])
        if record := self._ledger.finished.get(key):
            return Reply(record["value"], record["why"], cached=True)
        if self._exam_phrases.find(question.prompt):
            return Reply(None, "not sent, because it contains text of an exam task, which no model may see")
        query = build_query(question, self._model, _MARGIN_USD, _QUESTION_SECONDS)
        charge_killed(self._ledger, key)
        if self._ledger.spent + query.usd > self._limit:
            self.why = f"the cost limit leaves no budget for the {question.name} ({query.usd:.2f} USD)"
            return Reply(None, self.why)
        folder = choose_folder()
        self._ledger.record("began", key, query.usd, folder=str(folder), is_query=True)
        return self._record_answer(question, key, query, send_supervised(query, folder))

    def _record_answer(self, question: Question, key: Key, query: Query, result: QueryResult) -> Reply:
        usd = query.usd if result.usd is None else result.usd
        if result.value is None and result.fault is not Fault.ANSWER:
            self._ledger.record("lost", key, usd, why=result.why)
            raise RunFailed(f"the improvement stopped: {result.why}; repeat the command to continue it")
        why = result.why if result.value is None else explain_violation(question, result.value)
        value = None if why else result.value
        self._ledger.record("held", key, usd, folder="", name=question.name, value=value, why=why)
        self._ledger.record("graded", key, 0.0)
        self._say(f"{question.name}: {why or 'answered'} ({self._ledger.settled_cost:.2f} USD in all)")
        return Reply(value, why, usd, result.usage.total)
