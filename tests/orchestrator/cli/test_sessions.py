"""Test the commands on sessions: text, JSON by its schema, exit codes, and help for a group without a command."""

import json
import os
from pathlib import Path

import pytest

import schemas
from orchestrator.guard.hooks.dispatch import dispatch
from orchestrator.guard.log.events import append_event
from orchestrator.guard.sessions import breadcrumbs

SESSION = "5b0d2c41-9e8f-4a7b-8c6d-0123456789ab"


@pytest.fixture
def project_with_session(project, tmp_path, monkeypatch):
    """Return a project with a recorded session, whose transcript is in Claude Code's folder."""
    (project / ".git").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    monkeypatch.setenv("MACF_AGENT_ROOT", str(tmp_path / "agent"))
    for name in ("CLAUDE_PROJECT_DIR", "MACF_EVENTS_LOG_PATH", "MACF_AGENT_ID", "MACF_AUTO_MODE"):
        monkeypatch.delenv(name, raising=False)
    breadcrumbs._build_prefix.cache_clear()
    folder = tmp_path / "claude" / "projects" / "-project"
    folder.mkdir(parents=True)
    usage = {"input_tokens": 50_000, "output_tokens": 10}
    records = [
        {"type": "user", "promptId": "cafe0001-1", "message": {"role": "user", "content": "count the gulls"}},
        {"type": "assistant", "message": {"id": "m1", "role": "assistant", "content": [{"type": "text", "text": "Nine."}], "usage": usage}},
    ]  # fmt: skip
    (folder / f"{SESSION}.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    for event, fields in (
        ("SessionStart", {"source": "startup"}),
        ("UserPromptSubmit", {"prompt": "count the gulls"}),
        ("PreToolUse", {"tool_name": "Bash", "tool_input": {"command": "echo \x1b[31m"}}),
        ("SubagentStop", {"agent_type": "Explore"}),
        ("Stop", {}),
    ):
        dispatch(event, json.dumps({"session_id": SESSION, "prompt_id": "cafe0001-1", **fields}), testing=False)
    return project


COMMANDS = {
    "events history": 5,
    "events query --event dev_drv_ended": 1,
    f"events query --session {SESSION[:8]} --limit 3": 3,
    "events query --breadcrumb s_5b0d2c41/c_1/p_cafe0001 --since 2020-01-01": 5,
    "events query-set subtraction session_id=5b0d2c41 event_type=tool_call_started": 4,
    "events sessions-list": 1,
    "events query --breadcrumb c_1": 5,
    "events query --cycle 1": 5,
    "events query --cycle 171": 0,
    f"events query --session {SESSION} --cycle 1": 5,
    "events query --prompt cafe0001-1": 5,
    "events query --git 0123456789": 0,
    "events query-set intersection cycle=1 event_type=dev_drv_ended": 1,
    "events query-set subtraction session_id=5b0d2c41 prompt=cafe0001": 0,
    "events query-set union breadcrumb=s_5b0d2c41/c_1 git=0123456": 5,
    "events gaps --longer-than 100": 0,
    "hooks logs": 0,
    "policy list": 5,
    "policy search compaction": 1,
    "policy ca-types": 3,
    "dev-drv": 1,
    "dev-drv s_5b0d2c41/c_1/p_cafe0001": 1,
}
OBJECTS = [
    "events show", "events stats", "session info", "session time", "session budget", "session breadcrumb", "session drives",
    "session env", "config show", "config init", "policy manifest", "agent init",
]  # fmt: skip


def validate(command, value):
    schemas.check("events_output" if command.startswith("events") else "session_output", value)
    return value


@pytest.mark.usefixtures("project_with_session")
@pytest.mark.parametrize(("command", "count"), COMMANDS.items(), ids=COMMANDS)
def test_session_lists_print_text_and_json(tune, command, count):
    text_result, json_result = tune(*command.split()), tune(*command.split(), "--json")
    assert (text_result.code, json_result.code) == (0, 0)
    assert "\x1b" not in text_result.out
    assert len(validate(command, json_result.json)) == count


