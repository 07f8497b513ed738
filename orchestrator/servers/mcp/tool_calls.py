"""Implement the tools. Their functions can block.

The arguments have been validated by the schema of the tool. Expected errors are raised as TuneSkillError.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from actions.case import Case
from actions.reporting.client_pages import make_outcome_page
from actions.review.checking import find_library
from actions.scoring.issues import hash_files
from orchestrator.errors import BadInput, Refused, reason
from orchestrator.fs.paths import resolve_links
from orchestrator.listing.skill_note import describe_listing
from orchestrator.model.lookup_request import read_request
from orchestrator.model.question_queue import QuestionQueue
from orchestrator.project.targets import find_target
from orchestrator.project.unit_finder import LocatedUnit
from orchestrator.run import decisions
from orchestrator.run.case_reader import read_target_case
from orchestrator.run.create import start_run
from orchestrator.run.run import Run
from orchestrator.run.store import REPORT_FILE, StateStore
from orchestrator.run.unfinished import ensure_not_improved
from orchestrator.run.work_dirs import find_newest_run, find_run_by_id, list_own_runs
from orchestrator.run.workspace.pending import find_pending
from orchestrator.servers.mcp.client_listener import ClientListener
from orchestrator.servers.mcp.results import (
    AnswerResult,
    ClaimedQuestion,
    LookupResult,
    ReportResult,
    RollbackResult,
    RunStatus,
)
from orchestrator.servers.mcp.run_status import make_status
from orchestrator.servers.mcp.wait import CLAIM_SECONDS, wait_for_answers
from schemas.options import Options
from schemas.records import State
from schemas.vocabulary import Pause, Phase
from templates.filters import counted, sealed

MAX_CHARACTERS = 1_000_000
"""Maximum length of an answer. It is about ten times the longest answer that a schema allows."""

Arguments = Mapping[str, Any]
_USER_DECIDES = (Pause.CLARIFICATION, Pause.FINDING_SELECTION, Pause.FIX_SELECTION)
_ENDED_PHASES = (Phase.COMPLETED, Phase.FAILED)


class Client(msgspec.Struct, frozen=True):
    """The client of a call: its listener and its name."""

    listener: ClientListener
    name: str = ""


def diagnose(arguments: Arguments, client: Client) -> RunStatus:
    """Start or resume a run whose questions the client answers. Continues the run until its next pause."""
    if arguments.get("run"):
        QuestionQueue(find_run_by_id(arguments["run"])).release_agents()
        return _resume(arguments["run"], client, lambda state: _clarify(state, arguments.get("meant") or {}))
    if not arguments.get("skill"):
        raise BadInput("pass `skill` (a folder or a name) to start a run, or `run` to resume one")
    target, issue = find_target(arguments["skill"]), arguments.get("issue") or ""
    if not arguments.get("anew") and (unfinished := _find_unfinished(target, issue)):
        client.listener.say(f"continuing the unfinished run {unfinished.name}; `diagnose` with `anew` starts a new one")
        return _resume(unfinished.name, client, lambda state: state)
    options = Options(judge="mcp", apply="ask", sessions="discover" if arguments.get("sessions", True) else "none")
    run = start_run(target, options, client.listener, issue=issue)
    if isinstance(target, Path) and (note := describe_listing(target)):
        client.listener.say(note)
    return _build_status(run, client)


def _find_unfinished(target: Path | LocatedUnit, issue: str) -> Path | None:
    """Return the newest unfinished run that an MCP client started for this unit.

    Returns None if there is no such run, or if the unit's files have changed since it began. issue: consider only
    runs with this description of the problem (all if "").
    """
    unit_path = resolve_links(target.root / target.unit.path if isinstance(target, LocatedUnit) else target)
    for work_dir in reversed(list_own_runs()):
        with suppress(BadInput, Refused):
            state = read_state(work_dir)
            is_open = state.options.judge == "mcp" and state.phase not in _ENDED_PHASES
            is_same_problem = issue in ("", state.user_issue_description)
            if is_open and is_same_problem and state.target_skill.path == str(unit_path):
                files = state.target_skill.files
                is_unchanged = not files or files == hash_files(read_run_case(state).skill)
                return work_dir if is_unchanged else None
    return None


def claim_question(arguments: Arguments, client: Client) -> ClaimedQuestion:
    """Claim the question with the given id, or the next unclaimed one."""
    work_dir, _ = _load_run(arguments["run"])
    queue = QuestionQueue(work_dir)
    claimed, open_count = queue.claim(arguments.get("id")), len(queue.list_open())
    if claimed is None:
        next_step = "other agents are answering the open questions: pass the `id` that you received, or wait"
        if not open_count:
            next_step = "no open questions: call `fixes`"
        return ClaimedQuestion(work_dir.name, "", "", "", "", {}, open_count, next_step)
    if client.listener.is_gone:
        queue.release(claimed.id, claimed.token)
    next_step = "call `answer` with `token` and an object that matches `schema`; copy quotes exactly"
    question = claimed.question
    return ClaimedQuestion(
        run=work_dir.name, id=claimed.id, name=question.name, token=claimed.token, prompt=question.prompt,
        schema=dict(question.schema), open_questions=open_count, next=next_step,
    )  # fmt: skip


def release_question(arguments: Arguments, client: Client) -> None:
    """Release a claimed question, so that other agents can claim it."""
    work_dir, _ = _load_run(arguments["run"])
    QuestionQueue(work_dir).release(arguments["id"], arguments["token"])


def answer_question(arguments: Arguments, client: Client) -> AnswerResult:
    """Check an answer, and save it if it is valid."""
    work_dir, state = _load_run(arguments["run"])
    value, queue = _parse_answer(arguments["answer"]), QuestionQueue(work_dir)
    id = arguments["id"]
    if state.phase in _ENDED_PHASES and any(queued.id == id for queued in queue.list_open()):
        raise Refused(f"{id}: run {state.run_id} has ended and takes no more answers")
    queue.ensure_claimed(id, arguments["token"])
    wrong = queue.answer(id, value, read_run_case(state), client.name, state.issues)
    return AnswerResult(work_dir.name, id, not wrong, wrong, len(queue.list_open()))


def look_up(arguments: Arguments, client: Client) -> LookupResult:
    """Return files or search results of the project that help to answer a claimed question."""
    work_dir, state = _load_run(arguments["run"])
    queue, id = QuestionQueue(work_dir), arguments["id"]
    queue.ensure_claimed(id, arguments["token"])
    if not (arguments.get("paths") or arguments.get("pattern")):
        raise BadInput("give `paths` or `pattern`")
    text = queue.look(id, read_request(arguments), find_library(read_run_case(state)))
    return LookupResult(sealed(text))


def read_run_case(state: State) -> Case:
    """Return the unit of a run, with its project, as a Case. Raises BadInput if it cannot be read."""
    return read_target_case(state.target_skill)


def continue_run(arguments: Arguments, client: Client) -> RunStatus:
    """Resume a run after its questions were answered or given up, or after the user chose findings."""
    work_dir, state = _load_run(arguments["run"])
    meant = arguments.get("meant") or {}
    if "findings" in arguments or meant:
        chosen = [*arguments.get("findings", ()), *meant]
        return _resume(
            arguments["run"], client, lambda state: _choose_findings(state, chosen, meant), even_if_ended=True
        )
    queue, give_up = QuestionQueue(work_dir), bool(arguments.get("give_up"))
    if state.pause is Pause.QUESTIONS and not give_up:
        lost = arguments.get("lost") or ()
        queue.release_lost(lost)
        wait_for_answers(queue, client.listener, CLAIM_SECONDS if arguments.get("wait") and not lost else 0.0)
    open_questions = queue.list_open() if state.pause is Pause.QUESTIONS else []
    if (open_questions and not give_up) or state.pause in _USER_DECIDES:
        return make_status(state, work_dir)
    return _resume(arguments["run"], client, lambda state: _give_up(work_dir, state) if give_up else state)


def apply_fixes(arguments: Arguments, client: Client) -> RunStatus:
    """Resume a run with the fixes that the user chose. Fixes that fail verification are rolled back."""
    return _resume(
        arguments["run"], client, lambda state: decisions.choose_fixes(state, arguments["fixes"]), even_if_ended=True
    )


def get_report(arguments: Arguments, client: Client) -> ReportResult:
    """Return the report on one page."""
    work_dir, state = _load_run(arguments["run"])
    if state.final_report is None:
        raise BadInput(f"run {state.run_id} has no report yet; {_explain_unfinished(work_dir, state)}")
    path = str(work_dir / REPORT_FILE)
    return ReportResult(state.run_id, make_outcome_page(state, path).text, path, f"tune-skill://report/{state.run_id}")


def _choose_findings(state: State, ids: Sequence[str], meant: Mapping[str, str]) -> State:
    return decisions.choose_findings(decisions.choose_readings(state, meant) if meant else state, ids)


def _explain_unfinished(work_dir: Path, state: State) -> str:
    """Return which call the client must make next, so that the run can end with a report."""
    if state.pause is Pause.QUESTIONS and (count := len(QuestionQueue(work_dir).list_open())):
        return f"{counted(count, 'question')} open: call `fixes` with `wait`, or with `give_up` to skip the answers"
    if state.pause is Pause.FIX_SELECTION:
        return "call `apply` with `fixes` ([] for none)"
    if state.pause is Pause.FINDING_SELECTION:
        return "call `fixes` with `findings` ([] for none)"
    return "call `fixes` to resume the run"


def roll_back(arguments: Arguments, client: Client) -> RollbackResult:
    """Roll back the fixes with the given ids, or all fixes of the run."""
    names, run = arguments.get("fixes"), Run.open(find_run_by_id(arguments["run"]), client.listener)
    if not (names or arguments.get("all")) or (names and arguments.get("all")):
        raise BadInput("pass either `fixes` (ids of fixes of the run) or `all`")
    with run.hold():
        if not run.list_applied():
            return RollbackResult(arguments["run"], (), ())
        rollback = run.roll_back(names or None)
    return RollbackResult(run.store.state.run_id, rollback.fixes, tuple(rollback.left), rollback.absent)


def get_status(arguments: Arguments, client: Client) -> RunStatus:
    """Return the status of a run. Without an id, this is the newest run."""
    work_dir, state = _load_run(arguments.get("run"))
    pending = find_pending(Path(state.target_skill.path or ""))
    return make_status(state, work_dir, (pending.sentence,) if pending else ())


def _load_run(id: str | None) -> tuple[Path, State]:
    work_dir = find_run_by_id(id) if id else find_newest_run()
    return work_dir, read_state(work_dir)


def read_state(work_dir: Path) -> State:
    """Return the state of a run, without changing it."""
    return StateStore(work_dir).load(read_only=True)


def _resume(
    id: str, client: Client, decide: Callable[[State], State], *, even_if_ended: bool = False
) -> RunStatus:  # fmt: skip
    """Resume a run in the state that `decide` returns.

    even_if_ended: call `decide` for an ended run too, so that it raises an error or reopens the run.
    """
    run = Run.open(find_run_by_id(id), client.listener)
    if run.store.state.phase in _ENDED_PHASES and not (
        even_if_ended and decide(run.store.state).phase not in _ENDED_PHASES
    ):
        return _build_status(run, client)
    ensure_not_improved(run.workspace.unit_path, run.workspace.work_dir)
    with run.hold():
        decided = decide(run.store.state)
        if decided is not run.store.state:
            run.store.save(decided)
        run.drive()
    return _build_status(run, client)


def _give_up(work_dir: Path, state: State) -> State:
    QuestionQueue(work_dir).give_up("no one answered it")
    return state


def _clarify(state: State, answers: Mapping[str, str]) -> State:
    return decisions.answer_clarification(state, answers) if answers else state


def _build_status(run: Run, client: Client) -> RunStatus:
    return make_status(run.store.state, run.store.path.parent, tuple(client.listener.messages))


def _parse_answer(answer: Any) -> Any:
    """Return an answer as an object. A string is parsed as JSON.

    Raises Refused if the answer is too long. Raises BadInput if it is not JSON.
    """
    if _measure(answer) > MAX_CHARACTERS:
        raise Refused(f"the answer is longer than {MAX_CHARACTERS:,} characters; shorten it")
    if not isinstance(answer, str):
        return answer
    try:
        return json.loads(answer)
    except (ValueError, RecursionError) as error:
        raise BadInput(f"the answer is {reason(error)}; pass an object that matches the schema") from None


def _measure(value: Any) -> int:
    """Return the approximate number of characters of a JSON value. Stops counting above MAX_CHARACTERS."""
    size, rest = 0, [value]
    while rest and size <= MAX_CHARACTERS:
        part = rest.pop()
        size += len(part) if isinstance(part, str) else 4
        if isinstance(part, dict):
            rest.extend(part.values())
            size += sum(map(len, part))
        elif isinstance(part, list):
            rest.extend(part)
    return size
