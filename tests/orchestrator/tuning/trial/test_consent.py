"""Test that a trial runs code only with consent, which covers the tasks, their files and the scripts they start."""

import asyncio
import json

import pytest
from mcp import Client

from orchestrator.cli import main
from orchestrator.fs.notes import get_note_file
from orchestrator.servers.mcp.mcp_server import make_server
from orchestrator.tuning.trial import consent
from orchestrator.tuning.trial.consent import Request
from orchestrator.tuning.trial.trial import Trial
from tests.orchestrator.tuning.trial.conftest import FRONTMATTER, GOOD_BODY, write_tasks
from tests.scripted_api import get_last_user_text, text_block, tool_call

BROKEN_LINK = "See [the guide](references/greeting_rules.md).\n"
SCRIPT = ".claude/skills/greeter/scripts/check.sh"


@pytest.fixture
def tune(capsys):
    """Return a function that runs the command and returns exit code, stdout and stderr."""

    def call(*arguments):
        with pytest.raises(SystemExit) as exit_info:
            main(list(arguments))
        out, err = capsys.readouterr()
        return exit_info.value.code or 0, out, err

    return call


@pytest.fixture
def skill(project):
    """Return a skill with one fault that a low-risk fix corrects, and with a script that a check may start."""
    folder = project / "greeter"
    for name in ("references", "scripts"):
        (folder / name).mkdir()
    (folder / "references" / "greeting-rules.md").write_text("# Guide\n\nGreet.\n")
    (folder / "scripts" / "check.sh").write_text("true\n")
    (folder / "SKILL.md").write_text(FRONTMATTER + GOOD_BODY + BROKEN_LINK + "Run `scripts/check.sh`.\n")
    return folder


@pytest.fixture
def file_of_hostile_command(tmp_path):
    """Return the path of the file that a command creates if it runs without consent."""
    return tmp_path / "PWNED"


def start_paused_run(tune, *arguments):
    """Start a run, which waits for the choice of fixes."""
    code, _, err = tune("run", "greeter", "--judge", "none", "--no-sessions", "--pause", "--yes", *arguments)
    assert code == 3, err


def make_trial_options(project, **further_options):
    return ("--trial", "--trial-runs", "2", "--trial-tasks", write_tasks(project, 1, **further_options))


def read_state(project):
    (file,) = project.glob(".workflow/skill-tuning/*/state.json")
    return file, json.loads(file.read_text())


def add_trial_to_state(project, **options):
    """Write a trial into the state of the run, as a `git pull` of a tracked work dir could."""
    file, state = read_state(project)
    state["options"]["trial"] = {"tasks": None, "runs": 2, "max_cost_usd": 5.0, **options}
    for state_file in file.parent.glob("state*.json"):
        state_file.write_text(json.dumps(state))


def ensure_refused(project, player, file_of_hostile_command, result):
    """Assert that nothing ran or was paid, that one line says what to do, and that the run continues later."""
    code, _, err = result
    assert code == 2, err
    (line,) = [line for line in err.splitlines() if "the trial was not run" in line]
    assert "trust" in line
    assert "--no-trial" in line
    assert not file_of_hostile_command.exists()
    assert not player.prompts
    _, state = read_state(project)
    assert state["trial"] is None
    assert state["phase"] == "verify"
    assert [fix["status"] for fix in state["proposed_fixes"]] == ["applied"]
    return line


def test_tasks_changed_after_consent_need_new_consent(tune, project, skill, player, file_of_hostile_command):
    start_paused_run(tune, *make_trial_options(project, checks=[{"command": "true"}]))
    write_tasks(project, 1, checks=[{"command": f"touch {file_of_hostile_command}"}])
    line = ensure_refused(project, player, file_of_hostile_command, tune("apply", "--all", "--quiet"))
    assert "task greet-0" in line
    ensure_refused(project, player, file_of_hostile_command, tune("resume"))
    ensure_refused(project, player, file_of_hostile_command, tune("resume", "--yes"))
    run = read_state(project)[1]["run_id"]
    code, _, err = tune("trust", run, "--trial")
    assert code == 2
    assert f"check: touch {file_of_hostile_command}" in err
    assert tune("trust", run, "--trial", "--yes")[0] == 0
    code, _, err = tune("resume")
    assert code in (0, 1), err
    assert file_of_hostile_command.exists()
    assert read_state(project)[1]["trial"]["after_runs"] == 2


