"""Build the status of a run, which the tools return. It has fewer than 8,000 characters."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from actions.reporting.client_pages import (
    Dialog,
    Page,
    make_findings_page,
    make_fixes_page,
    make_outcome_page,
)
from actions.review.asking import is_about_lookups
from actions.steps.analyze_requirements import list_open_questions
from orchestrator.model.question_queue import QuestionQueue
from orchestrator.run.store import REPORT_FILE
from orchestrator.servers.mcp.results import (
    DialogOption,
    Finding,
    OpenQuestion,
    RunStatus,
    UnclearRequest,
    UserDialog,
)
from schemas.issues import Issue
from schemas.records import State
from schemas.vocabulary import IssueStatus, Pause, Phase
from templates.filters import counted

_MAX_PLACES = 20
"""Maximum number of places that are listed for a finding, in addition to the first one."""
_MAX_NOTES = 800
"""Maximum number of characters of all notes together."""
_MAX_TEXT = 200
"""Maximum number of characters of each text in a finding."""
_NEXT_STEPS = {
    "questions": "start an agent for each of `questions` and, in the same message, call `fixes` with `run` and `wait`",
    "answers": "all open questions are being answered; start no agent, and call `fixes` with `run` and `wait`",
    "clarification": "ask the user what is meant, then call `diagnose` with `run` and `meant`",
    "finding_selection": "show the user the text in `show`, ask the question in `ask`, then call `fixes` with `run` "
    "and the chosen ids as `findings`",
    "fix_selection": "show the user the text in `show`, ask the question in `ask`, then call `apply` with `run` "
    "and the chosen ids as `fixes`",
    "nothing": "the run has ended; show the user the text in `show`",
    "choices": "the run has ended; show the user the text in `show`, ask the questions in `choices`, then call `fixes` "
    "with `run` and the answers as `meant`",
    "go_on": "call `fixes` to resume the run",
}


def make_status(state: State, work_dir: Path, notes: tuple[str, ...] = ()) -> RunStatus:
    """Return the status of a run: what it waits for, what to show the user, and what to ask."""
    queue = QuestionQueue(work_dir).list_open() if state.pause is Pause.QUESTIONS else []
    waits_for, page = _find_pause(state), _make_page(state, work_dir)
    unclaimed = tuple(OpenQuestion(queued.id, queued.question.name) for queued in queue if not queued.claimed)
    if waits_for == "questions" and not unclaimed:
        waits_for = "answers" if queue else "go_on"
    return RunStatus(
        run=state.run_id,
        skill=state.target_skill.name or "",
        path=state.target_skill.path or "",
        waits_for=waits_for,
        next=_NEXT_STEPS["choices" if page.choices else waits_for],
        open_questions=len(queue),
        questions=unclaimed,
        unclear=tuple(_list_unclear_requests(state)) if state.pause is Pause.CLARIFICATION else (),
        show=page.text,
        ask=_make_dialog(page.dialog) if page.dialog else None,
        choices=tuple(map(_make_dialog, page.choices)),
        left_out=page.left_out,
        score=state.quality_score if state.rounds else None,
        gate=state.quality_gate.value if state.rounds else "",
        judge=state.judge or "",
        notes=_cut_notes((*notes, *(note for note in state.notes if not is_about_lookups(note)))),
    )


def add_note(status: RunStatus, note: str) -> RunStatus:
    """Return the status with a note before its others."""
    return replace(status, notes=_cut_notes((note, *status.notes)))


def mark_being_answered(status: RunStatus) -> RunStatus:
    """Return the status of a run whose questions the server itself is answering.

    The client must start no agent, and must also wait while the run processes the last answer.
    """
    is_asked = status.waits_for in ("questions", "go_on")
    return replace(status, questions=(), waits_for="answers", next=_NEXT_STEPS["answers"]) if is_asked else status


def mark_resumable(status: RunStatus) -> RunStatus:
    """Return the status of a run that the next call resumes, after which the server itself asks the questions."""
    return replace(status, questions=(), waits_for="go_on", next=_NEXT_STEPS["go_on"])


def _list_unclear_requests(state: State) -> Iterator[UnclearRequest]:
    """Yield the parts of the user's request whose meaning is unclear and not chosen yet."""
    for question in list_open_questions(state):
        yield UnclearRequest(question.dimension_id, question.description, question.possible_interpretations)


def _find_pause(state: State) -> str:
    """Return what the run waits for, as in `RunStatus.waits_for`."""
    if state.phase in (Phase.COMPLETED, Phase.FAILED):
        return "nothing"
    return state.pause.value if state.pause else "go_on"


def _make_page(state: State, work_dir: Path) -> Page:
    match _find_pause(state):
        case "nothing":
            return make_outcome_page(state, str(work_dir / REPORT_FILE))
        case "finding_selection":
            return make_findings_page(state)
        case "fix_selection":
            return make_fixes_page(state)
    return Page("")


def _make_dialog(dialog: Dialog) -> UserDialog:
    options = tuple(DialogOption(option.label, option.description, option.ids) for option in dialog.choices)
    return UserDialog(dialog.question, dialog.header, dialog.several, options)


def _cut_notes(notes: Sequence[str]) -> tuple[str, ...]:
    """Return the first notes that fit, without duplicates. If notes are omitted, the last note says how many."""
    shown, characters_left = list[str](), _MAX_NOTES
    for note in dict.fromkeys(notes):
        characters_left -= len(note)
        if characters_left < 0:
            return (*shown, f"{counted(len(dict.fromkeys(notes)) - len(shown), 'more note')}: see the report")
        shown.append(note)
    return tuple(shown)


def make_finding(issue: Issue) -> Finding:
    """Convert an issue to the finding that clients get. Long texts are shortened."""
    at, places = issue.location, issue.places
    also = tuple(f"{place.file}:{place.line_start or 1}" for place in places[1 : 1 + _MAX_PLACES])
    return Finding(
        issue.id, issue.pattern, issue.severity.value, issue.status.value, issue.how_known, at.file, at.line_start,
        shorten(issue.description), shorten(places[0].quote), shorten(issue.impact) if issue.read_by else "",
        shorten(issue.verdict.why) if issue.verdict and issue.status is IssueStatus.REJECTED else "",
        len(places), also,
    )  # fmt: skip


def shorten(text: str) -> str:
    """Shorten a text, between two words if possible."""
    start = text[:_MAX_TEXT]
    return text if start == text else (start.rpartition(" ")[0] or start).rstrip() + "…"
