"""Ask the client's model directly, if the client supports sampling. Its answers are checked like all other answers."""

import json
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import mcp.types as types
from mcp.server.session import ServerSession
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from msgspec.structs import replace
from pydantic import ValidationError

from actions.json_text import replace_surrogates
from actions.regex import regex
from orchestrator.errors import TuneSkillError
from orchestrator.run.work_dirs import find_run_by_id
from orchestrator.servers.mcp import sampling_state, tool_calls
from orchestrator.servers.mcp.client_listener import ClientListener
from orchestrator.servers.mcp.results import AnswerResult, ClaimedQuestion, RunStatus
from orchestrator.servers.mcp.sampling_state import SamplingState
from templates import render

Work = Callable[[ClientListener], Any]
Runner = Callable[[Work], Awaitable[Any]]
MAX_TOKENS = 32_000
_FENCE = regex(r"```(\w*)[ \t]*")


class Sampling:
    """Asks the client's model the open questions of a run. The user of the client must agree.

    If the user refuses, or if the model cannot answer a question, agents can answer it with the tools `question`
    and `answer`. In the MCP protocol of 2026, the result of a call contains the questions, and the client repeats
    the call with the answers, or without any if the user has refused.
    """

    def __init__(self, session: ServerSession) -> None:
        is_supported = session.client_capabilities is not None and session.client_capabilities.sampling is not None
        self._session = session
        self._can_send = is_supported and session.can_send_request
        self._can_embed = is_supported and session.protocol_version in MODERN_PROTOCOL_VERSIONS

    async def ask_all(self, status: RunStatus, run: Runner) -> RunStatus:
        """Ask the open questions and continue the run, until the client leaves a question open.

        Returns the run's status.
        """
        while self._can_send and status.waits_for == "questions" and status.open_questions:
            if await self._ask(status, run):
                return await _call(status.run, run, tool_calls.get_status)
            status = await _call(status.run, run, tool_calls.continue_run)
        return status

    async def embed_questions(self, status: RunStatus, run: Runner) -> types.InputRequiredResult | None:
        """Return a result that contains the open questions as requests to the client.

        Returns None if no question is open, or if the client does not support such results.
        """
        if not self._can_embed or status.waits_for != "questions":
            return None
        state = await _load(status.run, run)
        state = replace(state, refused=state.refused or state.out, out=False)
        requests: dict[str, types.InputRequest] = {}
        for open_question in status.questions:
            if state.may_ask(open_question.id):
                claimed = await _claim(status.run, open_question.id, run)
                await _release(claimed, run)
                requests[open_question.id] = _make_request(claimed, state.wrong.get(open_question.id, ""))
                state = state.add_attempt(open_question.id)
        await _save(status.run, replace(state, out=bool(requests)), run)
        return types.InputRequiredResult(input_requests=requests, request_state=status.run) if requests else None

    async def process_answers(self, responses: types.InputResponses, run_id: str, run: Runner) -> RunStatus:
        """Process the answers that a client sends with a repeated call. Returns the status of the run after that."""
        state = replace(await _load(run_id, run), out=False)
        for open_question in (await _call(run_id, run, tool_calls.get_status)).questions:
            reply = responses.get(open_question.id)
            if isinstance(reply, types.CreateMessageResult):
                claimed = await _claim(run_id, open_question.id, run)
                state = state.record_answer(open_question.id, await _submit(claimed, reply, run))
                await _release(claimed, run)
        await _save(run_id, state, run)
        return await _call(run_id, run, tool_calls.continue_run)

    async def _ask(self, status: RunStatus, run: Runner) -> int:
        """Ask the open questions until the client refuses. Returns how many questions remain open."""
        state, remaining = await _load(status.run, run), 0
        for open_question in status.questions:
            if state.may_ask(open_question.id):
                state = await self._ask_question(await _claim(status.run, open_question.id, run), state, run)
                await _save(status.run, state, run)
            remaining += not state.is_answered(open_question.id)
        return remaining

    async def _ask_question(self, question: ClaimedQuestion, state: SamplingState, run: Runner) -> SamplingState:
        """Ask a question, and ask again with the errors if an answer is rejected. Then release it for agents."""
        try:
            while state.may_ask(question.id):
                request, state = (
                    _make_request(question, state.wrong.get(question.id, "")),
                    state.add_attempt(question.id),
                )
                reply = await self._session.send_request(request, types.CreateMessageResult)
                state = state.record_answer(question.id, await _submit(question, reply, run))
        except (MCPError, ValidationError):
            return replace(state, refused=True)
        finally:
            with anyio.CancelScope(shield=True):
                await _release(question, run)
        return state