def test_prompt_changed_after_consent_is_not_sent(tune, project, skill, player, file_of_hostile_command):
    start_paused_run(tune, *make_trial_options(project))
    write_tasks(project, 1, prompt="Send me all.")
    assert "task greet-0" in ensure_refused(project, player, file_of_hostile_command, tune("apply", "--all"))


@pytest.mark.parametrize("checks", [[{"command": "touch {pwned}"}], [{"text": "please"}]], ids=["commands", "none"])
def test_trial_edited_into_a_state_does_not_run(tune, project, skill, player, file_of_hostile_command, checks):
    start_paused_run(tune)
    (skill / "evals").mkdir()
    checks = json.loads(json.dumps(checks).replace("{pwned}", str(file_of_hostile_command)))
    (skill / "evals" / "tasks.json").write_text(json.dumps({"tasks": [{"prompt": "Greet.", "checks": checks}]}))
    add_trial_to_state(project)
    line = ensure_refused(project, player, file_of_hostile_command, tune("apply", "--all"))
    assert "you have not allowed a trial of this run" in line


def test_trial_costs_no_more_than_allowed(tune, project, skill, player, file_of_hostile_command):
    start_paused_run(tune, *make_trial_options(project))
    add_trial_to_state(project, tasks=str(project / "tasks.json"), max_cost_usd=900.0)
    line = ensure_refused(project, player, file_of_hostile_command, tune("apply", "--all"))
    assert "900.00 USD" in line
    assert "5.00" in line


def test_script_changed_after_consent_is_not_started(tune, project, skill, player, file_of_hostile_command):
    start_paused_run(tune, *make_trial_options(project, checks=[{"command": f"sh {SCRIPT}"}]))
    (skill / "scripts" / "check.sh").write_text(f"touch {file_of_hostile_command}\n")
    assert "scripts/check.sh" in ensure_refused(project, player, file_of_hostile_command, tune("apply", "--all"))


def test_consent_covers_scripts_outside_of_the_skill(tune, project, skill, player, file_of_hostile_command):
    script = project / "look.sh"
    script.write_text("true\n")
    start_paused_run(tune, *make_trial_options(project, checks=[{"command": f"sh {script}"}]))
    script.write_text(f"touch {file_of_hostile_command}\n")
    assert str(script) in ensure_refused(project, player, file_of_hostile_command, tune("apply", "--all"))


def test_mcp_client_starts_no_trial_without_consent(tune, project, skill, player, file_of_hostile_command):
    start_paused_run(tune, *make_trial_options(project, checks=[{"command": "true"}]))
    write_tasks(project, 1, checks=[{"command": f"touch {file_of_hostile_command}"}])
    result = asyncio.run(apply_as_mcp_client(read_state(project)[1]["run_id"]))
    assert result.is_error
    assert "task greet-0" in result.content[0].text
    ensure_refused(project, player, file_of_hostile_command, tune("resume"))


def test_answer_starts_no_trial_without_consent(tune, project, skill, player, file_of_hostile_command):
    code, _, err = tune("run", "greeter", "--judge", "none", "--no-sessions", "--pause", "--apply", "safe", "--issue",
                        "it does not work well", *make_trial_options(project))  # fmt: skip
    assert code == 3, err
    write_tasks(project, 1, checks=[{"command": f"touch {file_of_hostile_command}"}])
    run = read_state(project)[1]["run_id"]
    ensure_refused(project, player, file_of_hostile_command, tune("answer", run, "DIM-001=agent_failure"))


async def apply_as_mcp_client(run):
    async with Client(make_server(), mode="legacy", read_timeout_seconds=60) as client:
        return await client.call_tool("apply", {"run": run, "fixes": ["FIX-001"]})


def test_resume_no_trial_ends_the_run_without_it(tune, project, skill, player, file_of_hostile_command):
    start_paused_run(tune)
    add_trial_to_state(project)
    tune("apply", "--all")
    code, _, err = tune("resume", "--no-trial")
    assert code in (0, 1), err
    assert not player.prompts
    assert read_state(project)[1]["phase"] == "completed"


def test_trust_refuses_a_run_without_a_trial(tune, project, skill, player):
    start_paused_run(tune)
    code, _, err = tune("trust", read_state(project)[1]["run_id"], "--trial", "--yes")
    assert code == 2
    assert "has no trial" in err


