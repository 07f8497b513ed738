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
from tests.orchestrator.tuning.trial.conftest import GOOD, HEAD, write_tasks
from tests.scripted_api import last_said, text, tool

BROKEN = "See [the guide](references/greeting_rules.md).\n"
SCRIPT = ".claude/skills/greeter/scripts/check.sh"


@pytest.fixture
def tune(capsys):
    """Run the command; return exit code, stdout and stderr."""

    def call(*arguments):
        with pytest.raises(SystemExit) as ended:
            main(list(arguments))
        out, err = capsys.readouterr()
        return ended.value.code or 0, out, err

    return call


@pytest.fixture
def skill(project):
    """Return a skill with one fault that a low-risk fix corrects, and with a script that a check may start."""
    folder = project / "greeter"
    for name in ("references", "scripts"):
        (folder / name).mkdir()
    (folder / "references" / "greeting-rules.md").write_text("# Guide\n\nGreet.\n")
    (folder / "scripts" / "check.sh").write_text("true\n")
    (folder / "SKILL.md").write_text(HEAD + GOOD + BROKEN + "Run `scripts/check.sh`.\n")
    return folder


@pytest.fixture
def pwned(tmp_path):
    """Return the path of the file that a command creates if it runs without consent."""
    return tmp_path / "PWNED"


def paused(tune, *arguments):
    """Start a run, which waits for the choice of fixes."""
    code, _, err = tune("run", "greeter", "--judge", "none", "--no-sessions", "--pause", "--yes", *arguments)
    assert code == 3, err


def trial_of(project, **more):
    return ("--trial", "--trial-runs", "2", "--trial-tasks", write_tasks(project, 1, **more))


def state_of(project):
    (file,) = project.glob(".workflow/skill-tuning/*/state.json")
    return file, json.loads(file.read_text())


def with_trial(project, **options):
    """Write a trial into the state of the run, as a `git pull` of a tracked work dir could."""
    file, state = state_of(project)
    state["options"]["trial"] = {"tasks": None, "runs": 2, "max_cost_usd": 5.0, **options}
    for each in file.parent.glob("state*.json"):
        each.write_text(json.dumps(state))


def ensure_refused(project, player, pwned, done):
    """Assert that nothing ran or was paid, that one line says what to do, and that the run continues later."""
    code, _, err = done
    assert code == 2, err
    (line,) = [line for line in err.splitlines() if "the trial was not run" in line]
    assert "trust" in line
    assert "--no-trial" in line
    assert not pwned.exists()
    assert not player.prompts
    _, state = state_of(project)
    assert state["trial"] is None
    assert state["phase"] == "verify"
    assert [fix["status"] for fix in state["proposed_fixes"]] == ["applied"]
    return line


def test_tasks_changed_after_consent_need_new_consent(tune, project, skill, player, pwned):
    paused(tune, *trial_of(project, checks=[{"command": "true"}]))
    write_tasks(project, 1, checks=[{"command": f"touch {pwned}"}])
    line = ensure_refused(project, player, pwned, tune("apply", "--all", "--quiet"))
    assert "task greet-0" in line
    ensure_refused(project, player, pwned, tune("resume"))
    ensure_refused(project, player, pwned, tune("resume", "--yes"))
    run = state_of(project)[1]["run_id"]
    code, _, err = tune("trust", run, "--trial")
    assert code == 2
    assert f"check: touch {pwned}" in err
    assert tune("trust", run, "--trial", "--yes")[0] == 0
    code, _, err = tune("resume")
    assert code in (0, 1), err
    assert pwned.exists()
    assert state_of(project)[1]["trial"]["after_runs"] == 2


def test_prompt_changed_after_consent_is_not_sent(tune, project, skill, player, pwned):
    paused(tune, *trial_of(project))
    write_tasks(project, 1, prompt="Send me all.")
    assert "task greet-0" in ensure_refused(project, player, pwned, tune("apply", "--all"))


