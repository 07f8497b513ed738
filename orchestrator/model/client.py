"""One query to Claude Code through the Agent SDK: a prompt and a schema go in, its result comes out. Nothing else
can happen: no tool, no setting, no file, no expansion, no session on the disk, no process left behind.

Observed with claude-agent-sdk 0.2.187, which carries Claude Code 2.1.330. It and `agent.py` import it.
"""

import asyncio
import os
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from claude_agent_sdk import (
    AssistantMessage,
    ClaudeAgentOptions,
    ClaudeSDKClient,
    ClaudeSDKError,
    CLINotFoundError,
    ResultMessage,
)

from orchestrator.errors import is_strict, one_line
from orchestrator.model.environment import find_user_cli, has_env_access
from orchestrator.model.query import Fault, Query, QueryResult, Usage
from templates import render

RETRIES = "2"
"""Repetitions of a refused request; Claude Code itself would make ten, over three minutes."""

_VERBATIM = (2, 1, 248)
"""The first Claude Code that leaves a prompt as it is; see `ClaudeAgentOptions.verbatim_prompts`."""

_TURNS = 6
"""Claude Code gives an answer that does not meet the schema five attempts."""

_WORDS = 200
_REASONS = {
    "structured_output_retry_exhausted": "no attempt met the schema of the answer",
    "max_turns": "it called tools that are not there instead of answering",
    "budget_exhausted": "the query was stopped at the ceiling of its cost",
}
FAULTS = {"authentication_failed": Fault.ACCESS, "billing_error": Fault.ACCESS, "invalid_request": Fault.ANSWER}


@dataclass
class _Exchange:
    """What Claude Code wrote to stderr, and whether the prompt went out: from then on it may cost something."""

    said: list[str] = field(default_factory=list)
    sent: bool = False

    def fail(self, why: object, fault: Fault = Fault.WAY) -> QueryResult:
        return QueryResult(None, shorten(why), fault, usd=None if self.sent else 0.0)


async def send_query(asking: Query, *, within: Path | None = None, claude: Path | None = None) -> QueryResult:
    """Ask once. Never raises but for cancellation; then, too, the process has ended before this returns.

    within: the folder for its files (None: that of the system); claude: what is started (None: the usual one).
    """
    with tempfile.TemporaryDirectory(prefix="tune-skill-judge-", dir=within, ignore_cleanup_errors=True) as folder:
        talk = _Exchange()
        try:
            options = replace(_options(asking, Path(folder), talk.said), cli_path=claude or find_user_cli(os.environ))
            return await _send(ClaudeSDKClient(options), asking, talk)
        except TimeoutError:
            return talk.fail(f"no answer within {asking.seconds:.0f} s")
        except CLINotFoundError as error:
            return talk.fail(error, Fault.ACCESS)
        except (ClaudeSDKError, OSError) as error:
            return talk.fail(f"Claude Code failed: {talk.said[-1] if talk.said else error}")
        except Exception as error:
            if is_strict():
                raise
            return talk.fail(f"the SDK failed: {type(error).__name__}: {error}")


async def _send(client: ClaudeSDKClient, asking: Query, talk: _Exchange) -> QueryResult:
    try:
        refused = None
        async with asyncio.timeout(asking.seconds):
            await client.connect()
            if old := _find_version_problem(await client.get_server_info() or {}):
                return talk.fail(old, Fault.ACCESS)
            talk.sent = True
            await client.query(_build_blocks(asking) if asking.shared else asking.prompt)
            async for message in client.receive_response():
                if isinstance(message, AssistantMessage):
                    refused = message.error
                if isinstance(message, ResultMessage):
                    return _read_result(message, refused)
        return talk.fail("Claude Code ended without a result")
    finally:
        await close_client(client)


