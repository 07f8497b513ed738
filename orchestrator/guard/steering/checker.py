"""Check a session that is about to stop, and approve or block the stop. After an error, approve it."""

import os
from collections.abc import Sequence, Set
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from actions.session.answer import Answer, answer_satisfied, answer_violated
from actions.session.judge import SessionJudge
from actions.session.session import Session
from actions.session.transcript import Transcript
from actions.session.transcript_parse import parse_transcript
from actions.session.transcript_record import Line
from orchestrator.errors import TuneSkillError, is_strict
from orchestrator.fs import durable, nofollow
from orchestrator.guard.compaction.events import has_events
from orchestrator.guard.steering import logger
from orchestrator.guard.steering.considerations import load_considerations
from orchestrator.guard.steering.decision import Decision, decide, format_guidance, format_summary
from orchestrator.guard.steering.diagnostics import find_loops
from orchestrator.guard.steering.evaluate import analyze
from orchestrator.guard.steering.outside_evidence import find_reason_to_stop
from orchestrator.guard.steering.results import Analysis, PowerSteeringResult, ReturnCode
from orchestrator.guard.steering.state import PowerSteeringState, get_runtime_folder
from orchestrator.guard.steering.switches import read_switches
from orchestrator.guard.transcripts import read_transcript

if TYPE_CHECKING:
    from orchestrator.guard.compaction.validator import ValidationResult

PREFERENCES = Path(".claude/context/USER_PREFERENCES.md")
"""The user's instructions for all sessions of a project."""

Source = str | os.PathLike[str] | Sequence[Line] | Transcript
"""A session: the path of its transcript, its messages, or the parsed transcript."""


class PowerSteeringChecker:
    """Checks sessions of a project with the `judge`. Where it gives no answer, the transcript's records are used."""

    def __init__(self, project_root: str | os.PathLike[str], judge: SessionJudge | None = None) -> None:
        self.project_root = Path(project_root)
        self.judge = judge
        self.runtime_dir = get_runtime_folder(self.project_root)

    def check(self, transcript: Source, session_id: str | None = None) -> PowerSteeringResult:
        """Decide whether a session is allowed to stop, and save the decision. After an error, the session may stop."""
        try:
            return self._check(transcript, session_id)
        except Exception as error:
            if is_strict():
                raise
            logger.warning("power steering failed; the session may stop: %s: %s", type(error).__name__, error)
            return PowerSteeringResult("approve", [f"error: {error}"])

    def examine(self, transcript: Source, session_id: str | None = None) -> "tuple[Analysis, ValidationResult]":
        """Analyze a session without saving anything. Raises BadInput if its file cannot be read."""
        from orchestrator.guard.compaction.validator import ValidationResult

        session, compaction = self.load_session(transcript, session_id)
        analysis = analyze(session, load_considerations(self.project_root), self.judge)
        return analysis, compaction or ValidationResult(True)

    def load_session(self, transcript: Source, session_id: str | None) -> "tuple[Session, ValidationResult | None]":
        """Return the session for the checkers, and what it lost if it was compacted. Raises BadInput."""
        return self._build_session(*parse(transcript, session_id))

    def _check(self, transcript: Source, session_id: str | None) -> PowerSteeringResult:
        switches = read_switches(self.project_root, self.runtime_dir)
        if switches.off:
            return PowerSteeringResult("approve", [f"disabled: {switches.off}"])
        parsed, id = parse(transcript, session_id)
        store = PowerSteeringState(id, self.project_root)
        state = store.load_state()
        session, compaction = self._build_session(parsed, id)
        considerations = load_considerations(self.project_root)
        analysis = analyze(session, considerations, self.judge, state["addressed"], switches.disabled)
        failed = {result.id for result in analysis.failed_blockers}
        reasons_to_stop = self._find_reasons_to_stop(session, store, failed) if failed else ()
        decision = decide(analysis, session, state, reasons_to_stop)
        is_saved = store.save_state(decision.state) in (ReturnCode.SUCCESS, ReturnCode.VALIDATION_FAILED)
        if not is_saved and not decision.approve:  # without a saved count, the block limit would never be reached
            decision = decide(analysis, session, state, ["state_not_saved"])
        return self._build_result(analysis, decision, compaction, store)

    def _build_result(
        self, analysis: Analysis, decision: Decision, compaction: "ValidationResult | None", store: PowerSteeringState
    ) -> PowerSteeringResult:
        result = PowerSteeringResult(
            "approve" if decision.approve else "block",
            decision.reasons,
            analysis=analysis,
            considerations=list(analysis.results.values()),
            compaction=compaction,
            check_results=decision.state["check_results"],
        )
        if not decision.approve:
            return replace(result, continuation_prompt=format_guidance(analysis, decision.state))
        page = format_summary(analysis, decision.state, decision.reasons)
        try:
            durable.write_bytes(store.folder / "summary.md", page.encode("utf-8", "replace"), sync=False)
        except TuneSkillError as error:
            logger.warning("the summary was not written: %s", error)
        return replace(result, summary=page)

    def _find_reasons_to_stop(self, session: Session, store: PowerSteeringState, failed: Set[str]) -> Sequence[str]:
        """Return why a session is allowed to stop although checks failed.

        It is allowed if it is in a loop, or if other evidence shows that the work is done.
        """
        if loops := find_loops(list(store.diagnostics.entries())):
            logger.warning("session %s is in a loop (%s) and may stop", store.session_id, loops)
            return ("loop_detected", *loops)
        outside = find_reason_to_stop(session, store.folder, self.project_root, failed)
        return (outside,) if outside else ()

    def _build_session(self, transcript: Transcript, session_id: str) -> "tuple[Session, ValidationResult | None]":
        if not (transcript.compactions or has_events(self.project_root)):  # saves 5 ms: no dataclasses are needed
            return Session(transcript, None, _read_preferences(self.project_root)), None
        from orchestrator.guard.compaction.validator import CompactionValidator

        compaction = CompactionValidator(self.project_root).validate_transcript(transcript, session_id)
        context = compaction.compaction_context
        is_in_transcript = bool(transcript.compactions) and not context.has_security_violation
        answer = None if is_in_transcript or not context.has_compaction_event else _build_compaction_answer(compaction)
        return Session(transcript, answer, _read_preferences(self.project_root)), compaction


def parse(transcript: Source, session_id: str | None) -> tuple[Transcript, str]:
    """Return the transcript and the session's id. The default of the id is the name of the file.

    Raises BadInput if the transcript cannot be read.
    """
    if isinstance(transcript, Transcript):
        return transcript, session_id or transcript.session_id or "unknown"
    if isinstance(transcript, str | os.PathLike):
        path = Path(transcript)
        return read_transcript(path), session_id or path.stem
    return parse_transcript(transcript, session_id or ""), session_id or "unknown"


def _read_preferences(project_root: Path) -> str:
    try:
        return nofollow.read(str(project_root / PREFERENCES), nofollow.MAX_SMALL_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""


def _build_compaction_answer(compaction: "ValidationResult") -> Answer:
    """Convert the validator's result to an answer.

    The answer is "satisfied" if nothing was lost, even if there are warnings.
    """
    if compaction.passed:
        return answer_satisfied("; ".join(compaction.warnings) or "nothing was lost at a compaction")
    return answer_violated("; ".join(compaction.warnings), steps=compaction.recovery_steps)
