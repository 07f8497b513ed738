"""Send one query to Claude Code through the Agent SDK. A query has a prompt and the schema of its answer.

Claude Code reads no settings, expands nothing in the prompt, and records no session. Its only tool is `look`, and only
if the query allows look-ups. Its process has ended when a query returns. Observed with claude-agent-sdk 0.2.187, which
bundles Claude Code 2.1.330. Only this module, `look_tool.py`, `agent.py` and
`program.py` import the SDK.
"""

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from dataclasses import replace as replace_options
from pathlib import Path
from typing import Any

import msgspec
from claude_agent_sdk import (
    AssistantMessage,
    ClaudeAgentOptions,
    ClaudeSDKClient,
    ClaudeSDKError,
    CLINotFoundError,
    ResultMessage,
)
from msgspec.structs import replace

from actions.project.allowance import make_allowance
from orchestrator.errors import is_strict, one_line
from orchestrator.fs.temp_folder import create_temp_folder
from orchestrator.model.environment import has_env_access
from orchestrator.model.look_tool import SERVER, TOOL, LookTool
from orchestrator.model.program import write_launcher
from orchestrator.model.query import OVER_LIMIT, PROSE, Bill, Fault, Query, QueryResult, Usage
from templates import render

REQUEST_LIMITS = {
    "API_TIMEOUT_MS": "2000000000",
    "CLAUDE_STREAM_IDLE_TIMEOUT_MS": "1800000",
    "CLAUDE_CODE_MAX_RETRIES": "2",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
}
"""The environment variables that keep Claude Code from sending a request again that may still be answered, and paid.

- `API_TIMEOUT_MS`: no limit, because `Query.seconds` and `SessionRequest.seconds` limit the time. The clock of Claude
  Code counts the time in which it was stopped (Ctrl-Z).
- `CLAUDE_STREAM_IDLE_TIMEOUT_MS`: how long it waits for a byte of the server: the most that it accepts. By default
  Claude Code 2.1.330 sends a request again after six minutes without a byte (measured: 361 s), in spite of the limit
  above; a slow gateway may work on the first one and be paid twice. With this value it did not within 13 minutes.
- `CLAUDE_CODE_MAX_RETRIES`: the retries of a failed request. The default is ten, which take three minutes.
"""

logging.getLogger("claude_agent_sdk").addHandler(logging.NullHandler())
"""The SDK logs an error that it also raises. Without a handler, Python would print it (after SIGTERM to the group)."""

_MIN_VERSION = (2, 1, 248)
"""The first version of Claude Code that can send prompts unchanged (`ClaudeAgentOptions.verbatim_prompts`)."""

_MAX_TURNS = 6
"""Maximum number of turns for an answer. Claude Code retries five times if the answer violates the schema."""
_MAX_LOOKUPS = 20
"""Maximum number of additional turns for look-ups. The limit of the question itself is usually reached earlier."""
_NO_ANSWER = "the model kept looking up files instead of answering"

_BILL_SECONDS = 3
"""How long to wait, after an interrupt, for what the ended turns cost. It took 0.1 s in Claude Code 2.1.330."""

_MAX_TEXT = 200
_END_REASONS = {
    "structured_output_retry_exhausted": "no attempt matched the schema of the answer",
    "max_turns": "the model called unknown tools instead of answering",
    "budget_exhausted": OVER_LIMIT,
}
_MARKS = str.maketrans("“”<>`", '""‹›\'')
FAULTS = {"authentication_failed": Fault.ACCESS, "billing_error": Fault.ACCESS, "invalid_request": Fault.ANSWER}


class _Exchange(msgspec.Struct):
    """The record of a query: what is known of its cost, and the lines that Claude Code printed (`stderr`)."""

    bill: Bill
    stderr: list[str] = msgspec.field(default_factory=list)

    def fail(self, why: object, fault: Fault = Fault.CONNECTION) -> QueryResult:
        return QueryResult(None, shorten(why), fault, usd=None if self.bill.sent else 0.0, usage=self.bill.usage)


