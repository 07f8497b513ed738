"""Provide power steering under the names that amplihack documents.

To change RETRY_DELAYS, VERIFY_WRITES or DIAGNOSTIC_LOG_DIR, assign to `orchestrator.guard.steering.settings`.
"""
# ruff: noqa: F401 - names for other programs

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from actions.session.answer import Verdict
from actions.session.judge import SessionJudge, choose_answer
from actions.session.transcript_record import Line
from orchestrator.guard.steering import checker, logger
from orchestrator.guard.steering.considerations import load_considerations, load_shipped_considerations
from orchestrator.guard.steering.decision import customize_message
from orchestrator.guard.steering.evaluate import ask_judge, check_records
from orchestrator.guard.steering.results import Analysis, CheckerResult, PowerSteeringResult, ReturnCode
from orchestrator.guard.steering.state import PowerSteeringState
from schemas.codec import from_json
from schemas.considerations import Consideration


class PowerSteeringChecker(checker.PowerSteeringChecker):
    """The checker, with a method `_check_<id>(messages, session_id) -> bool` for each consideration.

    The methods return True if the result is unknown.
    """

    def _generic_analyzer(self, transcript: checker.Source, session_id: str, consideration: dict[str, Any]) -> bool:
        """Return False if the records prove that a consideration is not satisfied."""
        return self._is_not_violated(str(consideration.get("id")), transcript, session_id)

    def __getattr__(self, name: str) -> Callable[[checker.Source, str], bool]:
        id = name.removeprefix("_check_")
        if id == name or id not in {consideration.id for consideration in load_shipped_considerations()}:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return partial(self._is_not_violated, id)

    def _is_not_violated(self, id: str, transcript: checker.Source, session_id: str) -> bool:
        session, _ = self.load_session(transcript, session_id)
        consideration = Consideration(id, "", id, "warning", f"_check_{id}", ("*",))
        return check_records(consideration, session).answer.verdict is not Verdict.VIOLATED


async def analyze_consideration(
    conversation: Sequence[Line],
    consideration: dict[str, Any],
    project_root: Path,
    judge: SessionJudge | None = None,
) -> bool:
    """Return False if a consideration is violated, by the judge's answer or else by the records.

    If `judge` is None, a model is asked within the default budget, if there is a Claude login or an API key.
    """
    import asyncio

    from orchestrator.model import choose_session_judge

    defaults = {"question": "", "category": "", "severity": "warning", "checker": f"_check_{consideration['id']}"}
    parsed = from_json(Consideration, {**defaults, **consideration})
    session, _ = checker.PowerSteeringChecker(project_root).load_session(conversation, None)
    session_judge = judge or choose_session_judge("auto", None, logger.warning).get_session_judge()
    answers = await asyncio.to_thread(ask_judge, session, [parsed], session_judge)
    answer, _ = choose_answer(answers.get(parsed.id), check_records(parsed, session).answer)
    return answer.verdict is not Verdict.VIOLATED