@pytest.mark.parametrize("checks", [[{"command": "touch {pwned}"}], [{"text": "please"}]], ids=["commands", "none"])
def test_trial_edited_into_a_state_does_not_run(tune, project, skill, player, pwned, checks):
    paused(tune)
    (skill / "evals").mkdir()
    checks = json.loads(json.dumps(checks).replace("{pwned}", str(pwned)))
    (skill / "evals" / "tasks.json").write_text(json.dumps({"tasks": [{"prompt": "Greet.", "checks": checks}]}))
    with_trial(project)
    line = ensure_refused(project, player, pwned, tune("apply", "--all"))
    assert "you have not allowed a trial of this run" in line


def test_trial_costs_no_more_than_allowed(tune, project, skill, player, pwned):
    paused(tune, *trial_of(project))
    with_trial(project, tasks=str(project / "tasks.json"), max_cost_usd=900.0)
    line = ensure_refused(project, player, pwned, tune("apply", "--all"))
    assert "900.00 USD" in line
    assert "5.00" in line


def test_script_changed_after_consent_is_not_started(tune, project, skill, player, pwned):
    paused(tune, *trial_of(project, checks=[{"command": f"sh {SCRIPT}"}]))
    (skill / "scripts" / "check.sh").write_text(f"touch {pwned}\n")
    assert "scripts/check.sh" in ensure_refused(project, player, pwned, tune("apply", "--all"))


def test_consent_covers_scripts_outside_of_the_skill(tune, project, skill, player, pwned):
    script = project / "look.sh"
    script.write_text("true\n")
    paused(tune, *trial_of(project, checks=[{"command": f"sh {script}"}]))
    script.write_text(f"touch {pwned}\n")
    assert str(script) in ensure_refused(project, player, pwned, tune("apply", "--all"))


def test_mcp_client_starts_no_trial_without_consent(tune, project, skill, player, pwned):
    paused(tune, *trial_of(project, checks=[{"command": "true"}]))
    write_tasks(project, 1, checks=[{"command": f"touch {pwned}"}])
    done = asyncio.run(applied_by_a_client(state_of(project)[1]["run_id"]))
    assert done.is_error
    assert "task greet-0" in done.content[0].text
    ensure_refused(project, player, pwned, tune("resume"))


def test_answer_starts_no_trial_without_consent(tune, project, skill, player, pwned):
    code, _, err = tune("run", "greeter", "--judge", "none", "--no-sessions", "--pause", "--apply", "safe", "--issue",
                        "it does not work well", *trial_of(project))  # fmt: skip
    assert code == 3, err
    write_tasks(project, 1, checks=[{"command": f"touch {pwned}"}])
    run = state_of(project)[1]["run_id"]
    ensure_refused(project, player, pwned, tune("answer", run, "DIM-001=agent_failure"))


async def applied_by_a_client(run):
    async with Client(make_server(), mode="legacy", read_timeout_seconds=60) as client:
        return await client.call_tool("apply", {"run": run, "fixes": ["FIX-001"]})


def test_resume_no_trial_ends_the_run_without_it(tune, project, skill, player, pwned):
    paused(tune)
    with_trial(project)
    tune("apply", "--all")
    code, _, err = tune("resume", "--no-trial")
    assert code in (0, 1), err
    assert not player.prompts
    assert state_of(project)[1]["phase"] == "completed"


def test_trust_refuses_a_run_without_a_trial(tune, project, skill, player):
    paused(tune)
    code, _, err = tune("trust", state_of(project)[1]["run_id"], "--trial", "--yes")
    assert code == 2
    assert "has no trial" in err


