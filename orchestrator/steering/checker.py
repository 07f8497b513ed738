"""The power-steering checker: looks at a session when it wants to stop, and approves or holds it. Fails open."""

import asyncio
import logging
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from actions.patterns.session import Answer, Session, Verdict, all_checkers
from actions.session.checker import clean, found
from actions.session.judging import Consideration, SessionJudge
from actions.session.transcript import Transcript
from actions.session.transcript_parse import parse_transcript
from actions.session.transcript_record import Line
from orchestrator import durable
from orchestrator.compaction import CompactionValidator, ValidationResult
from orchestrator.errors import TuneSkillError, is_strict
from orchestrator.steering.considerations import load_considerations
from orchestrator.steering.decision import decide, guidance, summary
from orchestrator.steering.evaluate import analyze, heuristic
from orchestrator.steering.results import Analysis, PowerSteeringResult
from orchestrator.steering.state import PowerSteeringState, runtime_folder
from orchestrator.steering.switches import switches
from orchestrator.transcripts import read_transcript
from schemas.codec import from_json

_log = logging.getLogger("amplihack.power_steering")
Given = str | os.PathLike[str] | Sequence[Line] | Transcript


class PowerSteeringChecker:
    """Checks sessions of a project. `judge`, where given, is asked before the heuristics.

    For each consideration there is also `_check_<id>(messages, session_id) -> bool`, which lets pass what is unknown.
    """

    def __init__(self, project_root: str | os.PathLike[str], judge: SessionJudge | None = None) -> None:
        self.project_root = Path(project_root)
        self.judge = judge
        self.runtime_dir = runtime_folder(self.project_root)

    def check(self, transcript: Given, session_id: str | None = None) -> PowerSteeringResult:
        """Decide on a Stop and remember it: the path of a transcript, or its messages. An error approves."""
        try:
            return self._check(transcript, session_id)
        except Exception as error:
            if is_strict():
                raise
            _log.warning("power steering failed and lets the session go: %s: %s", type(error).__name__, error)
            return PowerSteeringResult("approve", [f"error: {error}"])

    def examine(self, transcript: Given, session_id: str | None = None) -> tuple[Analysis, ValidationResult]:
        """Look at a session and remember nothing. Raises BadInput when its file cannot be read."""
        parsed, id = _parsed(transcript, session_id)
        session, compaction = self._session(parsed, id)
        return analyze(session, load_considerations(self.project_root), self.judge), compaction

    def _check(self, transcript: Given, session_id: str | None) -> PowerSteeringResult:
        switched = switches(self.project_root, self.runtime_dir)
        if switched.off:
            return PowerSteeringResult("approve", [f"disabled: {switched.off}"])
        parsed, id = _parsed(transcript, session_id)
        store = PowerSteeringState(id, self.project_root)
        state = store.load_state()
        session, compaction = self._session(parsed, id)
        considerations = load_considerations(self.project_root)
        analysis = analyze(session, considerations, self.judge, state["addressed"], switched.left_out)
        decision = decide(analysis, session, state)
        store.save_state(decision.state)
        result = PowerSteeringResult(
            "approve" if decision.approve else "block",
            decision.reasons,
            analysis=analysis,
            considerations=list(analysis.results.values()),
            compaction_context=compaction.compaction_context,
            check_results=decision.state["check_results"],
        )
        if not decision.approve:
            return replace(result, continuation_prompt=guidance(analysis, decision.state))
        page = summary(analysis, decision.state, decision.reasons)
        self._keep(store, page)
        return replace(result, summary=page)

    def _session(self, transcript: Transcript, session_id: str) -> tuple[Session, ValidationResult]:
        compaction = CompactionValidator(self.project_root).examine(transcript, session_id)
        context = compaction.compaction_context
        own = bool(transcript.compactions) and not context.has_security_violation
        return Session(transcript, None if own or not context.has_compaction_event else _told(compaction)), compaction

    def _keep(self, store: PowerSteeringState, page: str) -> None:
        try:
            durable.write_bytes(store.folder / "summary.md", page.encode("utf-8", "replace"))
        except TuneSkillError as error:
            _log.warning("the summary was not written: %s", error)

    def _generic_analyzer(self, transcript: Given, session_id: str, consideration: dict[str, Any]) -> bool:
        """Answer for a consideration without a judge: True where nothing tells otherwise."""
        return self._passes(str(consideration.get("id")), transcript, session_id)

    def __getattr__(self, name: str) -> Callable[[Given, str], bool]:
        id = name.removeprefix("_check_")
        if id == name or id not in all_checkers():
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return partial(self._passes, id)

    def _passes(self, id: str, transcript: Given, session_id: str) -> bool:
        parsed, session_id = _parsed(transcript, session_id)
        session, _ = self._session(parsed, session_id)
        one = Consideration(id, "", id, "warning", f"_check_{id}", ("*",))
        return heuristic(one, session)[0].verdict is not Verdict.FOUND


async def analyze_consideration(
    conversation: Sequence[Line],
    consideration: dict[str, Any],
    project_root: Path,
    judge: SessionJudge | None = None,
) -> bool:
    """Say whether a consideration is satisfied: by the judge if there is one, else by the heuristic; unknown passes."""
    defaults = {"question": "", "category": "", "severity": "warning", "checker": f"_check_{consideration['id']}",
                "applicable_session_types": ["*"]}  # fmt: skip
    one = from_json(Consideration, {**defaults, **consideration})
    session = Session(parse_transcript(conversation))
    answers = await asyncio.to_thread(judge.answers, session.transcript, [one]) if judge else {}
    answer = answers.get(one.id) or heuristic(one, session)[0]
    return answer.verdict is not Verdict.FOUND


def _told(compaction: ValidationResult) -> Answer:
    """Return what the validator found; a warning of something else than a loss is told, and lets pass."""
    if compaction.passed:
        return clean("; ".join(compaction.warnings) or "nothing was lost at a compaction")
    return found("; ".join(compaction.warnings), steps=compaction.recovery_steps)


def _parsed(transcript: Given, session_id: str | None) -> tuple[Transcript, str]:
    """Give the transcript and the session's id: the one given, else the stem of the file's name."""
    if isinstance(transcript, Transcript):
        return transcript, session_id or transcript.session_id or "unknown"
    if isinstance(transcript, str | os.PathLike):
        path = Path(transcript)
        return read_transcript(path), session_id or path.stem
    return parse_transcript(transcript, session_id or ""), session_id or "unknown"
