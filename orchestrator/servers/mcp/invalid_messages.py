"""Answer messages that the MCP library cannot parse: not JSON, nested too deeply, or with a lone surrogate."""

import json
from collections.abc import AsyncIterable, Awaitable, Callable, Mapping
from typing import Any

import anyio
import mcp.types as types
from anyio.abc import ObjectSendStream
from mcp.shared.message import SessionMessage
from pydantic import TypeAdapter, ValidationError

Received = SessionMessage | Exception
_ID_PARSER: TypeAdapter[types.RequestId] = TypeAdapter(types.RequestId)


async def forward_valid(
    incoming: AsyncIterable[Received],
    valid: ObjectSendStream[Received],
    write: Callable[[SessionMessage], Awaitable[None]],
) -> None:
    """Forward valid messages to the server.

    An invalid request is answered with an error, and an invalid reply is replaced with an error. The error has the
    id of the message, or null if the id cannot be parsed.
    """
    try:
        async with valid:
            async for received in incoming:
                if isinstance(received, SessionMessage):
                    await valid.send(received)
                elif (message := _parse(received)) is not None:
                    is_reply = "result" in message or "error" in message
                    error = SessionMessage(_make_error(received, message))
                    await (valid.send(error) if is_reply else write(error))
    except (anyio.ClosedResourceError, anyio.BrokenResourceError):
        return  # the server has ended


def _parse(error: Exception) -> dict[str, Any] | None:
    """Return the fields of an invalid message, {} if they cannot be parsed, or None for an empty line."""
    for details in error.errors(include_url=False) if isinstance(error, ValidationError) else ():
        message = details["input"]
        if details["type"] == "json_invalid":
            if not message.strip():
                return None
            try:
                message = json.loads(message)
            except (ValueError, RecursionError):
                return {}
        is_whole_message = len(details["loc"]) <= 2  # the kind of message and the missing field
        if isinstance(message, dict) and is_whole_message:
            return message
    return {}


def _make_error(error: Exception, message: Mapping[str, Any]) -> types.JSONRPCError:
    invalid = isinstance(error, ValidationError) and error.errors()[0]["type"] == "json_invalid"
    code = types.PARSE_ERROR if invalid else types.INVALID_REQUEST
    data = types.ErrorData(code=code, message="invalid message: not JSON-RPC, or nested too deeply")
    try:
        id = _ID_PARSER.validate_json(json.dumps(message.get("id")))
    except (ValidationError, RecursionError):
        id = None
    return types.JSONRPCError(jsonrpc="2.0", id=id, error=data)