@pytest.mark.usefixtures("project_with_session")
@pytest.mark.parametrize("command", OBJECTS)
def test_session_objects_print_text_and_json(tune, command):
    json_result, text_result = (
        tune(*command.split(), "--json"),
        tune(*command.split(), *(["--force"] if command == "config init" else [])),
    )
    assert (text_result.code, json_result.code) == (0, 0)
    validate(command, json_result.json)
    assert text_result.out


@pytest.mark.usefixtures("project_with_session")
def test_events_json_escapes_control_characters(tune):
    hostile_text = "Explore\x9b2J\u202e"
    dispatch("SubagentStop", json.dumps({"session_id": SESSION, "agent_type": hostile_text}), testing=False)
    result = tune("events", "history", "--json")
    assert not {"\x9b", "\u202e"} & set(result.out)
    assert hostile_text in json.dumps(result.json, ensure_ascii=False)


@pytest.mark.usefixtures("project_with_session")
def test_session_info_uses_hooks_and_transcript(tune):
    info = tune("session", "info", "--json").json
    assert (info["session_id"], info["drive_count"], info["cycle"]) == (SESSION, 1, 1)
    assert info["transcript"].endswith(f"{SESSION}.jsonl")
    assert tune("session", "budget", "--json").json == {
        "window": 200_000,
        "used": 50_010,
        "left": 149_990,
        "percent_left": 75.0,
    }
    assert tune("session", "drives", "--json").json["delegations"] == {"Explore": 1}
    assert tune("session", "breadcrumb").out.startswith("s_5b0d2c41/c_1/p_cafe0001/t_")
    assert tune("session", "env", "--json").json["agent"]["environment"] == "env"
    drive = tune("dev-drv", "--json").json[0]
    assert (drive["prompt"], drive["answer"]) == ("count the gulls", "Nine.")


@pytest.mark.usefixtures("project_with_session")
def test_events_history_names_tool_and_agent(tune):
    lines = tune("events", "history").out.splitlines()
    assert next(line for line in lines if "tool_call_started" in line).endswith("  Bash")
    assert next(line for line in lines if "delegation_completed" in line).endswith("  Explore")


@pytest.mark.usefixtures("project_with_session")
def test_event_is_cut_only_at_a_terminal(tune, run_in_terminal):
    words = ["gull"] * 100
    append_event("birds_seen", {"birds": words})
    piped_output = tune("events", "history", "-n", "1").out
    assert piped_output.count("\n") == 1
    assert json.loads(piped_output[piped_output.index("{") :]) == {"birds": words}
    terminal_output = run_in_terminal(60, "events", "history", "-n", "1")
    assert terminal_output[-1].endswith("…")
    assert all(len(line) <= 60 and line.startswith("    ") for line in terminal_output[1:])


@pytest.mark.usefixtures("project_with_session")
def test_empty_results_and_singular_numbers(tune):
    assert tune("events", "gaps").out == "no gap longer than 3600 seconds between events\n"
    assert "0 compactions, 1 drive\n" in tune("session", "info").out
    assert tune("session", "drives").out.startswith("1 drive, ")
    assert "5 events in 1 part, " in tune("events", "stats").out
    env = tune("session", "env").out
    assert ("commit none" in env, "problem none" in env, "enabled no" in env, "None" in env) == (
        True,
        True,
        True,
        False,
    )


@pytest.mark.usefixtures("project_with_session")
def test_agent_init_outside_the_project_needs_yes(tune, monkeypatch, project):
    monkeypatch.delenv("MACF_AGENT_ROOT")
    home = Path(os.environ["HOME"])
    before = sorted(home.rglob("*"))
    result = tune("agent", "init", "--id", "ada")
    assert (result.code, result.out) == (2, "")
    assert str(home) in result.err
    assert sorted(home.rglob("*")) == before
    assert not (project / ".maceff" / "config.json").exists()
    assert tune("agent", "init", "--id", "ada", "--yes").code == 0
    assert tune("agent", "init").code == 0
    (project / ".claude").mkdir()


