"""What the library cannot read as a message (too deep, half a surrogate, no JSON) is answered with one error."""

import json
from collections.abc import AsyncIterable, Awaitable, Callable, Mapping
from typing import Any

import anyio
import mcp.types as types
from anyio.abc import ObjectSendStream
from mcp.shared.message import SessionMessage
from pydantic import TypeAdapter, ValidationError

Came = SessionMessage | Exception
_ID: TypeAdapter[types.RequestId] = TypeAdapter(types.RequestId)


async def pass_on(
    reading: AsyncIterable[Came], heard: ObjectSendStream[Came], write: Callable[[SessionMessage], Awaitable[None]]
) -> None:
    """Pass on what was read. For an unread request, the client hears an error; an unread reply is passed on as one.

    The id is that of the message where a parser finds it, else null.
    """
    try:
        async with heard:
            async for came in reading:
                if isinstance(came, SessionMessage):
                    await heard.send(came)
                elif (message := _read(came)) is not None:
                    is_reply = "result" in message or "error" in message
                    error = SessionMessage(_error(came, message))
                    await (heard.send(error) if is_reply else write(error))
    except (anyio.ClosedResourceError, anyio.BrokenResourceError):
        return  # the server has ended


def _read(error: Exception) -> dict[str, Any] | None:
    """Return as much of an unread message as is known; None for an empty line."""
    for one in error.errors(include_url=False) if isinstance(error, ValidationError) else ():
        given = one["input"]
        if one["type"] == "json_invalid":
            if not given.strip():
                return None
            try:
                given = json.loads(given)
            except (ValueError, RecursionError):
                return {}
        if isinstance(given, dict) and len(one["loc"]) <= 2:  # the kind of message, and the field it lacks
            return given
    return {}


def _error(error: Exception, message: Mapping[str, Any]) -> types.JSONRPCError:
    invalid = isinstance(error, ValidationError) and error.errors()[0]["type"] == "json_invalid"
    code = types.PARSE_ERROR if invalid else types.INVALID_REQUEST
    told = types.ErrorData(code=code, message="the message cannot be read: no JSON-RPC, or nested too deep")
    try:
        id = _ID.validate_json(json.dumps(message.get("id")))
    except (ValidationError, RecursionError):
        id = None
    return types.JSONRPCError(jsonrpc="2.0", id=id, error=told)
