"""Set up a user's machine in a folder (home, PATH, a project with a faulty skill), and start Claude Code on it."""

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.claude_code import CLAUDE, LOW_CPU_ENVIRONMENT
from tests.scripted_api import Block, ScriptedApi, get_last_user_text, join_text

ROOT = Path(__file__).parents[2]
PROGRAM = f"#!{sys.executable}\nimport sys\nsys.path.insert(0, {str(ROOT)!r})\nfrom tune_skill import main\nmain()\n"
Turns = Iterator["str | Block | list[Block]"]


@dataclass(frozen=True)
class ProgramResult:
    """The exit code and output of a program."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


class Machine:
    """A user's machine; the folder `base` contains home, tmp, bin (with `tune-skill`), and the project."""

    def __init__(self, base: Path) -> None:
        self.home, self.tmp, self.bin = (base / name for name in ("home", "tmp", "bin"))
        self.project = base / "Vögel & 项目"
        self.skill = self.project / ".claude" / "skills" / "release-notes"
        for folder in (self.home, self.tmp, self.bin, self.project / ".git"):
            folder.mkdir(parents=True)
        shutil.copytree(ROOT / "examples" / "release-notes", self.skill)
        self.write_program()

    def write_program(self, change: str = "pass") -> None:
        """Write the `tune-skill` program as pip does; `change` is a statement to run first, if any."""
        script = self.bin / "tune-skill"
        script.write_text(PROGRAM.replace("from tune_skill", f"{change}\nfrom tune_skill"))
        script.chmod(0o755)

    def environment(self, **variables: str) -> dict[str, str]:
        """Return the environment variables, without any of the developer's."""
        return {
            "PATH": f"{self.bin}:/usr/local/bin:/usr/bin:/bin", "HOME": str(self.home), "TMPDIR": str(self.tmp),
            "LANG": "C.UTF-8", "ANTHROPIC_API_KEY": "dummy", "ANTHROPIC_BASE_URL": "http://127.0.0.1:9",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "CLAUDE_CODE_MAX_RETRIES": "0",
            "CLAUDE_CODE_ENABLE_TASKS": "0", "PYTHONDONTWRITEBYTECODE": "1", **LOW_CPU_ENVIRONMENT, **variables,
        }  # fmt: skip

    def run(self, *command: str, **variables: str) -> ProgramResult:
        """Run a program in the project, without a terminal, and return its result."""
        result = subprocess.run(
            command, cwd=self.project, env=self.environment(**variables), stdin=subprocess.DEVNULL, capture_output=True,
            text=True, timeout=300, check=False,
        )  # fmt: skip
        return ProgramResult(result.returncode, result.stdout, result.stderr)

    def tune_skill(self, *arguments: str) -> ProgramResult:
        """Call tune-skill as the user would."""
        return self.run(str(self.bin / "tune-skill"), *arguments)

    def run_claude_command(self, *arguments: str) -> ProgramResult:
        """Run a subcommand of Claude Code."""
        return self.run(str(CLAUDE), *arguments)

    def run_claude(self, prompt: str, model: "Model", *options: str, **variables: str) -> tuple[Any, list[Any]]:
        """Send a prompt to Claude Code (`claude -p`); return its result and the requests to the model."""
        with ScriptedApi(model) as api:
            result = self.run(
                str(CLAUDE), "-p", prompt, "--output-format", "json", *options, ANTHROPIC_BASE_URL=api.url, **variables
            )
        model.check()
        assert result.code == 0, result
        return result.json, api.model_requests

    def interrupt_claude(self, prompt: str, model: "Model", condition: Callable[[], bool]) -> None:
        """Start `claude -p` without MCP servers and press Ctrl-C as soon as `condition` holds."""
        with ScriptedApi(model) as api:
            process = subprocess.Popen(
                [CLAUDE, "-p", prompt, "--strict-mcp-config"], cwd=self.project, env=self.environment(ANTHROPIC_BASE_URL=api.url),
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
            )  # fmt: skip
            with process:
                deadline = time.monotonic() + 180
                while not condition():
                    assert process.poll() is None, process.stdout and process.stdout.read()
                    assert time.monotonic() < deadline, "the condition was not met in time"
                    time.sleep(0.002)
                os.killpg(process.pid, signal.SIGINT)

    def hold_conversation(
        self, prompt: str, model: "Model", answer: Callable[[Any], str], monkeypatch: Any
    ) -> "Conversation":
        """Hold a session with Claude Code and a user who answers its questions and gives it no other permission.

        It starts no MCP servers, because each start takes a second of CPU.
        """
        for name in set(os.environ) - {"PATH"}:
            monkeypatch.delenv(name)
        with ScriptedApi(model) as api:
            permission_requests, last_message = asyncio.run(
                _hold_conversation(prompt, self.project, self.environment(ANTHROPIC_BASE_URL=api.url), answer)
            )
            model.check()
            return Conversation(permission_requests, last_message, api.model_requests)

    def events(self) -> list[str]:
        """Return the names of the events in the project's log, oldest first."""
        log = self.project / ".maceff" / "agent_events_log.jsonl"
        # The last line may be incomplete, because the last request may still be under way.
        complete_lines = log.read_text().split("\n")[:-1] if log.exists() else []
        return [json.loads(line)["event"] for line in complete_lines]