async def _build_blocks(asking: Query) -> AsyncIterator[dict[str, Any]]:
    """Return the prompt as a message of two blocks: a provider's cache keeps what ends with a block marked for it."""
    first = {"type": "text", "text": asking.shared, "cache_control": {"type": "ephemeral"}}
    rest = {"type": "text", "text": asking.prompt.removeprefix(asking.shared)}
    message = {"role": "user", "content": [first, rest]}
    yield {"type": "user", "message": message, "parent_tool_use_id": None, "session_id": "default"}


def _find_version_problem(info: Mapping[str, Any]) -> str:
    """Say why a Claude Code is not given the texts of others: an older one reads `@path` in them from the disk."""
    version = str(info.get("claude_code_version") or "unknown")
    numbers = tuple(int(part) for part in version.split(".")[:3] if part.isdecimal())
    needed = ".".join(map(str, _VERBATIM))
    return "" if numbers >= _VERBATIM else f"Claude Code {shorten(version)} is too old; {needed} or later is needed"


async def close_client(client: ClaudeSDKClient) -> None:
    """End the process. A query that still runs is interrupted first: waiting for it would cost five seconds."""
    with suppress(Exception):
        async with asyncio.timeout(1):
            await client.interrupt()
    with suppress(Exception):
        await client.disconnect()


def _options(asking: Query, folder: Path, said: list[str]) -> ClaudeAgentOptions:
    for name in ("work", "config", "tmp"):
        (folder / name).mkdir()
    own = {"CLAUDE_CONFIG_DIR": str(folder / "config")} if has_env_access(os.environ) else {}
    return ClaudeAgentOptions(
        tools=[],
        skills=[],
        setting_sources=[],
        strict_mcp_config=True,
        verbatim_prompts=True,
        permission_mode="dontAsk",
        system_prompt=render("questions/system").strip(),
        output_format={"type": "json_schema", "schema": dict(asking.schema)},
        max_turns=_TURNS,
        max_budget_usd=asking.usd,
        model=asking.model or None,
        cwd=folder / "work",
        extra_args={"no-session-persistence": None},
        stderr=said.append,
        env={
            **own,
            "TMPDIR": str(folder / "tmp"),
            "TUNE_SKILL_JUDGE": "1",
            "API_TIMEOUT_MS": str(int(asking.seconds * 1000)),
            "CLAUDE_CODE_MAX_OUTPUT_TOKENS": str(asking.tokens),
            "CLAUDE_CODE_MAX_RETRIES": RETRIES,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        },
    )


def _read_result(message: ResultMessage, refused: str | None) -> QueryResult:
    usage, model = read_usage(message)
    result = QueryResult(message.structured_output, usd=message.total_cost_usd, usage=usage, model=model)
    if result.value is not None and not message.is_error:
        return result
    fault = FAULTS.get(refused or "", Fault.WAY) if message.terminal_reason == "api_error" else Fault.ANSWER
    return replace(result, value=None, why=_explain(message), fault=fault)


def _explain(message: ResultMessage) -> str:
    words = shorten(message.result or "")
    if reason := _REASONS.get(message.terminal_reason or ""):
        return reason
    if message.is_error:
        return words or shorten("; ".join(message.errors or ()) or message.subtype)
    return f"it answered in prose: {words}" if words else "it gave an empty answer"


def read_usage(message: ResultMessage) -> tuple[Usage, str]:
    """Return the tokens of all attempts, and the model that used the most."""
    counted = {model: _count_tokens(usage) for model, usage in (message.model_usage or {}).items()}
    return sum(counted.values(), Usage()), max(counted, key=lambda model: counted[model].total, default="")


def _count_tokens(usage: Mapping[str, Any]) -> Usage:
    names = ("inputTokens", "cacheCreationInputTokens", "cacheReadInputTokens", "outputTokens")
    new, put, cached, written = (int(usage.get(name) or 0) for name in names)
    return Usage(new + put + cached + written, new + put + cached, cached)


def shorten(text: object) -> str:
    """Return what was said as one line, and not too much of it."""
    return one_line(str(text))[:_WORDS].rstrip(" .")
