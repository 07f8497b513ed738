"""Where the client offers sampling, its own model is asked directly; its answers go through the same check."""

import json
import re
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import anyio
import mcp.types as types
from mcp.server.session import ServerSession
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from orchestrator.errors import TuneSkillError
from orchestrator.run.work_dirs import run_named
from orchestrator.servers.mcp import sampled, work
from orchestrator.servers.mcp.listener import Watching
from orchestrator.servers.mcp.records import Asked, Standing, Taken
from orchestrator.servers.mcp.sampled import Sampled
from templates import render

Work = Callable[[Watching], Any]
Runner = Callable[[Work], Awaitable[Any]]
TOKENS = 32_000
_FENCE = re.compile(r"^```\w*[ \t]*\n(.*?)\n```[ \t]*$", re.DOTALL | re.MULTILINE)


class Sampling:
    """Asks the client's model the open questions of a run. The client asks its user for consent, or refuses.

    After a refusal, and for what the model cannot answer, the tools `question` and `answer` serve. A client of the
    protocol of 2026 is asked in the result of its call, and calls again with the answers; what was asked so and comes
    back without them counts as refused.
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

    async def embedded(self, standing: Standing, run: Runner) -> types.InputRequiredResult | None:
        """Return the open questions as what the client has to bring; None where it is not asked so, or enough."""
        if not self._embeds or standing.waits_for != "questions":
            return None
        known = await _known(standing.run, run)
        known = replace(known, refused=known.refused or known.out, out=False)
        requests: dict[str, types.InputRequest] = {}
        for one in standing.questions:
            if known.may_ask(one.id) and not one.claimed:
                asked = await _question(standing.run, one.id, run)
                await _released(asked, run)
                requests[one.id] = _request(asked, known.wrong.get(one.id, ""))
                known = known.asking(one.id)
        await _keep(standing.run, replace(known, out=bool(requests)), run)
        return types.InputRequiredResult(input_requests=requests, request_state=standing.run) if requests else None

    async def brought(self, came: types.InputResponses, name: str, run: Runner) -> Standing:
        """Take the answers that a client brings; returns where the run stands then."""
        known = replace(await _known(name, run), out=False)
        for one in (await _gone_on(name, run, work.status)).questions:
            said = came.get(one.id)
            if isinstance(said, types.CreateMessageResult) and not one.claimed:
                asked = await _question(name, one.id, run)
                known = known.heard(one.id, await _taken(asked, said, run))
                await _released(asked, run)
        await _keep(name, known, run)
        return await _gone_on(name, run, work.fixes)

    async def _asked(self, standing: Standing, run: Runner) -> int:
        """Ask the open questions, until the client refuses; returns how many stay open."""
        known, left = await _known(standing.run, run), 0
        for one in standing.questions:
            if known.may_ask(one.id) and not one.claimed:
                known = await self._answered(await _question(standing.run, one.id, run), known, run)
                await _keep(standing.run, known, run)
            left += not known.answered(one.id)
        return left

    async def _answered(self, asked: Asked, known: Sampled, run: Runner) -> Sampled:
        """Ask one question, and once more with what was wrong. Whatever ends this, others may be asked it then."""
        try:
            while known.may_ask(asked.id):
                request, known = _request(asked, known.wrong.get(asked.id, "")), known.asking(asked.id)
                came = await self._session.send_request(request, types.CreateMessageResult)
                known = known.heard(asked.id, await _taken(asked, came, run))
        except MCPError:
            return replace(known, refused=True)
        finally:
            with anyio.CancelScope(shield=True):
                await _released(asked, run)
        return known


def _request(asked: Asked, wrong: str) -> types.CreateMessageRequest:
    prompt = render("mcp/sample", prompt=asked.prompt, schema=json.dumps(asked.schema), wrong=wrong)
    message = types.SamplingMessage(role="user", content=types.TextContent(text=prompt))
    system = render("questions/system")
    return types.CreateMessageRequest(
        params=types.CreateMessageRequestParams(messages=[message], max_tokens=TOKENS, system_prompt=system)
    )


def _text(came: types.CreateMessageResult) -> str:
    """Return the one fenced block of a reply, or its one JSON object; all of it where there is no such one."""
    text = came.content.text if isinstance(came.content, types.TextContent) else ""
    if len(text) > work.MOST:
        return text
    blocks = _FENCE.findall(text)
    if len(blocks) == 1:
        return str(blocks[0])
    start = text.find("{")
    try:
        _, end = json.JSONDecoder().raw_decode(text, max(start, 0))
    except (ValueError, RecursionError):
        return text
    return text if "{" in text[end:] else text[max(start, 0) : end]


async def _question(name: str, id: str, run: Runner) -> Asked:
    asked: Asked = await run(lambda w: work.question({"run": name, "id": id}, work.Client(w)))
    return asked


async def _taken(asked: Asked, came: types.CreateMessageResult, run: Runner) -> str:
    """Put an answer through the check; returns what is wrong with it."""
    try:
        given = {"run": asked.run, "id": asked.id, "token": asked.token, "answer": _text(came)}
        taken: Taken = await run(lambda w: work.answer(given, work.Client(w, came.model)))
    except TuneSkillError as error:
        return str(error)
    return taken.wrong


async def _released(asked: Asked, run: Runner) -> None:
    given = {"run": asked.run, "id": asked.id, "token": asked.token}
    await run(lambda w: work.release(given, work.Client(w)))


async def _known(name: str, run: Runner) -> Sampled:
    known: Sampled = await run(lambda w: sampled.load(run_named(name)))
    return known


async def _keep(name: str, known: Sampled, run: Runner) -> None:
    await run(lambda w: sampled.keep(run_named(name), known))


async def _gone_on(name: str, run: Runner, what: Callable[..., Standing]) -> Standing:
    found: Standing = await run(lambda w: what({"run": name}, work.Client(w)))
    return found
