"""Ask a model whether a run meets the criteria of its task. The model sees neither the skill nor its version."""

from collections.abc import Sequence
from typing import Any

import schemas
from actions.session.record_text import show_text
from orchestrator.model.agent import Session
from orchestrator.model.query import Query
from orchestrator.tuning.trial.checks import CheckResult, MissingTextError, read_text
from orchestrator.tuning.trial.queries import QUERY_SECONDS, build_query_from
from orchestrator.tuning.trial.sandbox import Sandbox
from orchestrator.tuning.trial.tasks import Check, Task

_MAX_RECORD = 60_000
"""Maximum number of characters of a text in the prompt. A longer text is cut in the middle."""

_MIN_QUOTE = 6
_NO_QUOTE = "the model gave no quote from the record"


def list_criteria(task: Task) -> list[Check]:
    """Return the checks of a task that need a model."""
    return [check for check in task.checks if check.kind == "rubric"]


def build_query(task: Task, session: Session, sandbox: Sandbox, model: str) -> Query | None:
    """Build the query about a run, or return None if its task has no criteria."""
    checks = list_criteria(task)
    if not checks:
        return None
    record, criteria = _build_record(checks, session, sandbox), [check.argument for check in checks]
    return build_query_from("rubric", model, task=task.prompt, record=record, criteria=criteria)


async def ask_model(task: Task, query: Query, sandbox: Sandbox, claude: str) -> tuple[list[CheckResult], float]:
    """Ask a model about the criteria of a task. Return a result for each criterion, and the cost in USD.

    If there is no valid answer, the results are undecided. The query is sent from the sandbox of the run, so that the
    files that it creates are removed together with the sandbox.
    """
    from orchestrator.model.client import send_query

    result = await send_query(query, within=sandbox.base, claude=sandbox.write_question_launcher(claude, QUERY_SECONDS))
    usd = query.usd if result.usd is None else result.usd
    problem = result.why if result.value is None else schemas.find_violation(query.schema, result.value)
    if problem:
        return [CheckResult(check.label, None, problem) for check in list_criteria(task)], usd
    return check_answers(list_criteria(task), result.value["criteria"], query.prompt), usd


def check_answers(checks: Sequence[Check], answers: Sequence[Any], prompt: str) -> list[CheckResult]:
    """Convert an answer to results. A criterion is undecided unless it has exactly one verdict, with a valid quote."""
    record = " ".join(prompt.partition("\nRecord:\n")[2].rpartition("\nCriteria:\n")[0].split())
    return [
        _check_answer(check, [answer for answer in answers if answer["number"] == number], record)
        for number, check in enumerate(checks, 1)
    ]


def _check_answer(check: Check, answers: Sequence[Any], record: str) -> CheckResult:
    if len(answers) != 1:
        return CheckResult(check.label, None, "the model gave no verdict or several")
    quote = " ".join(answers[0]["quote"].split())
    if len(quote) < _MIN_QUOTE or quote not in record:
        return CheckResult(check.label, None, _NO_QUOTE)
    return CheckResult(check.label, bool(answers[0]["met"]), str(answers[0]["reason"]))


def _build_record(checks: Sequence[Check], session: Session, sandbox: Sandbox) -> str:
    """Join the texts that the checks read, each below the name of its source."""
    parts = []
    for source in dict.fromkeys(check.within for check in checks):
        try:
            text = read_text(source, session, sandbox)
        except MissingTextError as error:
            text = f"(missing: {error})"
        parts.append(f"[{source}]\n{show_text(_shorten(text)) or '(empty)'}")
    return "\n\n".join(parts)


def _shorten(text: str) -> str:
    half = _MAX_RECORD // 2
    return text if len(text) <= _MAX_RECORD else f"{text[:half]}\n[…]\n{text[-half:]}"
