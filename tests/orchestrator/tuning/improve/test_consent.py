"""Test that an improvement runs only commands that the user allowed."""

import json

from orchestrator.model.agent import Call, SkillCall
from tests.orchestrator.tuning.improve.conftest import Model, read_state, write_tasks

LIMIT = ("--max-cost-usd", "100", "--exam-runs", "3", "--practice-runs", "2", "--format", "json", "--quiet")
COMMAND = {"checks": [{"command": "test -d .claude"}]}


def test_commands_of_tasks_need_consent(project, play, improve):
    player = play(Model())
    tasks = write_tasks(project, **COMMAND)
    code, out, err = improve("greeter", "--tasks", tasks, *LIMIT)
    assert (code, out, player.sessions) == (2, "", [])
    assert "check them, then pass --yes" in err
    assert "test -d .claude" in err


def test_model_in_claude_code_allows_no_commands(project, play, improve, monkeypatch):
    player = play(Model())
    monkeypatch.setenv("CLAUDECODE", "1")
    code, _, err = improve("greeter", "--tasks", write_tasks(project, **COMMAND), "--yes", *LIMIT)
    assert (code, player.sessions) == (2, [])
    assert "Claude Code cannot allow them" in err


def test_script_changed_during_an_improvement_stops_it(project, play, improve):
    class Changing(Model):
        """A model that changes a script of the skill during its sessions."""

        def session(self, prompt, skill, usd):
            (project / "greeter" / "run.sh").write_text("echo changed\n")
            return super().session(prompt, skill, usd)

    (project / "greeter" / "run.sh").write_text("echo hello\n")
    player = play(Changing())
    code, _, err = improve("greeter", "--tasks", write_tasks(project, **COMMAND), "--yes", *LIMIT)
    assert code == 2
    assert "run.sh of the skill changed" in err
    assert len(player.sessions) == 1
    (project / "greeter" / "run.sh").write_text("echo hello\n")
    play(Model())
    state = read_state(improve("greeter", "--tasks", write_tasks(project, **COMMAND), *LIMIT)[1])
    assert state["runs"] == 12  # it continues: the first run is graded and not repeated


def test_changed_task_file_is_asked_about_again(project, play, improve):
    play(Model())
    tasks = write_tasks(project, **COMMAND)
    assert improve("greeter", "--tasks", tasks, "--yes", *LIMIT)[0] == 1
    write_tasks(project, checks=[{"command": "test -e .claude"}])
    code, _, err = improve("greeter", "--tasks", tasks, *LIMIT)
    assert code == 2
    assert "test -e .claude" in err


class Stopped(Model):
    """A model that simulates a Ctrl-C of the user in its third session."""

    count = 0

    def session(self, prompt, skill, usd):
        self.count += 1
        if self.count == 3:
            raise KeyboardInterrupt
        return super().session(prompt, skill, usd)


def test_model_in_claude_code_continues_no_improvement(project, play, command, monkeypatch):
    player = play(Stopped())
    assert command("improve", "greeter", "--tasks", write_tasks(project), *LIMIT)[0] == 130
    paid = len(player.sessions)
    monkeypatch.setenv("CLAUDECODE", "1")
    more = ("improve", "greeter", "--tasks", write_tasks(project), *LIMIT, "--max-cost-usd", "900")
    for words in (("resume", "--quiet"), more, (*more, "--yes")):
        code, _, err = command(*words)
        assert (code, len(player.sessions)) == (2, paid)
        assert "continuing it costs money, so use a terminal" in err


def test_resume_keeps_the_cost_limit_that_the_user_gave(project, play, command):
    player = play(Stopped())
    assert command("improve", "greeter", "--tasks", write_tasks(project), *LIMIT)[0] == 130
    (file,) = project.glob(".workflow/skill-improvements/*/plan.json")
    paid, plan = len(player.sessions), json.loads(file.read_text())
    file.write_text(json.dumps({**plan, "settings": {**plan["settings"], "max_cost_usd": 900}}))
    code, _, err = command("resume", "--quiet")
    assert (code, len(player.sessions)) == (2, paid)
    assert "the cost limit (now 900.00 USD, allowed 100.00) changed" in err
    file.write_text(json.dumps(plan))
    assert command("resume", "--quiet")[0] == 0


class Reader(Model):
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


def test_skill_that_is_read_or_called_in_vain_is_not_used(project, play, improve):
    model = Reader()
    play(model)
    tasks = write_tasks(project)
    state = read_state(improve("greeter", "--tasks", tasks, *LIMIT)[1])
    assert {failure["cause"] for failure in state["failures"]} == {"skill not used"}
    assert "opened with Read, which does not count as a call" in state["failures"][0]["reason"]
    model.wrong_name = True
    state = read_state(improve("greeter", "--tasks", tasks, "--steps", "3", *LIMIT)[1])
    assert {failure["reason"] for failure in state["failures"]} == {"the skill was not called"}
    assert model.asked == []
    assert json.dumps(state["steps"]) == "[]"
