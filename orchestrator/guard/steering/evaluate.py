"""Asks every consideration of a session: the judge first, the records where it has no answer; else it is unknown."""

import os
from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from actions.patterns.session_pattern import check_consideration
from actions.session.answer import Answer, Verdict
from actions.session.judging import SessionJudge, joined, verified
from actions.session.session import Session
from actions.session.types import session_type
from orchestrator.errors import is_strict
from orchestrator.guard.steering import log as power_log
from orchestrator.guard.steering.results import Analysis, CheckerResult
from schemas.considerations import AnswerSource, Consideration, SessionType

_SATISFIED = {Verdict.VIOLATED: False, Verdict.SATISFIED: True, Verdict.UNKNOWN: None}


def analyze(
    session: Session,
    considerations: Sequence[Consideration],
    judge: SessionJudge | None = None,
    addressed: Iterable[str] = (),
    left_out: Iterable[str] = (),
) -> Analysis:
    """Return the results of all enabled considerations; those of `addressed` are taken as satisfied and not asked."""
    kind = kind_of(session)
    done, off = frozenset(addressed), frozenset(left_out)
    enabled = [one for one in considerations if one.enabled and one.id not in off]
    asked = [one for one in enabled if one.applies_to(kind) and one.id not in done]
    told = judged(session, asked, judge)
    results = {one.id: _result(one, kind, session, told, one.id in done) for one in enabled}
    analysis = Analysis(kind, results)
    power_log.info("session %s: %s; answers from %s", session.transcript.session_id, kind, analysis.sources)
    return analysis


def kind_of(session: Session) -> SessionType:
    """Return the type of the session; AMPLIHACK_SESSION_TYPE overrides what it shows."""
    own = os.environ.get("AMPLIHACK_SESSION_TYPE", "").upper()
    if own in list(SessionType):
        return SessionType(own)
    if own:
        power_log.warning("AMPLIHACK_SESSION_TYPE=%.40r is no session type; the session itself tells", own)
    return session_type(session)


def judged(session: Session, asked: Sequence[Consideration], judge: SessionJudge | None) -> Mapping[str, Answer]:
    """Return what the judge answers and quotes truly; nothing where there is none, or it failed."""
    if judge is None or not asked:
        return {}
    try:
        answers = judge.answers(session.transcript, asked)
    except Exception as error:
        if is_strict():
            raise
        power_log.warning("the judge failed (%s: %s); the records serve", type(error).__name__, error)
        return {}
    return {id: verified(answer, session.transcript) for id, answer in answers.items()}


def _result(
    one: Consideration, kind: str, session: Session, told: Mapping[str, Answer], is_done: bool
) -> CheckerResult:
    result = CheckerResult(
        one.id, True, "addressed since the last block", one.severity, executed=False, category=one.category,
        applicable=one.applies_to(kind), source=AnswerSource.NONE,
    )  # fmt: skip
    if is_done:
        return result
    answer, is_judged = joined(told.get(one.id), heuristic(one, session))
    satisfied = _SATISFIED[answer.verdict]
    steps = answer.steps or ((one.recovery,) if one.recovery else ())
    return replace(
        result, satisfied=satisfied, reason=answer.why, evidence=answer.quotes,
        executed=is_judged or one.checker != "generic", recovery_steps=steps if satisfied is False else (),
        source=AnswerSource.NONE if satisfied is None else AnswerSource.MODEL if is_judged else AnswerSource.RECORDS,
    )  # fmt: skip


def heuristic(one: Consideration, session: Session) -> Answer:
    """Return what the records prove; unknown where they prove nothing, or the checker failed: that never blocks."""
    answer, error = check_consideration(one.checker, session)
    if error and is_strict():
        raise error
    if error:
        power_log.warning("the checker of %s failed: %s: %s", one.id, type(error).__name__, error)
    return answer
