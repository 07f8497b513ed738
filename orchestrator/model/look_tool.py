"""Offer the tool `look`, which reads files of one project within the limits of a question, to a model of the SDK."""

from typing import Any

from claude_agent_sdk import ToolAnnotations, create_sdk_mcp_server, tool
from claude_agent_sdk.types import McpSdkServerConfig

from actions.project.lookup import Library, LookupLog
from orchestrator.model.lookup_request import ABOUT, LOOKUP, read_request
from templates.filters import sealed

SERVER = "project"
TOOL = f"mcp__{SERVER}__look"
_SCHEMA = {"type": "object", "properties": dict(LOOKUP), "additionalProperties": False}
_RESULT_CHARACTERS = 400_000


class LookTool:
    """The tool for one question. log: the files that it has shown so far."""

    def __init__(self, library: Library) -> None:
        self._library, self.log = library, LookupLog()

    def build_server(self) -> McpSdkServerConfig:
        """Build the in-process server that offers the tool."""
        limits = ToolAnnotations(readOnlyHint=True, maxResultSizeChars=_RESULT_CHARACTERS)
        return create_sdk_mcp_server(SERVER, tools=[tool("look", ABOUT, _SCHEMA, limits)(self._look)])

    async def _look(self, given: dict[str, Any]) -> dict[str, Any]:
        text, self.log = self._library.look_up(read_request(given), self.log)
        return {"content": [{"type": "text", "text": sealed(text)}]}
