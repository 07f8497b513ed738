"""Provide the tool `look` to a model of the SDK. It reads files of one project, within the limits of a question."""

import asyncio
from collections.abc import Mapping
from typing import Any

from claude_agent_sdk import AssistantMessage, ToolAnnotations, ToolUseBlock, create_sdk_mcp_server, tool
from claude_agent_sdk.types import McpSdkServerConfig
from msgspec.structs import replace

from actions.project.allowance import Allowance
from actions.project.lookup import Library
from actions.project.lookup_log import LookupLog
from orchestrator.model.lookup_request import ABOUT, LOOKUP, read_request
from templates.filters import sealed

SERVER = "project"
TOOL = f"mcp__{SERVER}__look"
_SCHEMA = {"type": "object", "properties": dict(LOOKUP), "additionalProperties": False}
_RESULT_CHARACTERS = 400_000
_MAX_REFUSED_BATCHES = 1
"""Number of batches of look-ups that are answered with a refusal after the limit. The next batch ends the query."""
_CHECK_SECONDS, _MAX_CHECKS = 0.01, 100
"""Seconds between two checks of whether Claude Code has announced a call, and the maximum number of checks."""


class LookTool:
    """The look-up tool for one question. log: what the tool has shown so far.

    The calls in one message of the model are a batch. The message arrives separately from the calls.
    """

    def __init__(self, library: Library, allowance: Allowance) -> None:
        self._library, self._allowance, self.log = library, allowance, LookupLog()
        self._waiting: list[str] = []
        self._batch, self._refused = "", 0

    @property
    def is_over(self) -> bool:
        """Whether the model still looks up files although the limits are used up and its calls were refused."""
        return self._refused > _MAX_REFUSED_BATCHES

    def note(self, message: AssistantMessage) -> "LookTool":
        """Record the calls in a message of the model. Return this object."""
        for block in message.content:
            if isinstance(block, ToolUseBlock) and block.name == TOOL:
                batch = message.message_id or block.id
                self._waiting.append(batch)
                if batch != self._batch and not self.log.has_room(self._allowance):
                    self._refused += 1
                self._batch = batch
        return self

    def build_server(self) -> McpSdkServerConfig:
        """Build the in-process server that offers the tool."""
        limits = ToolAnnotations(readOnlyHint=True, maxResultSizeChars=_RESULT_CHARACTERS)
        return create_sdk_mcp_server(SERVER, tools=[tool("look", ABOUT, _SCHEMA, limits)(self._handle_call)])

    async def _handle_call(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        request = replace(read_request(arguments), batch=await self._find_batch())
        if self.is_over:
            await asyncio.Event().wait()  # the query is ended; an answer would begin another request
        text, self.log = self._library.look_up(request, self.log, self._allowance)
        return {"content": [{"type": "text", "text": sealed(text)}]}

    async def _find_batch(self) -> str:
        """Return the id of the message that contains a call.

        Returns "" if the message comes too late. The call is then a batch of its own.
        """
        for _ in range(_MAX_CHECKS):
            if self._waiting:
                return self._waiting.pop(0)
            await asyncio.sleep(_CHECK_SECONDS)
        return ""
