"""Estimate what a run sends to a model: how much of a skill, in how many questions, to whom, and at what cost."""

import os
from collections.abc import Sequence

import msgspec

from actions.case import Case
from actions.project.lookup import Library
from actions.review.asking import JudgeClient
from actions.review.consult import consult_judge
from actions.review.judge import Question, Reply
from actions.review.skill_view import view_skill
from actions.skill.text import estimate_tokens
from orchestrator.model.budget import estimate_cost
from orchestrator.model.environment import describe_recipient
from schemas.options import MAX_COST_USD
from schemas.vocabulary import FOCUS


class Forecast(msgspec.Struct, frozen=True):
    """An estimate of what a run sends.

    files, characters: how much of the skill each question contains. usd: the cost of all questions. ceiling: the cost
    limit in USD. receiver: who receives the texts.
    """

    skill: str
    files: int
    characters: int
    questions: int
    usd: float
    ceiling: float
    receiver: str


class _CountingJudge(msgspec.Struct):
    """A judge that collects the questions of a diagnosis but sends none."""

    name: str = ""
    questions: list[Question] = msgspec.field(default_factory=list)

    def ask(self, questions: Sequence[Question], library: Library | None = None) -> Sequence[Reply]:
        self.questions += questions
        return [Reply(None) for _ in questions]


def forecast(case: Case, focus: Sequence[str], max_cost_usd: float | None) -> Forecast:
    """Estimate the cost of the first review of a unit.

    Look-ups and later questions are left out, because they depend on the findings of that review.
    """
    judge, view = _CountingJudge(), view_skill(case.skill)
    consult_judge((), case, JudgeClient(judge, case), focus or FOCUS)
    cached = [
        estimate_tokens(question.shared_chars) if number else 0 for number, question in enumerate(judge.questions)
    ]
    usd = sum(
        estimate_cost(estimate_tokens(len(q.prompt)), known, q.answer_tokens)
        for q, known in zip(judge.questions, cached, strict=True)
    )
    ceiling = MAX_COST_USD if max_cost_usd is None else max_cost_usd
    files = sum(1 for line in view.shown.values() if line)
    return Forecast(
        case.skill.folder,
        files,
        len(view.text),
        len(judge.questions),
        min(usd, ceiling),
        ceiling,
        describe_recipient(os.environ),
    )
