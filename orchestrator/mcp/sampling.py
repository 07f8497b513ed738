"""Where the client offers sampling, its own model is asked directly; its answers go through the same check."""

import json
import re
from collections.abc import Awaitable, Callable
from typing import Any

import mcp.types as types
from mcp.server.session import ServerSession
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from orchestrator.errors import TuneSkillError
from orchestrator.mcp import work
from orchestrator.mcp.listener import Watching
from orchestrator.mcp.records import Asked, Standing, Taken
from templates import render

Work = Callable[[Watching], Any]
Runner = Callable[[Work], Awaitable[Any]]
TOKENS = 32_000
_TRIES, _ROUNDS = 2, 6
"""How often one question is asked, and how often a client is asked in the result of one call."""
_FENCE = re.compile(r"\A\s*```\w*\n(.*)\n```\s*\Z", re.DOTALL)


class Sampling:
    """Asks the client's model the open questions of a run. The client asks its user for consent, or refuses.

    After a refusal, and for what the model cannot answer, the tools `question` and `answer` serve. A client of the
    protocol of 2026 is asked in the result of its call, and calls again with the answers.
    """

    def __init__(self, session: ServerSession) -> None:
        offered = session.client_capabilities is not None and session.client_capabilities.sampling is not None
        self._session = session
        self._may = offered and session.can_send_request
        self._embeds = offered and session.protocol_version in MODERN_PROTOCOL_VERSIONS

    async def all(self, standing: Standing, run: Runner) -> Standing:
        """Ask as long as questions are open and answers come; returns where the run stands then."""
        while self._may and standing.waits_for == "questions" and standing.open_questions:
            if await self._asked(standing, run):
                return await _gone_on(standing.run, run, work.status)
            standing = await _gone_on(standing.run, run, work.fixes)
        return standing

    async def embedded(self, standing: Standing, state: str | None, run: Runner) -> types.InputRequiredResult | None:
        """Return the open questions as what the client has to bring; None where it is not, or enough, asked so."""
        rounds = _rounds(state)[1]
        if not self._embeds or rounds >= _ROUNDS or standing.waits_for != "questions" or not standing.questions:
            return None
        asked: list[Asked] = [await _question(standing.run, one.id, run) for one in standing.questions]
        for one in asked:
            await _released(standing.run, one.id, run)
        requests: dict[str, types.InputRequest] = {one.id: _request(one, "") for one in asked}
        return types.InputRequiredResult(input_requests=requests, request_state=f"{standing.run} {rounds + 1}")

    async def brought(self, came: types.InputResponses, state: str, run: Runner) -> Standing:
        """Take the answers that a client brings; returns where the run stands then."""
        name, _ = _rounds(state)
        for id, said in came.items():
            if isinstance(said, types.CreateMessageResult):
                await _taken(name, id, _text(said), said.model, run)
        return await _gone_on(name, run, work.fixes)

    async def _asked(self, standing: Standing, run: Runner) -> int:
        """Ask the open questions, until the client refuses; returns how many stay open."""
        left = 0
        for one in standing.questions:
            if not (self._may and await self._answered(standing.run, one.id, run)):
                left += 1
                await _released(standing.run, one.id, run)
        return left

    async def _answered(self, name: str, id: str, run: Runner) -> bool:
        asked, wrong = await _question(name, id, run), ""
        for _ in range(_TRIES):
            try:
                came = await self._session.send_request(_request(asked, wrong), types.CreateMessageResult)
            except MCPError:
                self._may = False
                return False
            wrong = await _taken(name, id, _text(came), came.model, run)
            if not wrong:
                return True
        return False


def _request(asked: Asked, wrong: str) -> types.CreateMessageRequest:
    prompt = render("mcp/sample", prompt=asked.prompt, schema=json.dumps(asked.schema), wrong=wrong)
    message = types.SamplingMessage(role="user", content=types.TextContent(text=prompt))
    system = render("questions/system")
    return types.CreateMessageRequest(
        params=types.CreateMessageRequestParams(messages=[message], max_tokens=TOKENS, system_prompt=system)
    )


def _text(came: types.CreateMessageResult) -> str:
    text = came.content.text if isinstance(came.content, types.TextContent) else ""
    found = _FENCE.match(text)
    return found[1] if found else text


async def _question(name: str, id: str, run: Runner) -> Asked:
    asked: Asked = await run(lambda w: work.question({"run": name, "id": id}, work.Client(w)))
    return asked


async def _taken(name: str, id: str, said: str, model: str, run: Runner) -> str:
    """Put an answer through the check; returns what is wrong with it."""
    try:
        given = {"run": name, "id": id, "answer": said}
        taken: Taken = await run(lambda w: work.answer(given, work.Client(w, model)))
    except TuneSkillError as error:
        return str(error)
    return taken.wrong


async def _released(name: str, id: str, run: Runner) -> None:
    await run(lambda w: work.release({"run": name, "id": id}, work.Client(w)))


async def _gone_on(name: str, run: Runner, what: Callable[..., Standing]) -> Standing:
    found: Standing = await run(lambda w: what({"run": name}, work.Client(w)))
    return found


def _rounds(state: str | None) -> tuple[str, int]:
    """Return the run and the number of rounds that the state of a call tells."""
    name, _, number = (state or "").partition(" ")
    return name, int(number) if number.isdigit() else 0
