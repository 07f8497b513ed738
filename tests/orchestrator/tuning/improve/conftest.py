"""Provide a skill with a planted defect, tasks of two kinds, and a model that obeys the text of the skill."""

import json
import re
import tempfile
from pathlib import Path

import pytest

import schemas
from orchestrator.cli import main
from orchestrator.model import agent, client
from orchestrator.model.agent import Call, Session, SkillCall
from orchestrator.model.query import QueryResult
from tests.orchestrator.tuning.trial.conftest import api as _api
from tests.scripted_api import get_answer_schema, join_user_text, list_tool_names, text_block, tool_call

api = _api
SKILL = """---
name: greeter
description: Greets people. Use when someone is to be greeted.
---
# Greeter

Say hello to the person.

Keep it short.
"""
RULE = "For a formal greeting, add PLEASE."
NAMES = ("Ada", "Bo", "Cleo", "Dan", "Eve", "Finn", "Gus", "Hal", "Ida", "Jo", "Kim", "Lea")


@pytest.fixture
def project(tmp_path, monkeypatch):
    """Return a project, as the working directory, with the skill `greeter`."""
    folder = tmp_path / "project"
    (folder / "greeter").mkdir(parents=True)
    (folder / "greeter" / "SKILL.md").write_text(SKILL)
    monkeypatch.chdir(folder)
    return folder


def write_tasks(folder: Path, count: int = 12, warm: int = 2, **fields) -> str:
    """Write tasks. Each `warm`-th asks for a warm greeting; the others ask for a formal one, unknown to the skill."""
    kinds = ("warmly at the garden gate of", "with formal words as the guest of honour of")
    tasks = [
        {"name": f"greet-{n}", "prompt": f"Greet {NAMES[n]} {kinds[n % warm > 0]} {NAMES[-1 - n]} and {n} friends.",
         "checks": [{"text": "please" if n % warm else "hello"}], "seconds": 60, **fields}
        for n in range(count)
    ]  # fmt: skip
    file = folder / "tasks.json"
    file.write_text(json.dumps({"tasks": tasks}))
    return str(file)


def make_edit(replace: str, search: str = "Say hello to the person.", rewords: tuple[str, ...] = ()):
    """Return an answer that drafts one edit."""
    return {
        "edits": [{"file": "SKILL.md", "search": search, "replace": replace}], "removes": [],
        "rewords": list(rewords), "description": "Add the rule for formal greetings.",
        "rationale": "Runs did not know it.", "declined": "",
    }  # fmt: skip


GOOD_EDIT = make_edit(f"Say hello to the person. {RULE}")


class Model:
    """A scripted model that does tasks as the text of the skill says, and answers the questions of an improvement.

    drafts: the answers to drafting questions, in order; the last one is repeated. `prompts` lists all questions.
    """

    def __init__(self, *drafts, cause="skill defect", agrees=True, uses=True, quote="formal words"):
        self.drafts, self.cause, self.agrees = drafts or (GOOD_EDIT,), cause, agrees
        self.uses, self.quote = uses, quote
        self.prompts: list[str] = []
        self.drafted = 0

    def __call__(self, request):
        if "StructuredOutput" not in list_tool_names(request):
            return self.play(request)
        prompt = join_user_text(request)
        self.prompts.append(prompt)
        return tool_call("StructuredOutput", **self.answer(prompt, get_answer_schema(request)))

    def play(self, request):
        user_text = join_user_text(request)
        if "Base directory for this skill" not in user_text:
            return tool_call("Skill", skill="greeter")
        return text_block(self.greet(user_text, user_text))

    def greet(self, prompt, skill):
        return "hello, please" if "formal words" in prompt and "PLEASE" in skill else "hello"

    def session(self, prompt, skill, usd):
        """Return the session that this model plays, without Claude Code."""
        calls = [Call("Skill", '{"skill": "greeter"}')] * self.uses
        skills = [SkillCall("greeter", succeeded=True)] * self.uses
        return Session(self.greet(prompt, skill), calls, skills, [prompt], turns=2, usd=usd, model="scripted")

    def answer(self, prompt, schema):
        properties = schema["properties"]
        if "cause" in properties:
            return {"cause": self.cause, "reason": "The text has no rule for formal greetings.", "harm": "It is rude.",
                    "run_quote": self.quote, "file": "SKILL.md", "skill_quote": "Say hello to the person."}  # fmt: skip
        if "drafts" in properties:
            draft = self.drafts[min(self.drafted, len(self.drafts) - 1)]
            self.drafted += 1
            return {"drafts": [{"faults": re.findall(r"^### (ISS-\d+)$", prompt, re.MULTILINE), **draft}]}
        ids = re.findall(r"\bISS-\d+\b", prompt.partition("## Fix 1")[2].partition("The change")[0])
        verdicts = [{"id": id, "gone": self.agrees, "reason": "read"} for id in dict.fromkeys(ids)]
        objections = [] if self.agrees else ["SKILL.md: it is not needed."]
        review = {"fix": 1, "verdicts": verdicts, "holds": True, "merge": self.agrees, "sound": True, "changes": False,
                  "objections": objections}  # fmt: skip
        return {"reviews": [review]}


