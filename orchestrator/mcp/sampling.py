"""Where the client offers sampling, its own model is asked directly; its answers go through the same check."""

import json
import re
from collections.abc import Awaitable, Callable
from typing import Any

import mcp.types as types
from mcp.server.session import ServerSession
from mcp.shared.exceptions import MCPError

from orchestrator.errors import BadInput
from orchestrator.mcp import work
from orchestrator.mcp.listener import Watching
from orchestrator.mcp.records import Asked, Standing, Taken
from templates import render

Work = Callable[[Watching], Any]
Runner = Callable[[Work], Awaitable[Any]]
TOKENS = 32_000
_TRIES = 2
_FENCE = re.compile(r"\A\s*```\w*\n(.*)\n```\s*\Z", re.DOTALL)


class Sampling:
    """Asks the client's model the open questions of a run. The client asks its user for consent, or refuses.

    After a refusal, and for what the model cannot answer, the tools `question` and `answer` serve.
    """

    def __init__(self, session: ServerSession) -> None:
        offered = session.client_capabilities.sampling if session.client_capabilities else None
        self._session, self._may = session, offered is not None and session.can_send_request

    async def all(self, standing: Standing, run: Runner) -> Standing:
        """Ask as long as questions are open and answers come; returns where the run stands then."""
        while self._may and standing.waits_for == "questions" and standing.open_questions:
            left = await self._asked(standing, run)
            if left:
                return await self._again(standing, run, work.status)
            standing = await self._again(standing, run, work.fixes)
        return standing

    async def _again(self, standing: Standing, run: Runner, what: Callable[..., Standing]) -> Standing:
        found: Standing = await run(lambda listener: what({"run": standing.run}, work.Client(listener)))
        return found

    async def _asked(self, standing: Standing, run: Runner) -> int:
        """Ask each open question; returns how many stay open."""
        for one in standing.questions:
            if not await self._answered(standing.run, one.id, run):
                return 1
        return 0

    async def _answered(self, id: str, question: str, run: Runner) -> bool:
        asked: Asked = await run(lambda w: work.question({"run": id, "id": question}, work.Client(w)))
        wrong = ""
        for _ in range(_TRIES):
            said, model = await self._said(asked, wrong)
            if said is None:
                return False
            given = {"run": id, "id": question, "answer": said}
            try:
                taken: Taken = await run(lambda w: work.answer(given, work.Client(w, model)))  # noqa: B023 - awaited here
            except BadInput as error:
                wrong = str(error)
                continue
            if taken.taken:
                return True
            wrong = taken.wrong
        return False

    async def _said(self, asked: Asked, wrong: str) -> tuple[str | None, str]:
        """Return what the model says, and its name; None when the client refuses."""
        prompt = render("mcp/sample", prompt=asked.prompt, schema=json.dumps(asked.schema), wrong=wrong)
        message = types.SamplingMessage(role="user", content=types.TextContent(text=prompt))
        request = types.CreateMessageRequest(
            params=types.CreateMessageRequestParams(
                messages=[message], max_tokens=TOKENS, system_prompt=render("questions/system")
            )
        )
        try:
            came = await self._session.send_request(request, types.CreateMessageResult)
        except MCPError:
            self._may = False
            return None, ""
        text = came.content.text if isinstance(came.content, types.TextContent) else ""
        found = _FENCE.match(text)
        return (found[1] if found else text), came.model