async def send_query(query: Query, *, within: Path | None = None, claude: Path | None = None) -> QueryResult:
    """Send a query. Raises an exception only if it is cancelled, after the process has ended.

    within: the folder for temporary files (None: the system's). claude: the program to start. None means the default,
    which ends with this process on Linux, even if it is killed.
    """
    with create_temp_folder("judge", within) as folder:
        exchange = _Exchange(query.bill)
        look = _make_look_tool(query)
        try:
            options = _build_options(query, folder, exchange.stderr)
            options = replace_options(options, cli_path=claude or write_launcher(folder))
            options = _offer_lookups(options, look) if look else options
            result = await _send(ClaudeSDKClient(options), query, exchange, look)
            return replace(result, looked_up=look.log) if look else result
        except TimeoutError:
            return exchange.fail(f"no answer within {query.seconds:.0f} s")
        except CLINotFoundError as error:
            return exchange.fail(error, Fault.ACCESS)
        except (ClaudeSDKError, OSError) as error:
            return exchange.fail(f"Claude Code failed: {exchange.stderr[-1] if exchange.stderr else error}")
        except Exception as error:
            if is_strict():
                raise
            return exchange.fail(f"the SDK failed: {type(error).__name__}: {error}")


def _make_look_tool(query: Query) -> LookTool | None:
    if query.library is None:
        return None
    return LookTool(query.library, make_allowance(query.prompt, query.schema, query.library.size))


async def _send(client: ClaudeSDKClient, query: Query, exchange: _Exchange, look: LookTool | None) -> QueryResult:
    try:
        error, has_result = None, False
        async with asyncio.timeout(query.seconds):
            await client.connect()
            if problem := _find_version_problem(await client.get_server_info() or {}):
                return exchange.fail(problem, Fault.ACCESS)
            exchange.bill.sent = True
            await client.query(_build_blocks(query) if query.shared else query.prompt)
            async for message in client.receive_response():
                if isinstance(message, AssistantMessage):
                    error = message.error
                    query.note_model(message.model)
                    if look and look.note(message).is_over:
                        await client.interrupt()
                if isinstance(message, ResultMessage):
                    has_result = True
                    result = _read_result(message, error)
                    return replace(result, why=_NO_ANSWER, fault=Fault.ANSWER) if look and look.is_over else result
        return exchange.fail("Claude Code ended without a result")
    finally:
        exchange.bill.looked_up = sum(batch.size for batch in look.log.batches) if look else 0
        await close_client(client, None if has_result else exchange.bill)


async def _build_blocks(query: Query) -> AsyncIterator[dict[str, Any]]:
    """Yield the prompt as a message of two blocks.

    The first block is the part that other questions share, and is marked for the provider's cache.
    """
    first = {"type": "text", "text": query.shared, "cache_control": {"type": "ephemeral"}}
    rest = {"type": "text", "text": query.prompt.removeprefix(query.shared)}
    message = {"role": "user", "content": [first, rest]}
    yield {"type": "user", "message": message, "parent_tool_use_id": None, "session_id": "default"}


def _find_version_problem(info: Mapping[str, Any]) -> str:
    """Return a message if Claude Code is too old, or "". An old version would expand `@path` in a skill's text."""
    version = str(info.get("claude_code_version") or "unknown")
    numbers = tuple(int(part) for part in version.split(".")[:3] if part.isdecimal())
    needed = ".".join(map(str, _MIN_VERSION))
    return "" if numbers >= _MIN_VERSION else f"Claude Code {shorten(version)} is too old; {needed} or later is needed"


def _offer_lookups(options: ClaudeAgentOptions, look: LookTool) -> ClaudeAgentOptions:
    system = render("questions/system", may_look=True).strip()
    return replace_options(
        options, mcp_servers={SERVER: look.build_server()}, allowed_tools=[TOOL], max_turns=_MAX_TURNS + _MAX_LOOKUPS,
        system_prompt=system,
    )  # fmt: skip


