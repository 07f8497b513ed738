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
from orchestrator.model.program import find_claude_code
from orchestrator.tuning.trial.folders import RESULT
from orchestrator.tuning.trial.sandbox import choose_folder, create_sandbox
from orchestrator.tuning.trial.tasks import Check, Task
from orchestrator.tuning.trial.versions import Version
from tests.orchestrator.tuning.replay import Replay, read_greeter
from tests.scripted_api import ScriptedApi, join_user_text, list_tool_names, text_block, tool_call

FRONTMATTER = "---\nname: greeter\ndescription: Greets people. Use when someone is to be greeted.\n---\n# Greeter\n\n"
GOOD_BODY, BAD_BODY = "Always say PLEASE.\n", "Say something.\n"
TASK = {"prompt": "Greet {name}.", "checks": [{"text": "please"}], "seconds": 60}


@pytest.fixture
def project(tmp_path, monkeypatch):
    """Return a project, as the working directory, with the skill `greeter` (good) and its old version `old` (bad)."""
    folder = tmp_path / "project"
    for name, body in (("greeter", GOOD_BODY), ("old", BAD_BODY)):
        (folder / name).mkdir(parents=True)
        (folder / name / "SKILL.md").write_text(FRONTMATTER + body)
    monkeypatch.chdir(folder)
    return folder


def write_tasks(folder: Path, count: int = 4, **fields) -> str:
    """Write tasks that differ in the person to greet; return the path of the file."""
    tasks = [{**TASK, "name": f"greet-{n}", "prompt": f"Greet number {n}.", **fields} for n in range(count)]
    file = folder / "tasks.json"
    file.write_text(json.dumps({"tasks": tasks}))
    return str(file)


def greet_as_skill_says(request):
    """Use the skill, and then do as its text says."""
    if "StructuredOutput" in list_tool_names(request):
        return tool_call("StructuredOutput", criteria=[])
    user_text = join_user_text(request)
    if "Base directory for this skill" not in user_text:
        return tool_call("Skill", skill="greeter")
    return text_block("Hello, please." if "PLEASE" in user_text else "Hello.")


@pytest.fixture
def api(tmp_path, monkeypatch):
    """Yield a scripted API that Claude Code uses; afterwards, check that no file and no process is left."""
    temp = tmp_path / "temp"
    temp.mkdir()
    monkeypatch.setenv("TMPDIR", str(temp))
    monkeypatch.setattr(tempfile, "tempdir", None)
    with ScriptedApi(greet_as_skill_says) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "dummy")
        yield server
    assert not list_processes(temp), "a process was left behind"
    assert not [path.name for path in temp.iterdir() if path.name.startswith("tune-skill")], "files were left behind"


def interrupt_after_result(monkeypatch, durable) -> None:
    """Let Ctrl-C come when the result of a trial or trigger test has just been written."""
    write_json = durable.write_json

    def write(path, value, **options):
        write_json(path, value, **options)
        if path.name == RESULT:
            raise KeyboardInterrupt

    monkeypatch.setattr(durable, "write_json", write)


async def run_session_of_greeter(prompt: str, body: str = GOOD_BODY, **task) -> Session:
    """Run one session of the real Claude Code with the skill `greeter`, as a task of a trial does."""
    task_of_run = Task("one", prompt, (Check("text", "please", {}),), "tasks.yaml:1", **task)
    version = Version("today", (("SKILL.md", (FRONTMATTER + body).encode(), False),))
    sandbox = create_sandbox(choose_folder(), task_of_run, version, "greeter")
    try:
        return await agent.run_session(agent.SessionRequest(
            prompt, sandbox.project, sandbox.write_launcher(find_claude_code(), task_of_run), task_of_run.tools,
            task_of_run.refused_tools, "", 1.0, 1000, 60.0, 5, verbatim=not task_of_run.calls("greeter"),
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
        call, skill_call = Call("Skill", '{"skill": "greeter"}'), SkillCall("greeter", succeeded=True)
        return Session(answer, [call], [skill_call], [answer], turns=2, usd=0.01, model="scripted")


@pytest.fixture
def player(api, monkeypatch):
    """Yield a player of all sessions; the rest of the trial is real and queries no model."""
    new_player = Player()
    monkeypatch.setattr(agent, "run_session", new_player.run_session)
    yield new_player
    assert not api.model_requests


@pytest.fixture
def replay(api, monkeypatch):
    """Return a replay of sessions: the first one with each text of the skill is one of the real Claude Code."""
    new_replay = Replay(read_greeter)
    monkeypatch.setattr(agent, "run_session", new_replay.run_session)
    return new_replay


def list_processes(temp: Path) -> list[str]:
    """Return the command lines of living processes whose environment names this folder."""
    command_lines = []
    for process in Path("/proc").iterdir():
        with suppress(OSError):
            is_ours = (
                process.name != str(os.getpid()) and f"TMPDIR={temp}/".encode() in (process / "environ").read_bytes()
            )
            if is_ours and (process / "stat").read_text().rpartition(")")[2].split()[0] != "Z":
                command_lines.append((process / "cmdline").read_text())
    return command_lines


@pytest.fixture
def run_trial_command(capsys):
    """Return a function that runs `tune-skill trial` and returns exit code, stdout and stderr."""

    def run(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as exit_info:
            main(["trial", *arguments])
        out, err = capsys.readouterr()
        return exit_info.value.code or 0, out, err

    return run
