"""Provide the real SDK and the Claude Code in its wheel, with a scripted model and separate HOME and TMPDIR."""

import tempfile
from contextlib import suppress
from pathlib import Path

import pytest

from orchestrator.guard.steering.considerations import OVERRIDE
from orchestrator.model import client
from tests.question_shortcut import QuestionShortcut
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
    assert not list_processes(temp), "a process of Claude Code was left behind"
    assert {path.name for path in temp.iterdir()} <= {"macf"}, "files were left behind beside the hooks' own log"


@pytest.fixture
def one_start_per_schema(api, monkeypatch):
    """Let only the first question with each schema start Claude Code."""

    async def ask(body):
        return api.answer(body)

    monkeypatch.setattr(client, "send_query", QuestionShortcut(ask).send_query)


@pytest.fixture
def write_considerations(tmp_path):
    """Return a function that configures considerations; few are enough for one query, which starts Claude Code."""

    def write(text: str, project: Path = tmp_path) -> None:
        considerations_file = project / OVERRIDE
        considerations_file.parent.mkdir(parents=True)
        considerations_file.write_text(text)

    return write


def list_processes(temp: Path) -> list[str]:
    """Return the ids of living processes whose TMPDIR is this folder."""
    process_ids = []
    for process in Path("/proc").iterdir():
        with suppress(OSError):
            is_ours = str(temp).encode() in (process / "environ").read_bytes()
            if is_ours and (process / "stat").read_text().rpartition(")")[2].split()[0] != "Z":
                process_ids.append(process.name)
    return process_ids
