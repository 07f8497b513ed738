"""Test that an improvement runs only commands that the user allowed."""

import json

from orchestrator.model.agent import Call, SkillCall
from tests.orchestrator.tuning.improve.conftest import Model, read_state, write_tasks

OPTIONS = ("--max-cost-usd", "100", "--exam-runs", "3", "--practice-runs", "2", "--format", "json", "--quiet")
COMMAND = {"checks": [{"command": "test -d .claude"}]}


def test_commands_of_tasks_need_consent(project, play, run_improve):
    player = play(Model())
    tasks = write_tasks(project, **COMMAND)
    code, out, err = run_improve("greeter", "--tasks", tasks, *OPTIONS)
    assert (code, out, player.sessions) == (2, "", [])
    assert "check them, then pass --yes" in err
    assert "test -d .claude" in err


def test_model_in_claude_code_allows_no_commands(project, play, run_improve, monkeypatch):
    player = play(Model())
    monkeypatch.setenv("CLAUDECODE", "1")
    code, _, err = run_improve("greeter", "--tasks", write_tasks(project, **COMMAND), "--yes", *OPTIONS)
    assert (code, player.sessions) == (2, [])
    assert "Claude Code cannot allow them" in err


def test_script_changed_during_an_improvement_stops_it(project, play, run_improve):
    class ScriptChangingModel(Model):
        """A model that changes a script of the skill during its sessions."""

        def session(self, prompt, skill, usd):
            (project / "greeter" / "run.sh").write_text("echo changed\n")
            return super().session(prompt, skill, usd)

    (project / "greeter" / "run.sh").write_text("echo hello\n")
    player = play(ScriptChangingModel())
    code, _, err = run_improve("greeter", "--tasks", write_tasks(project, **COMMAND), "--yes", *OPTIONS)
    assert code == 2
    assert "run.sh of the skill changed" in err
    assert len(player.sessions) == 1
    (project / "greeter" / "run.sh").write_text("echo hello\n")
    play(Model())
    state = read_state(run_improve("greeter", "--tasks", write_tasks(project, **COMMAND), *OPTIONS)[1])
    assert state["runs"] == 12  # The improvement continues: the first run is graded and not repeated.


def test_changed_task_file_needs_new_consent(project, play, run_improve):
    play(Model())
    tasks = write_tasks(project, **COMMAND)
    assert run_improve("greeter", "--tasks", tasks, "--yes", *OPTIONS)[0] == 1
    write_tasks(project, checks=[{"command": "test -e .claude"}])
    code, _, err = run_improve("greeter", "--tasks", tasks, *OPTIONS)
    assert code == 2
    assert "test -e .claude" in err


class InterruptedInThirdSession(Model):
    """A model that simulates a Ctrl-C of the user in its third session."""

    count = 0

    def session(self, prompt, skill, usd):
        self.count += 1
        if self.count == 3:
            raise KeyboardInterrupt
        return super().session(prompt, skill, usd)


def test_model_in_claude_code_continues_no_improvement(project, play, command, monkeypatch):
    player = play(InterruptedInThirdSession())
    assert command("improve", "greeter", "--tasks", write_tasks(project), *OPTIONS)[0] == 130
    paid = len(player.sessions)
    monkeypatch.setenv("CLAUDECODE", "1")
    repeated_command = ("improve", "greeter", "--tasks", write_tasks(project), *OPTIONS, "--max-cost-usd", "900")
    for arguments in (("resume", "--quiet"), repeated_command, (*repeated_command, "--yes")):
        code, _, err = command(*arguments)
        assert (code, len(player.sessions)) == (2, paid)
        (folder,) = project.glob(".workflow/skill-improvements/*")
        assert f"continuing it costs money, so use a terminal: `tune-skill resume {folder.name}`" in err


def test_resume_keeps_the_cost_limit_that_the_user_gave(project, play, command):
    player = play(InterruptedInThirdSession())
    assert command("improve", "greeter", "--tasks", write_tasks(project), *OPTIONS)[0] == 130
    (file,) = project.glob(".workflow/skill-improvements/*/plan.json")
    paid, plan = len(player.sessions), json.loads(file.read_text())
    file.write_text(json.dumps({**plan, "settings": {**plan["settings"], "max_cost_usd": 900}}))
    code, _, err = command("resume", "--quiet")
    assert (code, len(player.sessions)) == (2, paid)
    assert "the cost limit (now 900.00 USD, allowed 100.00) changed" in err
    file.write_text(json.dumps(plan))
    code, _, err = command("resume", "--max-cost-usd", "900")
    assert (code, "is only for runs" in err, len(player.sessions)) == (2, True, paid)
    assert command("resume", "--quiet")[0] == 0


class SkillReadingModel(Model):
    """A model that opens the skill's SKILL.md with Read, or calls a skill that does not exist."""

    wrong_name = False

    def session(self, prompt, skill, usd):
        session = super().session(prompt, skill, usd)
        if self.wrong_name:
            session.calls, session.skills = (
                [Call("Skill", '{"skill": "greeter"}')],
                [SkillCall("greeter", succeeded=False)],
            )
        else:
            session.calls, session.skills = [Call("Read", '{"file_path": ".claude/skills/greeter/SKILL.md"}')], []
        return session


def test_failed_call_or_read_of_the_skill_is_not_a_use(project, play, run_improve):
    model = SkillReadingModel()
    play(model)
    tasks = write_tasks(project)
    state = read_state(run_improve("greeter", "--tasks", tasks, *OPTIONS)[1])
    assert {failure["cause"] for failure in state["failures"]} == {"skill not used"}
    assert "opened with Read, which does not count as a call" in state["failures"][0]["reason"]
    model.wrong_name = True
    state = read_state(run_improve("greeter", "--tasks", tasks, "--steps", "3", *OPTIONS)[1])
    assert {failure["reason"] for failure in state["failures"]} == {"the skill was not called"}
    assert model.prompts == []
    assert json.dumps(state["steps"]) == "[]"
