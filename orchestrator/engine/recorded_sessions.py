"""Read the recorded sessions that are used as evidence: those that the user names, or those that used the skill."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from actions.case import Case
from actions.evidence.skill_lines import find_first_use
from actions.history.agent_texts import runs_agent
from actions.session.answer import Answer
from actions.session.transcript import Transcript
from orchestrator.engine.agent_texts import add_texts
from orchestrator.errors import BadInput
from orchestrator.fs.home import parse_path
from orchestrator.guard.steering.considerations import load_considerations
from orchestrator.guard.transcripts import find_sessions, is_evidence, read_transcript, uses_skill
from orchestrator.model import JudgeAccess
from orchestrator.project.settings import get_current_project
from schemas.considerations import Consideration
from schemas.issues import Cost
from schemas.options import Options
from schemas.vocabulary import UnitKind
from templates.filters import counted

MAX_SESSIONS = 20
"""Maximum number of sessions to read, newest first. Older ones may have used another version of the skill."""
MAX_JUDGED = 3
"""Maximum number of sessions that the model reads, newest first."""
COST_SHARE = 0.25
"""The share of the cost limit for questions about sessions. Questions about the skill are more useful."""
MAX_CHARACTERS = 40_000
"""Maximum number of characters of a session that the model reads."""
_MAX_FOUND = 50
"""Maximum number of sessions to search for in the project."""
_MAX_IN_MEMORY = 2_000_000
"""Maximum number of characters of a session to keep in memory."""

_NO_COST, _NO_MODEL = Cost(), JudgeAccess()


class RecordedSessions(msgspec.Struct, frozen=True):
    """Recorded sessions, with the considerations to check in them and notes about skipped sessions.

    `judged` maps each session id to a model's answers by consideration id.
    """

    sessions: tuple[Transcript, ...] = ()
    considerations: tuple[Consideration, ...] = ()
    notes: tuple[str, ...] = ()
    judged: Mapping[str, Mapping[str, Answer]] = msgspec.field(default_factory=dict)
    cost: Cost = _NO_COST


def read_sessions(
    options: Options, case: Case, root: Path, access: JudgeAccess = _NO_MODEL, trials: Sequence[Path] = ()
) -> RecordedSessions:
    """Read the sessions that the options select, and ask the model about the newest ones.

    `root` is the folder of a skill, or the project root of another kind of unit. `trials` are the session files of the
    skill's trials, which are also read if the option for sessions is `discover`.
    """
    if options.sessions == "none":
        return RecordedSessions()
    notes: list[str] = []
    files = (
        _list_explicit_files(options.session_paths, notes)
        if options.sessions == "given"
        else _find_files(case, root, trials)
    )
    if len(files) > MAX_SESSIONS:
        more = "or more " if options.sessions == "discover" and len(files) == _MAX_FOUND else ""
        left_out = f"{len(files) - MAX_SESSIONS} {more}older ones were left out"
        notes.append(f"the {MAX_SESSIONS} newest sessions were read; {left_out}")
    transcripts = tuple(_read_transcripts(files[:MAX_SESSIONS], notes))
    used_sessions = [transcript for transcript in transcripts if _is_used(transcript, case)]
    if unused_count := len(transcripts) - len(used_sessions):
        subject = f"{unused_count} of {counted(len(transcripts), 'session')} {'does' if unused_count == 1 else 'do'}"
        notes.append(f"{subject} not show {case.unit.name} in use, so nothing in them counts as evidence")
    sessions = add_texts(case, root, used_sessions, notes)
    if not sessions:
        return RecordedSessions(notes=tuple(notes))
    considerations = load_considerations(get_current_project())
    judged, cost = _ask_model(sessions[:MAX_JUDGED], considerations, access)
    return RecordedSessions(sessions, considerations, tuple(notes), judged, cost)


def _ask_model(
    sessions: Sequence[Transcript], considerations: Sequence[Consideration], access: JudgeAccess
) -> tuple[Mapping[str, Mapping[str, Answer]], Cost]:
    """Ask a model about sessions, for at most COST_SHARE of the cost limit. Returns its answers and the cost."""
    if not access.reads_sessions or not sessions:
        return {}, _NO_COST
    from actions.evidence.collect import select_considerations  # imported here because the checkers load slowly
    from orchestrator.model.sessions import QuestioningJudge

    with access.limit_for_evidence(COST_SHARE) as judge:
        client = QuestioningJudge(judge, MAX_CHARACTERS, at_once=True)
        answers = {
            session.session_id: client.answer(session, select_considerations(session, considerations))
            for session in sessions
        }
        return answers, client.cost


def list_session_files(text: str) -> list[Path]:
    """Return the session file at a path, or all session files in the folder at the path.

    Raises BadInput if there is none.
    """
    path = parse_path(text)
    try:
        if not path.is_dir():
            path.stat()
            return [path]
        files = [file for file in sorted(path.glob("*.jsonl")) if not file.name.startswith("agent-")]
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise BadInput(f"{text}: {why}; give the .jsonl file of a session, or a folder of them") from None
    if not files:
        raise BadInput(f"{text}: no .jsonl file in this folder; give the folder of the sessions")
    return files


def _list_explicit_files(paths: Sequence[str], notes: list[str]) -> list[Path]:
    """Return the session files at these paths, newest first, without duplicates. Errors become notes."""
    files: list[Path] = []
    for text in paths:
        try:
            files += list_session_files(text)
        except BadInput as error:
            notes.append(str(error))
    return [*sort_by_age(files)]


def sort_by_age(files: Iterable[Path]) -> dict[Path, float]:
    """Return the real paths of files with their modification times, newest first, without dead links."""
    times: dict[Path, float] = {}
    for file in files:
        with suppress(OSError, RuntimeError):
            times[file.resolve()] = file.stat().st_mtime
    return {file: times[file] for file in sorted(times, key=lambda file: (-times[file], file))}


def _is_used(transcript: Transcript, case: Case) -> bool:
    if case.skill.kind is UnitKind.AGENT:
        return runs_agent(transcript, case.unit.name)
    return find_first_use(transcript, case.skill) is not None


def _find_files(case: Case, root: Path, trials: Sequence[Path]) -> list[Path]:
    """Return the project's sessions that used the unit, and those of the unit's trials, newest first."""
    name, is_agent = (case.unit.name, True) if case.skill.kind is UnitKind.AGENT else (case.skill.name, False)

    def is_used(session: Transcript) -> bool:
        return runs_agent(session, name) if is_agent else uses_skill(session, name, root)

    files = [*find_sessions(name, get_current_project(), is_used, _MAX_FOUND), *trials]
    return sorted(files, key=lambda path: -path.stat().st_mtime)[:_MAX_FOUND]


def _read_transcripts(paths: Sequence[Path], notes: list[str]) -> Iterator[Transcript]:
    """Yield the sessions that can be evidence, and add a note on each of the others."""
    for path in paths:
        try:
            transcript = read_transcript(path, _MAX_IN_MEMORY)
        except BadInput as error:
            notes.append(f"a session was not read: {error}")
            continue
        if not (transcript.messages or transcript.calls):
            notes.append(f"{path}: not used as evidence, because it has no messages")
        elif not is_evidence(transcript):
            notes.append(f"{path}: not used as evidence, because it is a session of tune-skill's own model")
        else:
            yield transcript