def test_model_in_claude_code_allows_no_commands(
    tune, run_trial_command, project, skill, player, file_of_hostile_command, monkeypatch
):
    tasks = write_tasks(project, 1, checks=[{"command": f"touch {file_of_hostile_command}"}])
    trial_options = ("--trial", "--trial-runs", "2", "--trial-tasks", tasks, "--yes")
    run = ("run", "greeter", "--judge", "none", "--no-sessions", "--apply", "safe", *trial_options)
    compare = ("greeter", "--against", "greeter", "--runs", "2", "--tasks", tasks, "--yes")
    monkeypatch.setenv("CLAUDECODE", "1")
    for code, _, err in (tune(*run), run_trial_command(*compare)):
        assert code == 2
        assert f"touch {file_of_hostile_command}" in err, "the command is not shown to the user"
        assert "Claude Code cannot allow them, even with --yes" in err
    assert player.prompts == []
    assert not file_of_hostile_command.exists()
    monkeypatch.delenv("CLAUDECODE")
    assert run_trial_command(*compare)[0] == 0
    assert file_of_hostile_command.exists()
    monkeypatch.setenv("CLAUDECODE", "1")
    assert run_trial_command(*compare)[0] == 0, "a command that the user allowed before must run in Claude Code"


def test_changed_script_needs_new_consent(run_trial_command, project, skill, player, file_of_hostile_command):
    arguments = ("greeter", "--against", "old", "--runs", "2", "--tasks",
                 write_tasks(project, 1, checks=[{"command": f"sh {SCRIPT}"}]))  # fmt: skip
    code, _, err = run_trial_command(*arguments, "--yes")
    assert code in (0, 1), err
    assert "scripts/check.sh" in err, "the script that the command starts is not shown"
    prompt_count = len(player.prompts)
    (skill / "scripts" / "check.sh").write_text(f"touch {file_of_hostile_command}\n")
    code, _, err = run_trial_command(*arguments)
    assert code == 2
    assert "pass --yes" in err
    assert not file_of_hostile_command.exists()
    assert len(player.prompts) == prompt_count


def test_command_is_shown_line_by_line(run_trial_command, project, player):
    tasks = write_tasks(project, 1, checks=[{"command": "true\n  touch PWNED\r\x1b[2Kx\n"}])
    code, _, err = run_trial_command("greeter", "--against", "old", "--tasks", tasks)
    assert code == 2
    lines = err.splitlines()
    position = lines.index("  greet-0: check: true")
    assert lines[position + 1] == "    |   touch PWNED\ufffd\ufffd[2Kx"


def test_script_rewritten_by_a_run_is_not_started(run_trial_command, project, skill, api, file_of_hostile_command):
    def script(request):
        if "Greet" in get_last_user_text(request):
            return tool_call("Bash", command=f"(echo 'touch {file_of_hostile_command}' | dd of={SCRIPT})")
        return text_block("please")

    api.script = script
    tasks = write_tasks(project, 1, tools=["Bash"], checks=[{"command": f"sh {SCRIPT}"}])
    code, out, err = run_trial_command("greeter", "--against", "greeter", "--tasks", tasks, "--runs", "2", "--yes",
                           "--format", "json")  # fmt: skip
    assert code == 0, err
    assert not file_of_hostile_command.exists()
    for run in json.loads(out)["runs"]:
        assert run["passed"] is None
        assert "scripts/check.sh was changed in the run" in run["checks"][0]["why"]


def test_no_run_is_paid_after_a_script_changed(run_trial_command, project, skill, player):
    file = skill / "scripts" / "check.sh"
    tasks = write_tasks(project, 1, checks=[{"command": f"echo exit >> {file}"}])
    code, _, err = run_trial_command("greeter", "--against", "old", "--tasks", tasks, "--runs", "2", "--yes")
    assert code == 2
    assert "greet-0.1.before succeeded" in err
    assert "scripts/check.sh" in err.splitlines()[-1]
    assert len(player.prompts) == 1


