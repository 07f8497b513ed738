"""Answer the questions of a run in the server, which asks the model with the login of the user's Claude Code.

This needs neither agents nor permission dialogs, so the user pays only for questions and answers. The user is asked
once whether the login may be used, and the decision is saved. Agents answer the questions that are still open then.
"""

import asyncio
import json
import os
from collections.abc import Awaitable, Callable
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any

import mcp.types as types
import msgspec
from mcp.server.session import ServerSession
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from msgspec.structs import replace
from pydantic import ValidationError

from actions.case import Case
from actions.review.checking import CHANGED, find_library
from actions.review.judge import Question
from orchestrator.errors import Refused, TuneSkillError
from orchestrator.model.budget import Budget
from orchestrator.model.consent import describe_request, read_consent, save_consent
from orchestrator.model.environment import find_access_problem
from orchestrator.model.memory import FOLDER, Memory
from orchestrator.model.question_queue import QuestionQueue, QueuedQuestion
from orchestrator.model.sdk import SdkJudge
from orchestrator.run.run import Run
from orchestrator.run.work_dirs import find_run_by_id
from orchestrator.servers.mcp import tool_calls, unanswered
from orchestrator.servers.mcp.background import MAX_CALL_SECONDS, Work, find_work
from orchestrator.servers.mcp.client_listener import ClientListener, Progress, Stopped
from orchestrator.servers.mcp.results import RunStatus
from orchestrator.servers.mcp.run_status import add_note, mark_being_answered, mark_resumable
from schemas.issues import Issue
from schemas.options import MAX_COST_USD
from schemas.vocabulary import Phase
from templates import render
from templates.filters import counted

Runner = Callable[[Callable[[ClientListener], Any]], Awaitable[Any]]
TRIES = 3
"""Maximum number of attempts per question. A later attempt shows the model its rejected answer and the errors."""
_REJECTED = "its answer was rejected"
_SCHEMA: dict[str, Any] = {"type": "object", "properties": {}}
"""The schema of a form without fields. The client shows its message, and the user accepts or declines."""
_CONSENT = "asks-model"
_unavailable: dict[Path, str] = {}
"""Why this process could not reach the model, by the work dir of the run. The call that asked may have returned."""
_asked: dict[Path, float] = {}
"""The work dirs of runs for which this process asked the user, each with the time when that call must return.

Claude Code 2.1.332 counts the time of a dialog as part of the call, even if it repeats the call with the answer.
"""


