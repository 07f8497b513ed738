"""Connect the real server to the client of the `mcp` package, in one process or through pipes."""

import asyncio
import json
import os
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from orchestrator.servers.mcp.mcp_server import make_server
from tests.fakes import SKILL_HEADER, add_large_references, write_skill

ROOT = Path(__file__).parents[4]
PROGRAM = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from tune_skill import main; main()"
BODY = (
    "Count each bird once and write the tally.\n\nSee [the list](missing.md) of the terns.\n\n"
    "Ask the harbour master before the count begins.\n"
)


@dataclass
class Session:
    """A connected client."""

    client: Client
    progress: list[str] = field(default_factory=list)

    async def call(self, tool: str, **arguments: Any) -> Any:
        """Call a tool, which must succeed, and return its result as data."""
        result = await self.call_raw(tool, **arguments)
        assert not result.is_error, result.content
        return parse_question(result) if tool == "question" else result.structured_content

    async def call_refused(self, tool: str, **arguments: Any) -> str:
        """Call a tool, which must fail, and return the error message, which must be one line."""
        result = await self.call_raw(tool, **arguments)
        assert result.is_error, result.structured_content
        (block,) = result.content
        assert "\n" not in block.text
        return block.text

    async def call_raw(self, tool: str, **arguments: Any) -> Any:
        if tool == "answer" and "id" in arguments and "token" not in arguments:
            question = await self.call_raw("question", run=arguments["run"], id=arguments["id"])
            arguments["token"] = "" if question.is_error else parse_question(question)["token"]

        async def record_progress(number: float, total: float | None, message: str | None) -> None:
            self.progress.append(message or "")

        return await self.client.call_tool(tool, arguments, progress_callback=record_progress)


def parse_question(result: Any) -> dict[str, Any]:
    """Return a question as data. The first text of the result is the prompt, and the second has the other fields."""
    *prompt, rest = (block.text for block in result.content)
    return {**json.loads(rest), "prompt": "".join(prompt)}


@pytest.fixture
def project(tmp_path):
    """Return a project with a skill `plover`, which has a broken link."""
    folder = tmp_path / "project"
    write_skill(folder / "plover", BODY)
    (folder / ".git").mkdir()
    return folder


@pytest.fixture
def skill_read_in_parts(project):
    """Enlarge the skill, so that it is read in parts and a run has several questions."""
    add_large_references(project / "plover")


@pytest.fixture
def run_with_server(project, tmp_path, monkeypatch) -> Callable[..., Any]:
    """Return a function that runs a coroutine with a new server, as a separate process if `as_process`."""

    def run(
        work: Callable[[Session], Awaitable[Any]], *, mode: str = "legacy", as_process: bool = False, **options: Any
    ) -> Any:
        monkeypatch.chdir(project)
        with (tmp_path / "errors.txt").open("a") as log:
            server = stdio_client(get_server_command(project), errlog=log) if as_process else make_server()
            return asyncio.run(_run_with_client(work, server, mode, options))

    return run


async def _run_with_client(work: Any, server: Any, mode: str, options: dict[str, Any]) -> Any:
    async with Client(server, mode=mode, read_timeout_seconds=60, **options) as client:
        return await work(Session(client))


def get_server_command(project: Path) -> StdioServerParameters:
    """Return the command that starts the server in a project."""
    return StdioServerParameters(command=sys.executable, args=["-c", PROGRAM, "mcp"], cwd=project, env=dict(os.environ))


def get_main_file(project: Path) -> Path:
    return project / "plover" / "SKILL.md"


def make_empty_answer() -> dict[str, Any]:
    """Return the shortest valid answer to a reading question."""
    return {"notes": [], "unchecked": [], "verdicts": [], "added": []}


__all__ = ["SKILL_HEADER"]
