"""Build the queries to a model that grade runs or draft tasks."""

from typing import Any

from actions.review.asking import build_question
from actions.review.judge import Question
from actions.skill.text import estimate_tokens
from orchestrator.model.budget import FAMILIES, estimate_cost, find_family, limit_answer_tokens
from orchestrator.model.query import Query
from templates.filters import visible

QUERY_SECONDS = 240
"""Time limit of a query in seconds."""


def build_query_from(template: str, model: str, more_usd: float = 0.0, **values: Any) -> Query:
    """Render a question template and build its query. more_usd: see `build_query`."""
    return build_query(build_question(template, template, **values), model, more_usd)


def build_query(question: Question, model: str, more_usd: float = 0.0, seconds: float = QUERY_SECONDS) -> Query:
    """Build the query of a question. Its cost limit is twice its estimate plus `more_usd`, which is at Opus prices."""
    prompt = visible(question.prompt)
    tokens = estimate_tokens(len(prompt.encode()))
    usd = 2 * estimate_cost(tokens) + more_usd
    return Query(
        prompt, question.schema, model, FAMILIES[find_family(model)] * usd, seconds, limit_answer_tokens(tokens, usd)
    )
