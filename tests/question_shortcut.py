"""Send most questions straight to the scripted model, because each start of Claude Code takes half a second of CPU."""

import asyncio
import json
import os
import urllib.request
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from orchestrator.model import sdk
from orchestrator.model.query import Query, QueryResult

Ask = Callable[[Any], Awaitable[Any]]
"""A function that sends the body of a request to the scripted model, and returns the input of the tool it calls."""


class QuestionShortcut:
    """Send the first question with each schema through the real Claude Code, and the others straight to the model.

    Claude Code transmits all questions in the same way. Each answer gets the cost of the first one.
    """

    def __init__(self, ask: Ask) -> None:
        from orchestrator.model import client  # as late as possible: importing the SDK takes 0.6 s

        self._ask, self._send_query = ask, client.send_query
        self._first: dict[tuple[str, ...], QueryResult] = {}

    async def send_query(self, query: Query, **more: Path | None) -> QueryResult:
        kind = tuple(query.schema["properties"])
        if kind in self._first:
            tools = [{"name": "StructuredOutput", "input_schema": query.schema}]
            body = {"messages": [{"role": "user", "content": query.prompt}], "tools": tools}
            return replace(self._first[kind], value=await self._ask(body))
        result = await self._send_query(query, **more)
        if result.value is not None:
            self._first[kind] = result
        return result


async def ask_server(body: Any) -> Any:
    """Send a request to the scripted API of another process."""
    request = urllib.request.Request(f"{os.environ['ANTHROPIC_BASE_URL']}/v1/messages", json.dumps(body).encode())
    with await asyncio.to_thread(urllib.request.urlopen, request, timeout=60) as reply:
        return json.load(reply)["content"][0]["input"]


def install() -> None:
    """Let the SDK judge of this process, such as an MCP server, use the shortcut for all questions."""
    shortcuts: list[QuestionShortcut] = []

    async def send(_: sdk.SdkJudge, query: Query) -> QueryResult:
        shortcuts[:] = shortcuts or [QuestionShortcut(ask_server)]
        return await shortcuts[0].send_query(query)

    sdk.SdkJudge._send = send  # type: ignore[method-assign]
