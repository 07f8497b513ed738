"""The criteria that only a reader can judge: asked of a fresh model that knows neither the skill nor the version."""

from collections.abc import Sequence
from typing import Any

import schemas
from actions.review.asking import build_question as worded
from actions.skill.text import tokens_of
from orchestrator.model.agent import Session
from orchestrator.model.budget import FAMILIES, estimate_cost, find_family, max_answer_tokens
from orchestrator.model.query import Query
from orchestrator.tuning.trial.checks import CheckResult, MissingTextError, read_text
from orchestrator.tuning.trial.sandbox import Sandbox
from orchestrator.tuning.trial.tasks import Check, Task
from templates.filters import visible

_SECONDS = 240
_RECORD = 60_000
"""Characters of a record that are shown: its beginning and its end."""

_QUOTE = 6
_UNTOLD = "the reader gave no quote that stands in the record"


def list_criteria(task: Task) -> list[Check]:
    """Return the checks of a task that need a reader."""
    return [check for check in task.checks if check.kind == "rubric"]


def build_query(task: Task, session: Session, sandbox: Sandbox, model: str) -> Query | None:
    """Return what is asked about a run; None where its task has no criteria."""
    found = list_criteria(task)
    if not found:
        return None
    record, wanted = _build_record(found, session, sandbox), [check.about for check in found]
    asked = worded("rubric", "rubric", task=task.prompt, record=record, criteria=wanted)
    prompt = visible(asked.prompt)
    tokens = tokens_of(len(prompt.encode()))
    usd = 2 * estimate_cost(tokens)
    most = FAMILIES[find_family(model)] * usd
    return Query(prompt, asked.schema, model, most, _SECONDS, max_answer_tokens(tokens, usd))


async def ask_reader(task: Task, asking: Query, sandbox: Sandbox, claude: str) -> tuple[list[CheckResult], float]:
    """Ask, and return what is said of each criterion and what it cost in USD. Without an answer nobody can tell.

    It is asked in the place of the run: what a kill leaves of it goes with that.
    """
    from orchestrator.model.client import send_query

    came = await send_query(asking, within=sandbox.base, claude=sandbox.write_reader_launcher(claude, _SECONDS))
    usd = asking.usd if came.usd is None else came.usd
    problem = came.why if came.value is None else schemas.find_violation(asking.schema, came.value)
    if problem:
        return [CheckResult(check.label, None, problem) for check in list_criteria(task)], usd
    return check_answers(list_criteria(task), came.value["criteria"], asking.prompt), usd


def check_answers(found: Sequence[Check], said: Sequence[Any], shown: str) -> list[CheckResult]:
    """Return what counts of an answer: one verdict a criterion, with a quote that stands in what was shown."""
    record = " ".join(shown.partition("\nRecord:\n")[2].rpartition("\nCriteria:\n")[0].split())
    return [
        _check_answer(check, [one for one in said if one["number"] == n], record) for n, check in enumerate(found, 1)
    ]


def _check_answer(check: Check, said: Sequence[Any], record: str) -> CheckResult:
    if len(said) != 1:
        return CheckResult(check.label, None, "the reader said nothing of it, or two things")
    quote = " ".join(said[0]["quote"].split())
    if len(quote) < _QUOTE or quote not in record:
        return CheckResult(check.label, None, _UNTOLD)
    return CheckResult(check.label, bool(said[0]["met"]), str(said[0]["reason"]))


def _build_record(found: Sequence[Check], session: Session, sandbox: Sandbox) -> str:
    parts = []
    for place in dict.fromkeys(check.within for check in found):
        try:
            text = read_text(place, session, sandbox)
        except MissingTextError as gone:
            text = f"(not there: {gone})"
        parts.append(f"[{place}]\n{_shorten(text) or '(empty)'}")
    return "\n\n".join(parts)


def _shorten(text: str) -> str:
    half = _RECORD // 2
    return text if len(text) <= _RECORD else f"{text[:half]}\n[…]\n{text[-half:]}"
