"""Evaluate the considerations of a session.

The judge's answer takes precedence over what the records of the transcript prove. If there is neither, the result
is
"unknown".
"""

import os
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from actions.patterns.session_pattern import check_consideration
from actions.session.answer import Answer, Verdict
from actions.session.judge import SessionJudge, choose_answer, verify_quotes
from actions.session.session import Session
from actions.session.session_type import classify_session
from orchestrator.errors import is_strict
from orchestrator.guard.steering import logger
from orchestrator.guard.steering.results import Analysis, CheckerResult
from orchestrator.time_limit import limit_time
from schemas.considerations import AnswerSource, Consideration, SessionType

RECORDS_SECONDS = 20.0
"""CPU seconds for all checkers of a session; a 50 MB session takes about 3 s. Claude Code ends a hook after 120 s."""
_SATISFIED_BY_VERDICT = {Verdict.VIOLATED: False, Verdict.SATISFIED: True, Verdict.UNKNOWN: None}


def analyze(
    session: Session,
    considerations: Sequence[Consideration],
    judge: SessionJudge | None = None,
    addressed: Iterable[str] = (),
    disabled: Iterable[str] = (),
) -> Analysis:
    """Return the results of all enabled considerations. The ids in `addressed` count as satisfied without a check."""
    kind = get_session_type(session)
    addressed, disabled = frozenset(addressed), frozenset(disabled)
    enabled = [item for item in considerations if item.enabled and item.id not in disabled]
    questions = [item for item in enabled if item.applies_to(kind) and item.id not in addressed]
    answers = ask_judge(session, questions, judge)
    end = time.process_time() + RECORDS_SECONDS
    results = {item.id: _build_result(item, kind, session, answers, end, item.id in addressed) for item in enabled}
    analysis = Analysis(kind, results)
    logger.info("session %s: %s; answers from %s", session.transcript.session_id, kind, analysis.sources)
    return analysis


def get_session_type(session: Session) -> SessionType:
    """Return the type of a session: AMPLIHACK_SESSION_TYPE if it is set, else the type computed from its records."""
    override = os.environ.get("AMPLIHACK_SESSION_TYPE", "").upper()
    if override in list(SessionType):
        return SessionType(override)
    if override:
        logger.warning("AMPLIHACK_SESSION_TYPE=%.40r is not a session type; using the one from the records", override)
    return classify_session(session)


def ask_judge(
    session: Session, considerations: Sequence[Consideration], judge: SessionJudge | None
) -> Mapping[str, Answer]:
    """Return the judge's answers by consideration, with verified quotes, or {} if there is no judge or it fails."""
    if judge is None or not considerations:
        return {}
    try:
        answers = judge.answer(session.transcript, considerations)
    except Exception as error:
        if is_strict():
            raise
        logger.warning("the judge failed (%s: %s); using only the records", type(error).__name__, error)
        return {}
    return {id: verify_quotes(answer, session.transcript) for id, answer in answers.items()}


class RecordsAnswer(NamedTuple):
    """The answer that the records prove, or an unknown one, and whether the checker failed."""

    answer: Answer
    checker_failed: bool


def check_records(consideration: Consideration, session: Session, end: float | None = None) -> RecordsAnswer:
    """Answer a consideration from the records of a session, without a judge.

    end: the `time.process_time` at which the check is stopped; None means RECORDS_SECONDS from now.
    """
    answer, error = Answer(Verdict.UNKNOWN, "earlier checkers needed too much time"), None
    seconds = RECORDS_SECONDS if end is None else end - time.process_time()
    if seconds > 0:
        with limit_time(seconds):
            answer, error = check_consideration(consideration.checker, session)
    if error and is_strict():
        raise error
    if error:
        logger.warning("the checker of %s failed: %s: %s", consideration.id, type(error).__name__, error)
    return RecordsAnswer(answer, error is not None)


def _build_result(
    consideration: Consideration,
    kind: str,
    session: Session,
    answers: Mapping[str, Answer],
    end: float,
    is_addressed: bool,
) -> CheckerResult:
    result = CheckerResult(
        consideration.id, True, "addressed since the last block", consideration.severity, executed=False,
        category=consideration.category, applicable=consideration.applies_to(kind), source=AnswerSource.NONE,
    )  # fmt: skip
    if is_addressed:
        return result
    proven, checker_failed = check_records(consideration, session, end)
    answer, is_judged = choose_answer(answers.get(consideration.id), proven)
    failed = checker_failed and not is_judged
    satisfied = True if failed else _SATISFIED_BY_VERDICT[answer.verdict]
    source = AnswerSource.MODEL if is_judged else AnswerSource.RECORDS
    steps = answer.steps or ((consideration.recovery,) if consideration.recovery else ())
    return replace(
        result, satisfied=satisfied, reason=answer.why, evidence=answer.quotes,
        executed=is_judged or consideration.checker != "generic", recovery_steps=steps if satisfied is False else (),
        source=AnswerSource.NONE if failed or satisfied is None else source, failed=failed,
    )  # fmt: skip