def test_model_in_claude_code_allows_no_commands(tune, trial, project, skill, player, pwned, monkeypatch):
    tasks = write_tasks(project, 1, checks=[{"command": f"touch {pwned}"}])
    of_trial = ("--trial", "--trial-runs", "2", "--trial-tasks", tasks, "--yes")
    run = ("run", "greeter", "--judge", "none", "--no-sessions", "--apply", "safe", *of_trial)
    compare = ("greeter", "--against", "greeter", "--runs", "2", "--tasks", tasks, "--yes")
    monkeypatch.setenv("CLAUDECODE", "1")
    for code, _, err in (tune(*run), trial(*compare)):
        assert code == 2
        assert f"touch {pwned}" in err, "the user sees what is asked"
        assert "Claude Code cannot allow them, even with --yes" in err
    assert player.prompts == []
    assert not pwned.exists()
    monkeypatch.delenv("CLAUDECODE")
    assert trial(*compare)[0] == 0
    assert pwned.exists()
    monkeypatch.setenv("CLAUDECODE", "1")
    assert trial(*compare)[0] == 0, "what the user allowed before runs there too"


def test_changed_script_is_asked_about_again(trial, project, skill, player, pwned):
    arguments = ("greeter", "--against", "old", "--runs", "2", "--tasks",
                 write_tasks(project, 1, checks=[{"command": f"sh {SCRIPT}"}]))  # fmt: skip
    code, _, err = trial(*arguments, "--yes")
    assert code in (0, 1), err
    assert "scripts/check.sh" in err, "what a command may start is shown with it"
    seen = len(player.prompts)
    (skill / "scripts" / "check.sh").write_text(f"touch {pwned}\n")
    code, _, err = trial(*arguments)
    assert code == 2
    assert "pass --yes" in err
    assert not pwned.exists()
    assert len(player.prompts) == seen


def test_command_is_shown_line_by_line(trial, project, player):
    tasks = write_tasks(project, 1, checks=[{"command": "true\n  touch PWNED\r\x1b[2Kx\n"}])
    code, _, err = trial("greeter", "--against", "old", "--tasks", tasks)
    assert code == 2
    lines = err.splitlines()
    at = lines.index("  greet-0: check: true")
    assert lines[at + 1] == "    |   touch PWNED\ufffd\ufffd[2Kx"


def test_script_rewritten_by_a_run_is_not_started(trial, project, skill, api, pwned):
    def script(request):
        if "Greet" in last_said(request):
            return tool("Bash", command=f"(echo 'touch {pwned}' | dd of={SCRIPT})")
        return text("please")

    api.script = script
    tasks = write_tasks(project, 1, tools=["Bash"], checks=[{"command": f"sh {SCRIPT}"}])
    code, out, err = trial("greeter", "--against", "greeter", "--tasks", tasks, "--runs", "2", "--yes",
                           "--format", "json")  # fmt: skip
    assert code == 0, err
    assert not pwned.exists()
    for one in json.loads(out)["runs"]:
        assert one["passed"] is None
        assert "scripts/check.sh was changed in the run" in one["checks"][0]["why"]


def test_no_run_is_paid_after_a_script_changed(trial, project, skill, player):
    file = skill / "scripts" / "check.sh"
    tasks = write_tasks(project, 1, checks=[{"command": f"echo exit >> {file}"}])
    code, _, err = trial("greeter", "--against", "old", "--tasks", tasks, "--runs", "2", "--yes")
    assert code == 2
    assert "greet-0.1.before succeeded" in err
    assert "scripts/check.sh" in err.splitlines()[-1]
    assert len(player.prompts) == 1


def test_consent_covers_each_version_and_the_cost_limit(tmp_path):
    a, b = ({"scripts/check.sh": letter * 64} for letter in "ab")
    consent.save_consent(Request({"one": "1"}, (a,), {}, 5.0), tmp_path)
    assert consent.is_allowed(Request({"one": "1"}, (a, a), {}, 5.0), tmp_path)
    for other in (
        Request({"one": "1"}, (a, b), {}, 5.0),
        Request({"one": "1"}, (a,), {}, 5.01),
        Request({"one": "1"}, (a,), {}, None),
        Request({"one": "1"}, (a,), {"/x.sh": "c"}, 5.0),
        Request({"one": "1", "two": "2"}, (a,), {}, 5.0),
    ):
        assert not consent.is_allowed(other, tmp_path)
    assert not consent.is_allowed(Request({"one": "1"}, (a,), {}, 5.0), tmp_path / "another")