class ClaudeCodeModel:
    """Answers the open questions of runs by asking the model with the login of the user's Claude Code.

    It asks only if the user allows it and is logged in. In the MCP protocol of 2026, the server cannot ask the user
    during a call. Instead, the result of the call contains the question, and the client repeats the call with the
    user's answer.
    """

    def __init__(self, session: ServerSession, request_id: int | str | None, progress: Progress) -> None:
        capabilities = session.client_capabilities
        self._session, self._request_id, self._progress = session, request_id, progress
        self._until = monotonic() + MAX_CALL_SECONDS
        self._can_elicit = capabilities is not None and capabilities.elicitation is not None
        self._can_embed = self._can_elicit and session.protocol_version in MODERN_PROTOCOL_VERSIONS

    async def ask_all(self, status: RunStatus, run: Runner) -> RunStatus:
        """Let the model answer the questions of a run, and continue the run until it waits for the user or for agents.

        If this takes longer than a call is allowed to take, it continues in the background, and the next call waits.
        """
        while work := await self._find_or_start_work(status, run):
            is_done = await work.wait(self._progress, self._until - monotonic())
            status = await _call(run, partial(tool_calls.get_status, {"run": status.run}))
            if not is_done:
                return mark_being_answered(status)
            if status.open_questions:
                break
            status = await _call(run, partial(tool_calls.continue_run, {"run": status.run}))
        return _note_problem(status)

    async def _find_or_start_work(self, status: RunStatus, run: Runner) -> Work | None:
        """Return the background work that answers the questions of a run, after starting it if necessary.

        Returns None if the user does not allow it, or if the run does not wait for answers.
        """
        if not isinstance(status, RunStatus) or status.waits_for not in ("questions", "answers"):
            return None
        if work := find_work(find_run_by_id(status.run)):
            return work
        is_allowed = _has_new_question(status) and await self._obtain_permission(status.run, run)
        return Work(find_run_by_id(status.run), partial(answer_open, status.run)) if is_allowed else None

    def offer_resume(self, status: RunStatus) -> RunStatus:
        """Advise the client to resume the run instead of starting agents, if the server may ask the model."""
        is_allowed = _has_new_question(status) and _can_ask(status.run) and bool(read_consent())
        return mark_resumable(status) if is_allowed else _note_problem(status)

    def stop(self, id: str) -> None:
        """Stop the background work on a run after the user cancelled a call. id: the id of the run, or ""."""
        if id and (work := find_work(find_run_by_id(id))):
            work.stop()

    def embed_request(self, status: RunStatus) -> types.InputRequiredResult | None:
        """Return a result that asks the user whether the server may ask the model.

        Returns None if the user need not be asked, or if the client does not support such results.
        """
        if not self._can_embed or not _has_new_question(status) or not _is_undecided(status.run):
            return None
        _asked[find_run_by_id(status.run)] = self._until
        request = types.ElicitRequest(params=_make_form())
        return types.InputRequiredResult(input_requests={_CONSENT: request}, request_state=status.run)

    async def save_decision(self, responses: types.InputResponses, id: str, run: Runner) -> None:
        """Save the user's answer, which the client sends with a repeated call. id: the id of the run.

        The repeated call has the deadline of the first call.
        """
        self._until = _asked.get(find_run_by_id(id), self._until)
        decision = responses.get(_CONSENT)
        if isinstance(decision, types.ElicitResult):
            await _store_decision(decision, run)

    async def _obtain_permission(self, id: str, run: Runner) -> bool:
        """Return whether the server may ask the model, asking the user if there is no decision yet."""
        if self._can_elicit and self._session.can_send_request and _is_undecided(id):
            _asked[find_run_by_id(id)] = self._until
            with suppress(MCPError, ValidationError):
                form = _make_form()
                decision = await self._session.elicit_form(form.message, form.requested_schema, self._request_id)
                await _store_decision(decision, run)
        return _can_ask(id) and bool(read_consent())


def _note_problem(status: RunStatus) -> RunStatus:
    """Return the status with a note on why the model did not answer its open questions."""
    if not _is_waiting(status):
        return status
    work_dir = find_run_by_id(status.run)
    notes = unanswered.read_notes(work_dir)
    problems = (notes.get(question.id) for question in status.questions)
    problem = _unavailable.get(work_dir) or next(filter(None, problems), None)
    return add_note(status, problem) if problem else status


def _is_waiting(status: RunStatus) -> bool:
    return isinstance(status, RunStatus) and status.waits_for == "questions" and bool(status.questions)


def _has_new_question(status: RunStatus) -> bool:
    """Return whether a run waits for the answer to a question that the model has not failed to answer before."""
    if not _is_waiting(status):
        return False
    notes = unanswered.read_notes(find_run_by_id(status.run))
    return any(question.id not in notes for question in status.questions)


def _can_ask(id: str) -> bool:
    return find_run_by_id(id) not in _unavailable and not find_access_problem(os.environ)


def _is_undecided(id: str) -> bool:
    """Return whether to ask the user. A user who has not decided is asked once per run."""
    return _can_ask(id) and find_run_by_id(id) not in _asked and read_consent() is None


def _make_form() -> types.ElicitRequestFormParams:
    return types.ElicitRequestFormParams(message=describe_request(), requested_schema=_SCHEMA)


async def _store_decision(decision: types.ElicitResult, run: Runner) -> None:
    """Save the user's decision. Nothing is saved if the user closed the dialog without one."""
    if decision.action != "cancel":
        await run(lambda listener: save_consent(decision.action == "accept"))


async def _call(run: Runner, work: Callable[[tool_calls.Client], RunStatus]) -> RunStatus:
    status: RunStatus = await run(lambda listener: work(tool_calls.Client(listener)))
    return status


class _Context(msgspec.Struct, frozen=True):
    """The data that is needed to answer the questions of a run.

    claimed: the ids of the questions that are asked.
    """

    work_dir: Path
    queue: QuestionQueue
    judge: SdkJudge
    case: Case
    issues: tuple[Issue, ...]
    claimed: set[str]


