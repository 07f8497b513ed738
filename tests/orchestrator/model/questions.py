"""Provide a question about birds, and a judge with short timeouts, for the tests of the judge."""

from actions.review.judge import Question
from orchestrator.model.sdk import Limits, SdkJudge
from tests.scripted_api import tool_call

SCHEMA = {"type": "object", "properties": {"birds": {"type": "integer", "minimum": 1}}, "required": ["birds"],
          "additionalProperties": False}  # fmt: skip

OBJECTIVE = (
    "- {id: objective_completion, category: 1 completion, question: Was the objective reached?, severity: blocker,"
    " checker: generic}\n"
)
"""A consideration that only a model can answer, as written in a project's own file."""


def make_question(text: str = "How many birds?", name: str = "q") -> Question:
    return Question(name, f"[tune-skill judge]\n{text}", SCHEMA)


def make_judge(limits: Limits | None = None, **options) -> SdkJudge:
    return SdkJudge(limits=limits or Limits(60, 120), **options)


def answer_with_birds(count: object):
    return tool_call("StructuredOutput", birds=count)