@pytest.fixture
def run_improve(capsys):
    """Return a function that runs `tune-skill improve` and returns exit code, stdout and stderr."""

    def run(*arguments: str) -> tuple[int, str, str]:
        return run_command(capsys, "improve", *arguments)

    return run


@pytest.fixture
def command(capsys):
    """Return a function that runs any command and returns exit code, stdout and stderr."""
    return lambda *arguments: run_command(capsys, *arguments)


def run_command(capsys, *arguments):
    """Run a command in this process; return exit code, stdout and stderr."""
    with pytest.raises(SystemExit) as exit_info:
        main(list(arguments))
    out, err = capsys.readouterr()
    return exit_info.value.code or 0, out, err


class Player:
    """A player that plays sessions and answers questions as `model` does, without Claude Code, at a cost.

    `sessions` has (prompt, text of the skill) of each session, `files` the files of the skill in it.
    """

    def __init__(self, model, usd=0.05):
        self.model, self.usd = model, usd
        self.sessions: list[tuple[str, str]] = []
        self.files: set[str] = set()

    async def run_session(self, request):
        folder = request.folder / ".claude" / "skills" / "greeter"
        self.files |= {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
        text = (folder / "SKILL.md").read_text()
        self.sessions.append((request.prompt, text))
        return self.model.session(request.prompt, text, self.usd)

    async def send_query(self, query, **options):
        self.model.prompts.append(query.prompt)
        return QueryResult(self.model.answer(query.prompt, query.schema), usd=self.usd, model="scripted")


class FirstOfEachKindPlayer(Player):
    """A player that leaves the first session with each text of the skill, and the first question of each kind, to the
    real Claude Code; `kinds` lists these.
    """

    def __init__(self, model):
        super().__init__(model)
        self.kinds: list[str | tuple[str, ...]] = []
        self.real_session, self.real_query = agent.run_session, client.send_query

    async def run_session(self, request):
        text = (request.folder / ".claude" / "skills" / "greeter" / "SKILL.md").read_text()
        return await (self.real_session if self.is_first(text) else super().run_session)(request)

    async def send_query(self, query, **options):
        is_first = self.is_first(tuple(query.schema["properties"]))
        return await (self.real_query if is_first else super().send_query)(query, **options)

    def is_first(self, kind):
        if kind in self.kinds:
            return False
        self.kinds.append(kind)
        return True


@pytest.fixture
def play(monkeypatch, tmp_path):
    """Return a function that lets a model play all sessions and questions in this process, and returns the player."""
    temp = tmp_path / "temp"
    temp.mkdir()
    monkeypatch.setenv("TMPDIR", str(temp))
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "dummy")

    def start(model, **options):
        return replace_claude_code(Player(model, **options), monkeypatch)

    yield start
    assert not list(temp.iterdir()), "files were left behind"


def replace_claude_code(player, monkeypatch):
    """Let a player play the sessions and answer the questions; return the player."""
    monkeypatch.setattr(agent, "run_session", player.run_session)
    monkeypatch.setattr(client, "send_query", player.send_query)
    return player


def read_state(out):
    """Return the state that `--format json` printed, validated against its schema."""
    state = json.loads(out)
    schemas.check("improvement", state)
    return state