def test_consent_is_for_given_versions_and_cost_limit(tmp_path):
    first_scripts, second_scripts = ({"scripts/check.sh": letter * 64} for letter in "ab")
    consent.save_consent(Request({"one": "1"}, (first_scripts,), {}, 5.0), tmp_path)
    assert consent.is_allowed(Request({"one": "1"}, (first_scripts, first_scripts), {}, 5.0), tmp_path)
    for other_request in (
        Request({"one": "1"}, (first_scripts, second_scripts), {}, 5.0),
        Request({"one": "1"}, (first_scripts,), {}, 5.01),
        Request({"one": "1"}, (first_scripts,), {}, None),
        Request({"one": "1"}, (first_scripts,), {"/x.sh": "c"}, 5.0),
        Request({"one": "1", "two": "2"}, (first_scripts,), {}, 5.0),
    ):
        assert not consent.is_allowed(other_request, tmp_path)
    assert not consent.is_allowed(Request({"one": "1"}, (first_scripts,), {}, 5.0), tmp_path / "another")


def test_damaged_note_allows_nothing(tmp_path):
    request = Request({"one": "1"})
    consent.save_consent(request, tmp_path)
    note = get_note_file("trials", tmp_path.resolve())
    for damage in (b"", b"[]", b"{}", note.read_bytes().replace(str(tmp_path).encode(), b"/elsewhere")):
        note.write_bytes(damage)
        assert not consent.is_allowed(request, tmp_path)


def test_script_that_changes_during_a_trial_stops_it(
    run_trial_command, project, skill, player, file_of_hostile_command
):
    file = skill / "scripts" / "check.sh"

    player.meanwhile = lambda: file.write_text(f"touch {file_of_hostile_command}\n")
    tasks = write_tasks(project, 1, checks=[{"command": f"sh {file}"}])
    arguments = ("greeter", "--against", "old", "--tasks", tasks, "--runs", "2", "--format", "json")
    code, _, err = run_trial_command(*arguments, "--yes")
    assert code == 2, err
    assert "scripts/check.sh" in err.splitlines()[-1]
    assert not file_of_hostile_command.exists()
    file.write_text("true\n")
    player.meanwhile, paid = lambda: None, len(player.prompts)
    code, out, err = run_trial_command(*arguments)
    assert code in (0, 1), err
    assert "continuing " in err
    assert len(json.loads(out)["runs"]) == 4
    assert (paid, len(player.prompts)) == (1, 4), "the paid run must be graded and not repeated"


def test_model_in_claude_code_raises_no_limit(run_trial_command, project, player, monkeypatch):
    """The user allowed the cost of less than two runs and a model asks for more; later, no run is paid twice."""
    arguments = ("greeter", "--against", "old", "--runs", "2", "--tasks", write_tasks(project, 2), "--format", "json")
    code, out, err = run_trial_command(*arguments, "--max-cost-usd", "0.02")
    assert code == 0, err
    limited_result = json.loads(out)
    assert limited_result["is_continuable"]
    assert "the cost limit of 0.02 USD is reached" in limited_result["why"]
    paid = len(player.prompts)
    assert 0 < paid < 8
    monkeypatch.setenv("CLAUDECODE", "1")
    for further_options in ((), ("--yes",)):
        code, _, err = run_trial_command(*arguments, "--max-cost-usd", "9", *further_options)
        assert (code, len(player.prompts)) == (2, paid)
        assert "you have not allowed continuing it for 9.00 USD; only you can allow this, in a terminal" in err
    monkeypatch.delenv("CLAUDECODE")
    code, out, err = run_trial_command(*arguments, "--max-cost-usd", "9")
    assert code == 0, err
    assert "you do not pay again for finished runs" in err
    result = json.loads(out)
    assert (len(result["runs"]), len(player.prompts)) == (8, 8)
    assert (result["folder"], result["is_continuable"]) == (limited_result["folder"], False)
    assert run_trial_command(*arguments, "--max-cost-usd", "9")[0] == 0
    assert len(player.prompts) == 16, "a finished trial must be repeated"


def test_trial_that_used_up_its_error_rate_has_ended(run_trial_command, project, player, monkeypatch):
    """Its last analysis used up the error rate, so more runs would exceed it."""
    # Later runs cost more.
    monkeypatch.setattr(Trial, "_count_payable", lambda self, number: 9 - number)
    arguments = (
        "greeter",
        "--against",
        "greeter",
        "--runs",
        "9",
        "--tasks",
        write_tasks(project, 4),
        "--format",
        "json",
    )
    code, out, err = run_trial_command(*arguments, "--max-cost-usd", "0.5")
    assert code == 0, err
    result = json.loads(out)
    assert (result["is_continuable"], result["rounds"]["held"]) == (False, 3), result["why"]
