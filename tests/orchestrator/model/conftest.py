"""Provide the real SDK and the Claude Code in its wheel, with a scripted model and separate HOME and TMPDIR."""

import tempfile
from contextlib import suppress
from pathlib import Path

import pytest
from msgspec.structs import replace

from orchestrator.guard.steering.considerations import OVERRIDE
from orchestrator.model import client
from orchestrator.model.query import Query, QueryResult
from tests.scripted_api import ScriptedApi


@pytest.fixture
def api(tmp_path, monkeypatch):
    """Yield a scripted API that Claude Code uses; a test may set `api.script`."""
    temp = tmp_path / "temp"
    temp.mkdir()
    monkeypatch.setenv("TMPDIR", str(temp))
    monkeypatch.setattr(tempfile, "tempdir", None)
    with ScriptedApi() as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "dummy")
        yield server
    assert not processes_of(temp), "a process of Claude Code was left behind"
    assert {path.name for path in temp.iterdir()} <= {"macf"}, "files were left behind beside the hooks' own log"


class ShortWay:
    """Send the first question with each schema through the real Claude Code, and the others straight to the script.

    Claude Code passes all on alike, and each start takes half a second of CPU. An answer costs what the first did.
    """

    def __init__(self, api: ScriptedApi) -> None:
        self._api, self._send_query = api, client.send_query
        self._first: dict[tuple[str, ...], QueryResult] = {}

    async def send_query(self, query: Query, **more: Path | None) -> QueryResult:
        kind = tuple(query.schema["properties"])
        if kind in self._first:
            tools = [{"name": "StructuredOutput", "input_schema": query.schema}]
            body = {"messages": [{"role": "user", "content": query.prompt}], "tools": tools}
            return replace(self._first[kind], value=self._api.answer(body))
        result = await self._send_query(query, **more)
        if result.value is not None:
            self._first[kind] = result
        return result


@pytest.fixture
def short_way(api, monkeypatch):
    """Let only the first question with each schema start Claude Code."""
    monkeypatch.setattr(client, "send_query", ShortWay(api).send_query)


@pytest.fixture
def ask_only(tmp_path):
    """Configure so few considerations that one query is enough, because each query starts Claude Code."""

    def ask(words: str, project: Path = tmp_path) -> None:
        own = project / OVERRIDE
        own.parent.mkdir(parents=True)
        own.write_text(words)

    return ask


def processes_of(temp: Path) -> list[str]:
    """Return the ids of living processes whose TMPDIR is this folder."""
    found = []
    for process in Path("/proc").iterdir():
        with suppress(OSError):
            is_ours = str(temp).encode() in (process / "environ").read_bytes()
            if is_ours and (process / "stat").read_text().rpartition(")")[2].split()[0] != "Z":
                found.append(process.name)
    return found
