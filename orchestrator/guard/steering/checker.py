"""The power-steering checker: looks at a session when it wants to stop, and approves or holds it. Fails open."""

import os
from collections.abc import Callable, Sequence, Set
from functools import partial
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from actions.session.answer import Answer, Verdict, satisfied, violated
from actions.session.judging import SessionJudge, joined
from actions.session.session import Session
from actions.session.transcript import Transcript
from actions.session.transcript_parse import parse_transcript
from actions.session.transcript_record import Line
from orchestrator.errors import TuneSkillError, is_strict
from orchestrator.fs import durable, nofollow
from orchestrator.guard.compat.compaction import CompactionValidator, ValidationResult
from orchestrator.guard.steering import log as power_log
from orchestrator.guard.steering.considerations import load_considerations, shipped
from orchestrator.guard.steering.decision import decide, guidance, summary
from orchestrator.guard.steering.diagnostics import loops
from orchestrator.guard.steering.evaluate import analyze, heuristic, judged
from orchestrator.guard.steering.outside import ended_by
from orchestrator.guard.steering.results import Analysis, PowerSteeringResult, ReturnCode
from orchestrator.guard.steering.state import PowerSteeringState, runtime_folder
from orchestrator.guard.steering.switches import switches
from orchestrator.guard.transcripts import read_transcript
from schemas.codec import from_json
from schemas.considerations import Consideration

PREFERENCES = Path(".claude/context/USER_PREFERENCES.md")
"""What the user wants in all sessions of a project: as good as words of the user in each."""

Given = str | os.PathLike[str] | Sequence[Line] | Transcript


class PowerSteeringChecker:
    """Checks sessions of a project. `judge`, where given, is asked first, and what the records prove fills in.

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
            power_log.warning("power steering failed and lets the session go: %s: %s", type(error).__name__, error)
            return PowerSteeringResult("approve", [f"error: {error}"])

    def examine(self, transcript: Given, session_id: str | None = None) -> tuple[Analysis, ValidationResult]:
        """Look at a session and remember nothing. Raises BadInput when its file cannot be read."""
        session, compaction = self.session(*_parsed(transcript, session_id))
        return analyze(session, load_considerations(self.project_root), self.judge), compaction

    def _check(self, transcript: Given, session_id: str | None) -> PowerSteeringResult:
        switched = switches(self.project_root, self.runtime_dir)
        if switched.off:
            return PowerSteeringResult("approve", [f"disabled: {switched.off}"])
        parsed, id = _parsed(transcript, session_id)
        store = PowerSteeringState(id, self.project_root)
        state = store.load_state()
        session, compaction = self.session(parsed, id)
        considerations = load_considerations(self.project_root)
        analysis = analyze(session, considerations, self.judge, state["addressed"], switched.left_out)
        failed = {one.id for one in analysis.failed_blockers}
        let_go = self._let_go(session, store, failed) if failed else ()
        decision = decide(analysis, session, state, let_go)
        saved = store.save_state(decision.state) in (ReturnCode.SUCCESS, ReturnCode.VALIDATION_FAILED)
        if not saved and not decision.approve:  # nobody counts its stops: it would be held for ever
            decision = decide(analysis, session, state, ["state_not_saved"])
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

    def _let_go(self, session: Session, store: PowerSteeringState, failed: Set[str]) -> Sequence[str]:
        """Return why a session may go although something is open: it goes round, or what is outside of it says so."""
        if found := loops(list(store.diagnostics.entries())):
            power_log.warning(
                "the steering state of %s goes round (%s); the session is let go", store.session_id, found
            )
            return ("loop_detected", *found)
        outside = ended_by(session, store.folder, self.project_root, failed)
        return (outside,) if outside else ()

    def session(self, transcript: Transcript, session_id: str) -> tuple[Session, ValidationResult]:
        """Return what is asked about: the transcript with what the compaction validator says of it."""
        compaction = CompactionValidator(self.project_root).examine(transcript, session_id)
        context = compaction.compaction_context
        own = bool(transcript.compactions) and not context.has_security_violation
        told = None if own or not context.has_compaction_event else _told(compaction)
        return Session(transcript, told, _preferences(self.project_root)), compaction

    def _keep(self, store: PowerSteeringState, page: str) -> None:
        try:
            durable.write_bytes(store.folder / "summary.md", page.encode("utf-8", "replace"), sync=False)
        except TuneSkillError as error:
            power_log.warning("the summary was not written: %s", error)

    def _generic_analyzer(self, transcript: Given, session_id: str, consideration: dict[str, Any]) -> bool:
        """Return what the records prove of a consideration: True where they prove nothing against it."""
        return self._passes(str(consideration.get("id")), transcript, session_id)

    def __getattr__(self, name: str) -> Callable[[Given, str], bool]:
        id = name.removeprefix("_check_")
        if id == name or id not in {one.id for one in shipped()}:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return partial(self._passes, id)

    def _passes(self, id: str, transcript: Given, session_id: str) -> bool:
        parsed, session_id = _parsed(transcript, session_id)
        session, _ = self.session(parsed, session_id)
        one = Consideration(id, "", id, "warning", f"_check_{id}", ("*",))
        return heuristic(one, session).verdict is not Verdict.VIOLATED


async def analyze_consideration(
    conversation: Sequence[Line],
    consideration: dict[str, Any],
    project_root: Path,
    judge: SessionJudge | None = None,
) -> bool:
    """Return whether a consideration is satisfied: by the judge, else by what the records prove; unknown passes.

    Without a `judge` the SDK is asked where Claude Code is logged in or a key is set, within its default ceiling.
    """
    import asyncio  # a hook has no use for these

    from orchestrator.model import session_bench

    defaults = {"question": "", "category": "", "severity": "warning", "checker": f"_check_{consideration['id']}"}
    one = from_json(Consideration, {**defaults, **consideration})
    session, _ = PowerSteeringChecker(project_root).session(*_parsed(conversation, None))
    asked = judge or session_bench("auto", None, power_log.warning).of_sessions()
    told = await asyncio.to_thread(judged, session, [one], asked)
    return joined(told.get(one.id), heuristic(one, session))[0].verdict is not Verdict.VIOLATED


def _preferences(project_root: Path) -> str:
    try:
        return nofollow.read(str(project_root / PREFERENCES), nofollow.SMALL).decode("utf-8", "replace")
    except OSError:
        return ""


def _told(compaction: ValidationResult) -> Answer:
    """Return what the validator found; a warning of something else than a loss is told, and lets pass."""
    if compaction.passed:
        return satisfied("; ".join(compaction.warnings) or "nothing was lost at a compaction")
    return violated("; ".join(compaction.warnings), steps=compaction.recovery_steps)


def _parsed(transcript: Given, session_id: str | None) -> tuple[Transcript, str]:
    """Return the transcript and the session's id: the one given, else the stem of the file's name."""
    if isinstance(transcript, Transcript):
        return transcript, session_id or transcript.session_id or "unknown"
    if isinstance(transcript, str | os.PathLike):
        path = Path(transcript)
        return read_transcript(path), session_id or path.stem
    return parse_transcript(transcript, session_id or ""), session_id or "unknown"