@dataclass(frozen=True)
class Conversation:
    """A finished session with Claude Code: the (tool, input) of each permission request, the last message, the requests."""

    permission_requests: list[tuple[str, Any]]
    last_message: str
    model_requests: list[Any]


async def _hold_conversation(
    prompt: str, folder: Path, environment: dict[str, str], answer: Callable[[Any], str]
) -> tuple[list[tuple[str, Any]], str]:
    import claude_agent_sdk  # Imported late, because the import takes half a second of CPU.

    permission_requests: list[tuple[str, Any]] = []

    async def decide_permission(tool: str, tool_input: Any, context: Any) -> Any:
        permission_requests.append((tool, tool_input))
        if tool != "AskUserQuestion":
            return claude_agent_sdk.PermissionResultDeny(message="the user says no")
        answers = {question["question"]: answer(question) for question in tool_input["questions"]}
        return claude_agent_sdk.PermissionResultAllow(updated_input={**tool_input, "answers": answers})

    options = claude_agent_sdk.ClaudeAgentOptions(
        cwd=folder,
        env=environment,
        setting_sources=["user", "project", "local"],
        can_use_tool=decide_permission,
        strict_mcp_config=True,
    )
    async with claude_agent_sdk.ClaudeSDKClient(options) as client:
        await client.query(prompt)
        messages = [message async for message in client.receive_response()]
    return permission_requests, getattr(messages[-1], "result", "") or ""


class Model:
    """A model that replies with the values of a generator. It keeps errors for `check`.

    turns: makes the generator from the list of inputs, whose last item is the last prompt or tool result.
    """

    def __init__(self, turns: Callable[[list[str]], Turns], side_replies: Mapping[str, str] | None = None) -> None:
        self.inputs: list[str] = []
        self.error: Exception | None = None
        self._turns = turns(self.inputs)
        self._side_replies = side_replies or {}

    def __call__(self, request: Any) -> Any:
        first_text = join_text(request["messages"][0]["content"])
        for phrase, answer in self._side_replies.items():
            if phrase in first_text:
                return answer
        self.inputs.append(get_last_user_text(request))
        try:
            return next(self._turns)
        except Exception as error:
            self.error = self.error or error
            raise

    def check(self) -> None:
        """Raise the error that the generator raised, if any."""
        if self.error:
            raise self.error


def reply_with(*answers: str) -> Model:
    """Return a model that gives these replies in order."""
    return Model(lambda inputs: iter(answers))