async def close_client(client: ClaudeSDKClient, bill: Bill | None = None) -> None:
    """End the process of Claude Code.

    A running query is interrupted first, because the process would otherwise take five seconds to end. bill: of a query
    without a result; Claude Code says then what the ended turns cost.
    """
    with suppress(Exception):
        async with asyncio.timeout(_BILL_SECONDS if bill and bill.sent else 1):
            await client.interrupt()
            if bill and bill.sent:
                await _read_bill(client, bill)
    with suppress(Exception):
        await client.disconnect()


async def _read_bill(client: ClaudeSDKClient, bill: Bill) -> None:
    async for message in client.receive_response():
        if isinstance(message, ResultMessage):
            bill.usd, (bill.usage, _) = message.total_cost_usd, read_usage(message)
            bill.is_open = message.terminal_reason in (None, "aborted_streaming")


def _build_options(query: Query, folder: Path, stderr: list[str]) -> ClaudeAgentOptions:
    for name in ("work", "config", "tmp"):
        (folder / name).mkdir()
    config = {"CLAUDE_CONFIG_DIR": str(folder / "config")} if has_env_access(os.environ) else {}
    return ClaudeAgentOptions(
        tools=[],
        skills=[],
        setting_sources=[],
        strict_mcp_config=True,
        verbatim_prompts=True,
        permission_mode="dontAsk",
        system_prompt=render("questions/system", may_look=False).strip(),
        output_format={"type": "json_schema", "schema": dict(query.schema)},
        max_turns=_MAX_TURNS,
        max_budget_usd=query.usd,
        model=query.model or None,
        cwd=folder / "work",
        extra_args={"no-session-persistence": None},
        stderr=stderr.append,
        env={
            **config,
            "TMPDIR": str(folder / "tmp"),
            "TUNE_SKILL_JUDGE": "1",
            **REQUEST_LIMITS,
            "CLAUDE_CODE_MAX_OUTPUT_TOKENS": str(query.tokens),
        },
    )


def _read_result(message: ResultMessage, error: str | None) -> QueryResult:
    usage, model = read_usage(message)
    result = QueryResult(message.structured_output, usd=message.total_cost_usd, usage=usage, model=model)
    if result.value is not None and not message.is_error:
        return result
    fault = FAULTS.get(error or "", Fault.CONNECTION) if message.terminal_reason == "api_error" else Fault.ANSWER
    return replace(result, value=None, why=_explain_failure(message), fault=fault)


def _explain_failure(message: ResultMessage) -> str:
    words = shorten(message.result or "")
    if reason := _END_REASONS.get(message.terminal_reason or ""):
        return reason
    if message.is_error:
        return f"Claude Code reported {_quote(words or shorten('; '.join(message.errors or ()) or message.subtype))}"
    return f"{PROSE}: {_quote(words)}" if words else "the model gave an empty answer"


def _quote(words: str) -> str:
    """Return words of a model or a server in quotation marks that they cannot close, without markup.

    The words stand in notes that other models read.
    """
    return f"“{words.translate(_MARKS)}”"


def read_usage(message: ResultMessage) -> tuple[Usage, str]:
    """Return the tokens that all attempts used, and the name of the model that used the most."""
    counted = {model: _count_tokens(usage) for model, usage in (message.model_usage or {}).items()}
    return sum(counted.values(), Usage()), max(counted, key=lambda model: counted[model].total, default="")


def _count_tokens(usage: Mapping[str, Any]) -> Usage:
    names = ("inputTokens", "cacheCreationInputTokens", "cacheReadInputTokens", "outputTokens")
    uncached, stored, cached, output = (int(usage.get(name) or 0) for name in names)
    return Usage(uncached + stored + cached + output, uncached + stored + cached, cached)


def shorten(text: object) -> str:
    """Return a text as one line of limited length, without a full stop at the end."""
    return one_line(str(text))[:_MAX_TEXT].rstrip(" .")