def answer_open(id: str, listener: ClientListener) -> int:
    """Ask the model all unclaimed questions of a run that it has not failed to answer. Returns how many stay open.

    If an answer is rejected, the question is asked again with the errors. The questions are claimed meanwhile, so
    that no agent and no other session answers them. After the user has given up the questions, no more are sent.
    Raises Stopped if the client has cancelled or disconnected.
    """
    work_dir = find_run_by_id(id)
    context = _read_context(work_dir, listener)
    with ExitStack() as claims:
        known = unanswered.read_notes(work_dir)
        unclaimed = [queued for queued in context.queue.list_open() if not queued.claimed and queued.id not in known]
        claimed = [claim for queued in unclaimed if (claim := context.queue.claim(queued.id, is_agent=False))]
        context.claimed.update(queued.id for queued in claimed)
        for queued in claimed:
            claims.callback(context.queue.release, queued.id, queued.token)
        questions = {queued.id: queued.question for queued in claimed}
        for attempt in range(TRIES):
            if not questions or context.judge.unavailable:
                break
            listener.report(f"asking the model {counted(len(questions), 'question')}{' again' * bool(attempt)}")
            questions = _ask(context, [queued for queued in claimed if queued.id in questions], questions)
    if why := context.judge.unavailable:
        _unavailable[work_dir] = unanswered.describe_failure(why, was_asked=False)
    for rejected in questions if not why else ():
        unanswered.add_note(work_dir, rejected, _REJECTED, was_asked=True)
    _record_late_cost(work_dir, listener)
    return len(context.queue.list_open())


def _ask(context: _Context, claimed: list[QueuedQuestion], questions: dict[str, Question]) -> dict[str, Question]:
    """Ask questions in parallel. Return the questions that must be asked again, by id.

    Their prompts contain the errors of the last answer. They allow look-ups only if a file that was looked up has
    changed.
    """
    retries: dict[str, Question] = {}
    try:
        replies = context.judge.ask([questions[queued.id] for queued in claimed], find_library(context.case))
    except asyncio.CancelledError:
        raise Stopped from None
    for queued, reply in zip(claimed, replies, strict=True):
        if reply.value is None:
            was_asked = bool(reply.usd or reply.tokens)
            unanswered.add_note(context.work_dir, queued.id, reply.why, was_asked=was_asked)
            continue
        context.queue.extend_log(queued.id, reply.looked_up)
        try:
            errors = context.queue.answer(queued.id, reply.value, context.case, context.judge.name, context.issues)
        except Refused:  # the question was given up meanwhile
            continue
        if errors:
            answer = json.dumps(reply.value, ensure_ascii=False)
            prompt = render("mcp/again", prompt=queued.question.prompt, answer=answer, wrong=errors)
            may_look = queued.question.may_look and CHANGED in errors  # otherwise no file must be read again
            retries[queued.id] = replace(queued.question, prompt=prompt, may_look=may_look)
    return retries


def _read_context(work_dir: Path, listener: ClientListener) -> _Context:
    state = tool_calls.read_state(work_dir)
    memory, limit = Memory(work_dir / FOLDER), state.options.max_cost_usd
    ceiling = MAX_COST_USD if limit is None else min(limit, MAX_COST_USD)  # the user agreed to no more than this
    queue, claimed = QuestionQueue(work_dir), set[str]()
    judge = SdkJudge(
        Budget(ceiling, memory.cost.usd), memory, say=listener.say, is_stopped=lambda: listener.is_gone,
        is_needed=lambda: any(queued.id in claimed for queued in queue.list_open()),
    )  # fmt: skip
    return _Context(work_dir, queue, judge, tool_calls.read_run_case(state), state.issues, claimed)


def _record_late_cost(work_dir: Path, listener: ClientListener) -> None:
    """Record the cost of answers that came after the run had ended without them."""
    if tool_calls.read_state(work_dir).phase in (Phase.COMPLETED, Phase.FAILED):
        with suppress(TuneSkillError):  # the report then has the estimated cost of these answers
            run = Run.open(work_dir, listener)
            with run.hold():
                run.record_late_cost()
