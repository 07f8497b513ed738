"""Run one session of Claude Code with tools. A function can reply in place of a user.

`client.py` asks a single question without tools. Both end the process of Claude Code before they return.
"""

import asyncio
import json
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec
from claude_agent_sdk import (
    AssistantMessage,
    CanUseTool,
    ClaudeAgentOptions,
    ClaudeSDKClient,
    ClaudeSDKError,
    CLINotFoundError,
    HookContext,
    HookInput,
    HookJSONOutput,
    HookMatcher,
    PermissionResult,
    PermissionResultAllow,
    PermissionResultDeny,
    ResultMessage,
    SystemMessage,
    TextBlock,
    ToolPermissionContext,
    ToolResultBlock,
    ToolUseBlock,
    UserMessage,
)

from orchestrator.errors import is_strict
from orchestrator.model.client import FAULTS, REQUEST_LIMITS, close_client, read_usage, shorten
from orchestrator.model.query import Fault, Usage

_MAX_ANSWER, _MAX_INPUT, _MAX_CALLS = 100_000, 4_000, 2_000
"""Limits of the record: characters of an answer, characters of a call's input, number of calls."""

TURN_LIMIT_REASON = "the session reached its turn limit"
_END_REASONS = {"max_turns": TURN_LIMIT_REASON}


User = Callable[[str], str | None]
"""A function that returns the user's reply to a text, or None if there is no reply."""


class SessionRequest(msgspec.Struct, frozen=True):
    """A session to run: its prompt, folder, permission rules and limits.

    claude: the program. usd: the cost at which the session is stopped. tokens: the maximum output of one turn.
    ends_after: the name of a tool. When it succeeds for the first time, the session ends before the next turn. user:
    answers questions and the last message of a turn. The session ends when it returns None. Without a user, no question
    can be asked.
    """

    prompt: str
    folder: Path
    claude: Path
    tools: tuple[str, ...]
    refused_tools: tuple[str, ...]
    model: str
    usd: float
    tokens: int
    seconds: float
    max_turns: int
    verbatim: bool = True
    plugins: tuple[Path, ...] = ()
    ends_after: str = ""
    user: User | None = None


class Call(msgspec.Struct, frozen=True):
    """A tool call, as saved in a trial's record. given: the input of the call as JSON."""

    tool: str
    given: str


class SkillCall(msgspec.Struct, frozen=True):
    """A call of the tool Skill. name: the skill as reported by Claude Code, or else as written by the model."""

    name: str
    succeeded: bool


class Session(msgspec.Struct):
    """The record of a session.

    usd: the cost, or None if the cost is unknown. why: why the session ended early, or "". fault: what has failed if
    the model was not reached.
    """

    answer: str = ""
    calls: list[Call] = msgspec.field(default_factory=list)
    skills: list[SkillCall] = msgspec.field(default_factory=list)
    texts: list[str] = msgspec.field(default_factory=list)
    turns: int = 0
    compactions: int = 0
    usd: float | None = None
    usage: Usage = msgspec.field(default_factory=Usage)
    seconds: float = 0.0
    model: str = ""
    id: str = ""
    why: str = ""
    fault: Fault | None = None

    @property
    def was_answered(self) -> bool:
        """Whether the model answered at least once."""
        return bool(self.turns or self.calls or self.texts)

    def fail(self, why: object, fault: Fault | None = None) -> "Session":
        """Set the reason why the session ended early, and return the session."""
        self.why, self.fault = shorten(why), fault
        return self


async def run_session(request: SessionRequest) -> Session:
    """Run a session to its end. Raises an exception only if it is cancelled, after the process has ended."""
    clock = asyncio.get_running_loop().time  # it does not count time in which this process is stopped
    session, start, stderr = Session(), clock(), list[str]()
    try:
        await _run(ClaudeSDKClient(_build_options(request, stderr)), request, session)
    except TimeoutError:
        session.fail(f"not finished within {request.seconds:.0f} s")
    except CLINotFoundError as error:
        session.fail(error, Fault.ACCESS)
    except (ClaudeSDKError, OSError) as error:
        session.fail(f"Claude Code failed: {stderr[-1] if stderr else error}", Fault.CONNECTION)
    except Exception as error:
        if is_strict():
            raise
        session.fail(f"the SDK failed: {type(error).__name__}: {error}", Fault.CONNECTION)
    session.seconds = clock() - start
    return session


async def _run(client: ClaudeSDKClient, request: SessionRequest, session: Session) -> None:
    try:
        async with asyncio.timeout(request.seconds):
            with warnings.catch_warnings():  # the SDK warns that allowed tools need no permission, as intended
                warnings.simplefilter("ignore")
                await client.connect()
            prompt: str | None = request.prompt
            while prompt is not None:
                await client.query(prompt)
                await _receive(client, session)
                prompt = request.user(session.answer) if request.user and not session.why else None
    finally:
        await close_client(client)


