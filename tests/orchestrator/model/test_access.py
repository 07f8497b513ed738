"""Test the choice of the judge by cheap checks, and the reason if none is available."""

import json
import subprocess
import sys

import pytest

from actions.review.judge import Reply
from orchestrator.cli import main
from orchestrator.errors import Refused
from orchestrator.model import choose_judge
from orchestrator.model.environment import describe_recipient, find_access_problem
from orchestrator.model.memory import FOLDER, Memory
from orchestrator.run.store import StateStore
from schemas.issues import Cost
from schemas.options import Options
from schemas.vocabulary import Phase
from tests.fakes import start_run, write_skill
from tests.orchestrator.model.questions import make_question

KEY = {"ANTHROPIC_API_KEY": "dummy"}


@pytest.mark.parametrize("name", ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_USE_BEDROCK"])
def test_access_accepts_a_key_or_a_token_or_a_provider(name, tmp_path):
    assert find_access_problem({"HOME": str(tmp_path), name: "x"}) == ""


def test_access_without_key_and_login_gives_no_judge(tmp_path):
    assert "neither an API key nor a Claude login" in find_access_problem({"HOME": str(tmp_path), "PATH": "/usr/bin"})


@pytest.mark.parametrize(
    ("file", "content", "is_login"),
    [
        (".claude/.credentials.json", "{}", True),
        (".claude/.credentials.json", "", False),
        (".claude.json", {"oauthAccount": {"accountUuid": "a"}}, True),
        (".claude.json", {"oauthAccount": None}, False),
        (".claude.json", [], False),
        (".claude.json", "{", False),
    ],
)
def test_access_detects_a_login_by_the_files_it_leaves(tmp_path, file, content, is_login):
    path = tmp_path / file
    path.parent.mkdir(exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    assert (find_access_problem({"HOME": str(tmp_path)}) == "") is is_login


def test_access_reports_a_missing_claude(tmp_path):
    assert "was not found" in find_access_problem({**KEY, "TUNE_SKILL_JUDGE_CLI": str(tmp_path / "claude")})


def test_missing_judge_is_printed_for_sdk_and_noted_for_both():
    for choice, count in (("auto", 0), ("sdk", 1), ("none", 0)):
        messages = []
        access = choose_judge(Options(judge=choice), messages.append)
        assert access.judge is None
        assert len(messages) == count
        assert bool(access.notes) is (choice != "none")
    assert "neither an API key" in choose_judge(Options(judge="sdk"), messages.append).notes[0]


def test_judge_is_named_before_a_question_is_asked(monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "dummy")
    access = choose_judge(Options(judge="auto"), print)
    assert (access.name, access.spent, access.notes) == ("Claude Agent SDK", 0, ())


def test_access_does_not_import_the_sdk():
    code = (
        "import sys; from orchestrator.model import choose_judge; from schemas.options import Options;"
        "choose_judge(Options(judge='sdk'), print); sys.exit('claude_agent_sdk' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], env={**KEY, "PATH": "/usr/bin"}, check=False).returncode == 0


@pytest.mark.parametrize(
    ("env", "recipient"),
    [
        ({}, "Anthropic"),
        ({"ANTHROPIC_BASE_URL": "https://proxy.example:8443/v1"}, "proxy.example:8443"),
        ({"ANTHROPIC_BASE_URL": "http://["}, "the host of 'http://['"),
        ({"ANTHROPIC_BASE_URL": "http:/host.example"}, "the host of 'http:/host.example'"),
        ({"ANTHROPIC_BASE_URL": "http:host.example"}, "the host of 'http:host.example'"),
        ({"ANTHROPIC_BASE_URL": "http://h.example\\@api.x.com"}, "the host of 'http://h.example\\\\@api.x.com'"),
        (
            {"CLAUDE_CODE_USE_BEDROCK": "1", "ANTHROPIC_BEDROCK_BASE_URL": "http://h.example"},
            "Amazon Bedrock through h.example",
        ),
        ({"CLAUDE_CODE_USE_VERTEX": "1"}, "Google Vertex AI"),
    ],
)
def test_access_names_who_receives_the_texts(env, recipient):
    assert describe_recipient(env) == recipient


@pytest.mark.parametrize("option", [("--max-cost-usd", "nan"), ("--max-cost-usd", "-1"), ("--judge", "oracle")])
@pytest.mark.parametrize("command", ["run", "diagnose", "check"])
def test_malformed_judge_option_is_a_usage_error(command, option):
    with pytest.raises(SystemExit) as exit_info:
        main([command, "plover", *option])
    assert exit_info.value.code == 2


@pytest.fixture
def work(tmp_path, monkeypatch):
    """Return the work dir of a run that paid 0.12 USD for answers and then continued where no key is visible."""
    monkeypatch.chdir(tmp_path)
    Memory(tmp_path / "work" / FOLDER).reserve_cost(Cost(0.12, 100, 2))
    with pytest.raises(Refused):
        start_run(write_skill(tmp_path / "plover"), tmp_path / "work", options=Options("none", judge="sdk"))
    return tmp_path / "work"


def call_command(*arguments):
    """Call the command; return its exit code."""
    with pytest.raises(SystemExit) as end:
        main([*arguments])
    return end.value.code or 0


def read_state(work):
    return StateStore(work).load(read_only=True)


def test_run_with_paid_answers_waits_for_a_key(work, capsys):
    assert call_command("resume", str(work)) == 2
    line = capsys.readouterr().err.splitlines()[-1]
    assert line.startswith("tune-skill: 0.12 USD were paid for answers of a model")
    assert "set ANTHROPIC_API_KEY" in line
    assert f"`tune-skill resume {work} --give-up`" in line
    assert read_state(work).phase is Phase.DIAGNOSIS, "the run can continue with a key"


@pytest.mark.parametrize("key", ["", "dummy"])
def test_run_that_gives_up_counts_the_paid_answers(work, monkeypatch, key):
    monkeypatch.setenv("ANTHROPIC_API_KEY", key)
    assert call_command("resume", str(work), "--give-up") in (0, 1)
    state = read_state(work)
    assert (state.phase, state.cost) == (Phase.COMPLETED, Cost(0.12, 100, 2))
    assert any("given up by the user" in note for note in state.notes)


def test_saved_answers_are_used_without_a_key(tmp_path):
    memory, question = Memory(tmp_path / FOLDER), make_question()
    memory.reserve_cost(Cost(0.12, 100, 1))
    memory.save(question, "", Reply({"birds": 7}))
    judge = choose_judge(Options(judge="sdk"), print, tmp_path, "run").judge
    assert [reply.value for reply in judge.ask([question])] == [{"birds": 7}]
    with pytest.raises(Refused):
        judge.ask([question, make_question("How many ducks?")])
