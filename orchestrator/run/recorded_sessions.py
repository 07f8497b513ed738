"""The recorded sessions that serve as evidence in a run: those given, or those found in which the skill was used."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from actions.evidence.skill_lines import first_use
from actions.session.answer import Answer
from actions.session.transcript import Transcript
from actions.skill import Skill
from orchestrator.errors import BadInput
from orchestrator.fs.home import parse_path
from orchestrator.guard.steering.considerations import load_considerations
from orchestrator.guard.transcripts import JUDGE_MARK, find_sessions, read_transcript
from orchestrator.model import Bench
from orchestrator.project.settings import project_folder
from orchestrator.tuning.trial.places import recorded as trial_sessions
from schemas.considerations import Consideration
from schemas.issues import Cost
from schemas.options import Options
from templates.filters import counted

MOST = 20
"""Sessions that are looked at, the newest: what older ones show may be of another text of the skill."""

JUDGED, SHARE, DIGEST = 3, 0.25, 40_000
"""Sessions that a judge reads, the newest; its share of the ceiling for them; characters of a session that it gets.

What the judge says of the skill itself is worth more, and has to be paid from the rest.
"""

_FOUND = 50
_KEPT = 2_000_000
"""Characters of one session that stay in memory."""


_FREE, _NOBODY = Cost(), Bench()


@dataclass(frozen=True)
class Recorded:
    """Sessions, what is asked of them, what could not be learnt, and what a judge says at which cost."""

    sessions: tuple[Transcript, ...] = ()
    considerations: tuple[Consideration, ...] = ()
    notes: tuple[str, ...] = ()
    judged: Mapping[str, Mapping[str, Answer]] = field(default_factory=dict)
    cost: Cost = _FREE


def recorded(options: Options, skill: Skill, root: Path, bench: Bench = _NOBODY) -> Recorded:
    """Read the sessions that a run was asked to use; a judge reads the newest. What cannot be read costs a note."""
    if options.sessions == "none":
        return Recorded()
    notes: list[str] = []
    found = _given(options.session_paths, notes) if options.sessions == "given" else _discovered(skill, root)
    if len(found) > MOST:
        more = "or more " if options.sessions == "discover" and len(found) == _FOUND else ""
        notes.append(f"the {MOST} newest sessions were read; {len(found) - MOST} {more}older ones were left out")
    read = tuple(_read(found[:MOST], notes))
    sessions = tuple(transcript for transcript in read if first_use(transcript, skill) is not None)
    if unused := len(read) - len(sessions):
        told = f"{unused} of {counted(len(read), 'session')} {'does' if unused == 1 else 'do'} not show"
        notes.append(f"{told} {skill.name} in use; what happened there is no evidence of it")
    if not sessions:
        return Recorded(notes=tuple(notes))
    considerations = load_considerations(project_folder())
    judged, cost = _judged(sessions[:JUDGED], considerations, bench)
    return Recorded(sessions, considerations, tuple(notes), judged, cost)


def _judged(
    sessions: Sequence[Transcript], considerations: Sequence[Consideration], bench: Bench
) -> tuple[Mapping[str, Mapping[str, Answer]], Cost]:
    """Ask the judge about sessions, within its share of the ceiling; where it has no answer the heuristics serve."""
    if not bench.reads_sessions or not sessions:
        return {}, _FREE
    from actions.evidence.collect import select_considerations  # the checkers cost as much time to load as all the rest
    from orchestrator.model.sessions import QuestioningJudge

    with bench.of_evidence(SHARE) as judge:
        asking = QuestioningJudge(judge, DIGEST, at_once=True)
        answers = {one.session_id: asking.answers(one, select_considerations(one, considerations)) for one in sessions}
        return answers, asking.cost


def session_files(given: str) -> list[Path]:
    """Give the session that a path names, or those of a folder.

    Raises BadInput when nothing is there, or the folder holds no session.
    """
    path = parse_path(given)
    try:
        if not path.is_dir():
            path.stat()
            return [path]
        found = [file for file in sorted(path.glob("*.jsonl")) if not file.name.startswith("agent-")]
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise BadInput(f"{given}: {why}; give the .jsonl file of a session, or a folder of them") from None
    if not found:
        raise BadInput(f"{given}: no .jsonl file in this folder; give the folder that holds the sessions")
    return found


def _given(paths: Sequence[str], notes: list[str]) -> list[Path]:
    """Give the files of paths that were there when the run began, the newest first, each once."""
    timed: dict[Path, float] = {}
    for given in paths:
        try:
            files = session_files(given)
        except BadInput as error:
            notes.append(str(error))
            continue
        for file in files:
            with suppress(OSError, RuntimeError):
                timed[file.resolve()] = file.stat().st_mtime
    return sorted(timed, key=lambda file: (-timed[file], file))


def _discovered(skill: Skill, root: Path) -> list[Path]:
    """Return the sessions of the project in which the skill was used, and those of its trials, the newest first."""
    found = [*find_sessions(skill.name, root, project_folder(), _FOUND), *trial_sessions(root)]
    return sorted(found, key=lambda path: -path.stat().st_mtime)[:_FOUND]


def _read(paths: Sequence[Path], notes: list[str]) -> Iterator[Transcript]:
    for path in paths:
        try:
            transcript = read_transcript(path, _KEPT)
        except BadInput as error:
            notes.append(f"a session was not read: {error}")
            continue
        if not (transcript.messages or transcript.calls):
            notes.append(f"{path}: no message in it; it is no evidence")
        elif transcript.prompts and transcript.prompts[0].text.lstrip().startswith(JUDGE_MARK):
            notes.append(f"{path}: a session of the judge; it is no evidence")
        else:
            yield transcript