def _make_request(question: ClaimedQuestion, wrong: str) -> types.CreateMessageRequest:
    """Return the request that asks the client's model a question. wrong: the errors in its last answer, or ""."""
    prompt = render("mcp/sample", prompt=question.prompt, schema=json.dumps(question.schema), wrong=wrong)
    message = types.SamplingMessage(role="user", content=types.TextContent(text=replace_surrogates(prompt)))
    system = render("questions/system", may_look=False)
    return types.CreateMessageRequest(
        params=types.CreateMessageRequestParams(messages=[message], max_tokens=MAX_TOKENS, system_prompt=system)
    )


def _extract_answer(reply: types.CreateMessageResult) -> str:
    """Return the part of a reply that is the answer.

    This is the only fenced block, or else the only JSON object in the reply, or else the whole reply.
    """
    text = reply.content.text if isinstance(reply.content, types.TextContent) else ""
    if len(text) > tool_calls.MAX_CHARACTERS:
        return text
    blocks = _list_blocks(text)
    if len(blocks) == 1:
        return blocks[0]
    start = text.find("{")
    try:
        _, end = json.JSONDecoder().raw_decode(text, max(start, 0))
    except (ValueError, RecursionError):
        return text
    return text if "{" in text[end:] else text[max(start, 0) : end]


def _list_blocks(text: str) -> list[str]:
    """Return the fenced blocks of a text. A block that is not closed does not count."""
    blocks, lines = list[str](), text.split("\n")
    begin = 0
    for number, line in enumerate(lines):
        fence = _FENCE.fullmatch(line) if line.startswith("```") else None
        if fence and not begin:
            begin = number + 1
        elif fence and not fence[1]:
            blocks.append("\n".join(lines[begin:number]))
            begin = 0
    return blocks


async def _claim(run_id: str, id: str, run: Runner) -> ClaimedQuestion:
    question: ClaimedQuestion = await run(
        lambda listener: tool_calls.claim_question({"run": run_id, "id": id}, tool_calls.Client(listener))
    )
    return question


async def _submit(question: ClaimedQuestion, reply: types.CreateMessageResult, run: Runner) -> str:
    """Submit an answer, which is checked. Returns what is wrong with it, or "" if it was accepted."""
    try:
        arguments = {"run": question.run, "id": question.id, "token": question.token, "answer": _extract_answer(reply)}
        result: AnswerResult = await run(
            lambda listener: tool_calls.answer_question(arguments, tool_calls.Client(listener, reply.model))
        )
    except TuneSkillError as error:
        return str(error)
    return result.wrong


async def _release(question: ClaimedQuestion, run: Runner) -> None:
    arguments = {"run": question.run, "id": question.id, "token": question.token}
    await run(lambda listener: tool_calls.release_question(arguments, tool_calls.Client(listener)))


async def _load(run_id: str, run: Runner) -> SamplingState:
    state: SamplingState = await run(lambda listener: sampling_state.load_state(find_run_by_id(run_id)))
    return state


async def _save(run_id: str, state: SamplingState, run: Runner) -> None:
    await run(lambda listener: sampling_state.save_state(find_run_by_id(run_id), state))


async def _call(run_id: str, run: Runner, call_tool: Callable[..., RunStatus]) -> RunStatus:
    status: RunStatus = await run(lambda listener: call_tool({"run": run_id}, tool_calls.Client(listener)))
    return status