@pytest.mark.usefixtures("project_with_session")
def test_events_show_lists_the_steps_of_a_run(tune):
    assert tune("run", "plover", "--apply", "all", "--quiet").code == 0
    text = tune("events", "show").out
    assert f"session {SESSION}, cycle 1" in text
    events = [line.split()[2] for line in text.splitlines() if line.startswith("20")]
    assert events[0] == "run_created"
    assert events[-1] == "phase_changed"
    assert "fix_applied" in events
    assert (text.count("gate fail"), text.count("(score 100, gate pass)")) == (0, 1), (
        "a score or gate is shown before it is known"
    )
    run = tune("events", "show", "--json").json["run_id"]
    assert tune("rollback", "--all").code in (0, 1)
    output = tune("events", "show", run[:15], "--json").json
    assert output["run_id"] == run
    assert "fix_rolled_back" in [record["event"] for record in validate("events show", output)["events"]]


@pytest.mark.usefixtures("project_with_session")
def test_agent_init_keeps_existing_files(tune, project):
    assert len(tune("agent", "init", "--id", "ada", "--json").json["made"]) == 4
    assert tune("agent", "init", "--json").json["made"] == []
    assert json.loads((project / ".maceff" / "config.json").read_text())["agent"]["id"] == "ada"
    assert len(tune("agent", "init", "--name", "Ada", "--json").json["made"]) == 1


@pytest.mark.usefixtures("project_with_session")
@pytest.mark.parametrize("command", ["events query --event nothing", "policy search cheese"])
def test_search_without_a_match_prints_one_line(tune, command):
    result = tune(*command.split())
    assert (result.code, result.out) == (0, "")
    assert len(result.err.splitlines()) == 1


@pytest.mark.usefixtures("project_with_session")
@pytest.mark.parametrize(
    "command",
    ["events query --since tomorrow", "events query --since nan", "events query-set union colour=red", "events query-set xor a=b",
     "events query --breadcrumb here", "events show nosuchrun", "dev-drv here", "dev-drv s_5b0d2c41/c_1/p_none",
     "dev-drv s_5b0d2c41/c_1/p_00000000",
     "dev-drv s_00000000/c_1/p_cafe0001", "agent init --id a/b", "events what"],
)  # fmt: skip
def test_invalid_query_exits_2_with_a_line(tune, command):
    result = tune(*command.split())
    assert (result.code, result.out) == (2, "")
    assert len(result.err.splitlines()) == 1


@pytest.mark.usefixtures("project_with_session")
@pytest.mark.parametrize("text", ["{", '{"schema_version": 2}'])
def test_config_show_reports_an_unused_file(tune, project, text):
    (project / ".maceff" / "config.json").write_text(text)
    result = tune("config", "show", "--json")
    assert result.code == 1
    assert validate("config show", result.json)["problem"]
    assert tune("agent", "init").code == 2
    assert tune("config", "init").code == 2
    assert tune("config", "init", "--force").code == 0
    assert tune("config", "show").code == 0


@pytest.mark.usefixtures("project_with_session")
@pytest.mark.parametrize("group", ["events", "session", "hooks", "config", "policy", "agent"])
def test_group_without_a_command_prints_its_help(tune, group):
    result = tune(group)
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith(f"Usage: tune-skill {group}")


@pytest.mark.usefixtures("project")
def test_project_without_sessions_prints_no_error(tune):
    for command in ("events show", "events stats", "session info", "session time", "session budget", "session drives"):
        assert tune(*command.split()).code == 0
    assert tune("events", "sessions-list").err == "tune-skill: no sessions in the event log\n"
    assert tune("dev-drv").code == 2
    assert "cycle unknown" in tune("session", "info").out
    assert "cycle unknown" in tune("events", "show").out
    assert tune("session", "budget").out.startswith("token use is unknown (of 200,000 tokens)")
    assert validate("session budget", tune("session", "budget", "--json").json)["used"] is None
    assert validate("session info", tune("session", "info", "--json").json)["cycle"] is None


def test_hook_answers_any_stdin(tune, project_with_session, monkeypatch):
    class Stdin:
        buffer = None

    import io

    monkeypatch.delenv("TUNE_SKILL_STRICT")
    for stdin_bytes in (b'{"session_id": "x"}', b"\xff\xfe", b""):
        Stdin.buffer = io.BytesIO(stdin_bytes)
        monkeypatch.setattr("sys.stdin", Stdin)
        for event in ("UserPromptSubmit", "NoSuchEvent"):
            result = tune("hook", event)
            assert result.code == 0
            assert result.json["continue"] is True