async def _receive(client: ClaudeSDKClient, session: Session) -> None:
    error, requested = None, dict[str, str]()
    async for message in client.receive_response():
        match message:
            case AssistantMessage():
                error = message.error
                requested |= _list_skill_calls(message)
                _record_message(session, message)
            case UserMessage():
                _record_skill_calls(session, message, requested)
            case SystemMessage(subtype="compact_boundary"):
                session.compactions += 1
            case ResultMessage():
                _read_result(session, message, error)
                return
    session.fail("Claude Code ended without a result", Fault.CONNECTION)


def _record_message(session: Session, message: AssistantMessage) -> None:
    for block in message.content:
        if isinstance(block, ToolUseBlock) and len(session.calls) < _MAX_CALLS:
            session.calls.append(Call(block.name, json.dumps(block.input, ensure_ascii=False)[:_MAX_INPUT]))
        elif isinstance(block, TextBlock) and len(session.texts) < _MAX_CALLS:
            session.texts.append(block.text[:_MAX_ANSWER])


def _list_skill_calls(message: AssistantMessage) -> dict[str, str]:
    calls = (block for block in message.content if isinstance(block, ToolUseBlock) and block.name == "Skill")
    return {block.id: str(block.input.get("skill", "")) for block in calls}


def _record_skill_calls(session: Session, message: UserMessage, requested: Mapping[str, str]) -> None:
    blocks = message.content if isinstance(message.content, list) else ()
    result = message.tool_use_result if isinstance(message.tool_use_result, dict) else {}
    for block in blocks:
        if isinstance(block, ToolResultBlock) and block.tool_use_id in requested and len(session.skills) < _MAX_CALLS:
            name = result.get("commandName") or requested[block.tool_use_id]
            session.skills.append(SkillCall(str(name)[:_MAX_INPUT], result.get("success") is True))


async def _stop_session(input: HookInput, call: str | None, context: HookContext) -> HookJSONOutput:
    return {"continue_": False}


def _read_result(session: Session, message: ResultMessage, error: str | None) -> None:
    session.id, session.usd = message.session_id, message.total_cost_usd
    session.turns += message.num_turns  # counted since the last prompt; the cost is the whole session's
    session.usage, session.model = read_usage(message)
    session.answer = (message.result or "")[:_MAX_ANSWER]
    if message.stop_reason == "refusal":
        session.fail("the model refused")
    elif message.terminal_reason == "api_error":
        fault = FAULTS.get(error or "", Fault.CONNECTION)  # an invalid request (Fault.ANSWER) concerns only this run
        session.fail(message.result or message.subtype, None if fault is Fault.ANSWER else fault)
    elif message.terminal_reason == "budget_exhausted":
        session.fail("the session was stopped at its cost limit")
    elif message.is_error:
        session.fail(_END_REASONS.get(message.terminal_reason or "", message.result or message.subtype))


def _build_permission(user: User) -> CanUseTool:
    """Return the handler for tools that no rule allows. Questions are answered by the user, other tools are refused."""

    async def decide(tool: str, arguments: dict[str, Any], context: ToolPermissionContext) -> PermissionResult:
        if tool != "AskUserQuestion":
            return PermissionResultDeny(message=f"Permission to use {tool} has been denied.")
        answers = {str(item["question"]): _answer_question(user, item) for item in arguments.get("questions", ())}
        if None in answers.values():
            return PermissionResultDeny(message="The user does not answer. Go on without the answer.")
        return PermissionResultAllow(updated_input={**arguments, "answers": answers})

    return decide


def _answer_question(user: User, question: Mapping[str, Any]) -> str | None:
    """Return the option that the user's reply to a question contains, or else the reply itself.

    Returns None if there is no reply.
    """
    options = [(str(item.get("label", "")), str(item.get("description", ""))) for item in question.get("options", ())]
    shown = "\n".join((str(question["question"]), *(f"{label}: {about}" for label, about in options)))
    reply = user(shown)
    if reply is None:
        return None
    words = reply.casefold()
    return next((label for label, _ in options if label and label.casefold() in words), reply)


def _build_options(request: SessionRequest, stderr: list[str]) -> ClaudeAgentOptions:
    def keep_last(line: str) -> None:
        stderr[:] = [line]

    return ClaudeAgentOptions(
        setting_sources=["user", "project"],
        strict_mcp_config=True,
        verbatim_prompts=request.verbatim,
        permission_mode="default" if request.user else "dontAsk",
        can_use_tool=_build_permission(request.user) if request.user else None,
        allowed_tools=list(request.tools),
        disallowed_tools=[*([] if request.user else ["AskUserQuestion"]), *request.refused_tools],
        max_turns=request.max_turns,
        max_budget_usd=request.usd,
        model=request.model or None,
        cli_path=request.claude,
        cwd=request.folder,
        stderr=keep_last,
        plugins=[{"type": "local", "path": str(folder)} for folder in request.plugins],
        hooks={"PostToolUse": [HookMatcher(request.ends_after, [_stop_session])]} if request.ends_after else None,
        env={
            **REQUEST_LIMITS,
            "CLAUDE_AGENT_SDK_SKIP_VERSION_CHECK": "1",
            "CLAUDE_CODE_MAX_OUTPUT_TOKENS": str(request.tokens),
        },
    )