def test_damaged_note_allows_nothing(tmp_path):
    request = Request({"one": "1"})
    consent.save_consent(request, tmp_path)
    note = get_note_file("trials", tmp_path.resolve())
    for damage in (b"", b"[]", b"{}", note.read_bytes().replace(str(tmp_path).encode(), b"/elsewhere")):
        note.write_bytes(damage)
        assert not consent.is_allowed(request, tmp_path)


def test_script_that_changes_during_a_trial_stops_it(trial, project, skill, player, pwned):
    file = skill / "scripts" / "check.sh"

    player.meanwhile = lambda: file.write_text(f"touch {pwned}\n")
    tasks = write_tasks(project, 1, checks=[{"command": f"sh {file}"}])
    arguments = ("greeter", "--against", "old", "--tasks", tasks, "--runs", "2", "--format", "json")
    code, _, err = trial(*arguments, "--yes")
    assert code == 2, err
    assert "scripts/check.sh" in err.splitlines()[-1]
    assert not pwned.exists()
    file.write_text("true\n")
    player.meanwhile, paid = lambda: None, len(player.prompts)
    code, out, err = trial(*arguments)
    assert code in (0, 1), err
    assert "continuing " in err
    assert len(json.loads(out)["runs"]) == 4
    assert (paid, len(player.prompts)) == (1, 4), "the run that was paid is graded, and held no second time"


def test_model_in_claude_code_raises_no_limit(trial, project, player, monkeypatch):
    """The user allowed the cost of less than two runs and a model asks for more; later, no run is paid twice."""
    words = ("greeter", "--against", "old", "--runs", "2", "--tasks", write_tasks(project, 2), "--format", "json")
    code, out, err = trial(*words, "--max-cost-usd", "0.02")
    assert code == 0, err
    limited = json.loads(out)
    assert limited["is_continuable"]
    assert "the cost limit of 0.02 USD is reached" in limited["why"]
    paid = len(player.prompts)
    assert 0 < paid < 8
    monkeypatch.setenv("CLAUDECODE", "1")
    for more in ((), ("--yes",)):
        code, _, err = trial(*words, "--max-cost-usd", "9", *more)
        assert (code, len(player.prompts)) == (2, paid)
        assert "you have not allowed continuing it for 9.00 USD; only you can allow this, in a terminal" in err
    monkeypatch.delenv("CLAUDECODE")
    code, out, err = trial(*words, "--max-cost-usd", "9")
    assert code == 0, err
    assert "you do not pay again for finished runs" in err
    result = json.loads(out)
    assert (len(result["runs"]), len(player.prompts)) == (8, 8)
    assert (result["folder"], result["is_continuable"]) == (limited["folder"], False)
    assert trial(*words, "--max-cost-usd", "9")[0] == 0
    assert len(player.prompts) == 16, "a finished trial is held again"


def test_trial_whose_limit_could_have_decided_has_ended(trial, project, player, monkeypatch):
    """Its last analysis used up the error rate, so more runs would exceed it."""
    # later runs cost more
    monkeypatch.setattr(Trial, "_count_payable", lambda self, number: 9 - number)
    words = ("greeter", "--against", "greeter", "--runs", "9", "--tasks", write_tasks(project, 4), "--format", "json")
    code, out, err = trial(*words, "--max-cost-usd", "0.5")
    assert code == 0, err
    found = json.loads(out)
    assert (found["is_continuable"], found["rounds"]["held"]) == (False, 3), found["why"]
