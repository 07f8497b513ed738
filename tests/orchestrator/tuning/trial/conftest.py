"""Provide a skill, its older version, tasks, and a model whose success depends on the text of the skill."""

import json
import os
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest

from orchestrator.cli import main
from orchestrator.model import agent
from orchestrator.model.agent import Call, Session, SkillCall
from orchestrator.tuning.trial import sandbox
from orchestrator.tuning.trial.sandbox import choose_folder, create_sandbox
from orchestrator.tuning.trial.tasks import Check, Task
from orchestrator.tuning.trial.versions import Version
from tests.orchestrator.tuning.replay import Replay, read_greeter
from tests.scripted_api import ScriptedApi, said, text, tool, tools_of

HEAD = "---\nname: greeter\ndescription: Greets people. Use when someone is to be greeted.\n---\n# Greeter\n\n"
GOOD, BAD = "Always say PLEASE.\n", "Say something.\n"
TASK = {"prompt": "Greet {name}.", "checks": [{"text": "please"}], "seconds": 60}


@pytest.fixture
def project(tmp_path, monkeypatch):
    """Return a project, as the working directory, with the skill `greeter` (good) and its old version `old` (bad)."""
    folder = tmp_path / "project"
    for name, body in (("greeter", GOOD), ("old", BAD)):
        (folder / name).mkdir(parents=True)
        (folder / name / "SKILL.md").write_text(HEAD + body)
    monkeypatch.chdir(folder)
    return folder


def write_tasks(folder: Path, count: int = 4, **more) -> str:
    """Write tasks that differ in the person to greet; return the path of the file."""
    tasks = [{**TASK, "name": f"greet-{n}", "prompt": f"Greet number {n}.", **more} for n in range(count)]
    file = folder / "tasks.json"
    file.write_text(json.dumps({"tasks": tasks}))
    return str(file)


def greeter(request):
    """Use the skill, and then do as its text says."""
    if "StructuredOutput" in tools_of(request):
        return tool("StructuredOutput", criteria=[])
    words = said(request)
    if "Base directory for this skill" not in words:
        return tool("Skill", skill="greeter")
    return text("Hello, please." if "PLEASE" in words else "Hello.")


@pytest.fixture
def api(tmp_path, monkeypatch):
    """Yield a scripted API that Claude Code uses; afterwards, check that no file and no process is left."""
    temp = tmp_path / "temp"
    temp.mkdir()
    monkeypatch.setenv("TMPDIR", str(temp))
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setattr(sandbox, "_CLAUDE_VARIABLES", (*sandbox._CLAUDE_VARIABLES, "BUN_"))  # as `fresh_home` sets it
    with ScriptedApi(greeter) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "dummy")
        yield server
    assert not processes_of(temp), "a process was left behind"
    assert not [path.name for path in temp.iterdir() if path.name.startswith("tune-skill")], "files were left behind"


async def run_greeter(prompt: str, body: str = GOOD, **task) -> Session:
    """Run one session of the real Claude Code with the skill `greeter`, as a task of a trial does."""
    made = Task("one", prompt, (Check("text", "please", {}),), "tasks.yaml:1", **task)
    version = Version("today", (("SKILL.md", (HEAD + body).encode(), False),))
    sandbox = create_sandbox(choose_folder(), made, version, "greeter")
    try:
        return await agent.run_session(agent.SessionRequest(
            prompt, sandbox.project, sandbox.write_launcher(agent.find_claude_code(), made), made.tools,
            made.refused_tools, "", 1.0, 1000, 60.0, 5, verbatim=not made.calls("greeter"),
        ))  # fmt: skip
    finally:
        sandbox.remove()


class Player:
    """A player of sessions without Claude Code: they follow the text of the skill, and each costs 0.01 USD.

    `prompts` lists the prompts of the sessions; `meanwhile` is called in each session.
    """

    def __init__(self):
        self.prompts: list[str] = []
        self.meanwhile = lambda: None

    async def run_session(self, request):
        self.prompts.append(request.prompt)
        self.meanwhile()
        file = request.folder / ".claude" / "skills" / "greeter" / "SKILL.md"
        answer = "Hello, please." if "PLEASE" in file.read_text() else "Hello."
        call, used = Call("Skill", '{"skill": "greeter"}'), SkillCall("greeter", succeeded=True)
        return Session(answer, [call], [used], [answer], turns=2, usd=0.01, model="scripted")


@pytest.fixture
def player(api, monkeypatch):
    """Yield a player of all sessions; the rest of the trial is real and queries no model."""
    made = Player()
    monkeypatch.setattr(agent, "run_session", made.run_session)
    yield made
    assert not api.asked


@pytest.fixture
def replay(api, monkeypatch):
    """Return a replay of sessions: the first one with each text of the skill is one of the real Claude Code."""
    made = Replay(read_greeter)
    monkeypatch.setattr(agent, "run_session", made.run_session)
    return made


def processes_of(temp: Path) -> list[str]:
    """Return the command lines of living processes whose environment names this folder."""
    found = []
    for process in Path("/proc").iterdir():
        with suppress(OSError):
            is_ours = (
                process.name != str(os.getpid()) and f"TMPDIR={temp}/".encode() in (process / "environ").read_bytes()
            )
            if is_ours and (process / "stat").read_text().rpartition(")")[2].split()[0] != "Z":
                found.append((process / "cmdline").read_text())
    return found


@pytest.fixture
def trial(capsys):
    """Return a function that runs `tune-skill trial` and returns exit code, stdout and stderr."""

    def run(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            main(["trial", *arguments])
        out, err = capsys.readouterr()
        return ended.value.code or 0, out, err

    return run
