"""Test that nothing spoils an improvement that was paid for and then stopped, unless its user gives it up."""

import json
import os
import re

import pytest

from orchestrator.run.store import StateStore
from orchestrator.run.workspace.workspace import Workspace
from orchestrator.tuning.improve.store import ImprovementStore
from orchestrator.tuning.trial.ledger import Ledger
from tests.orchestrator.tuning.improve.conftest import RULE, SKILL, Model, read_state, write_tasks
from tests.orchestrator.tuning.improve.test_killed import IMPROVE_OPTIONS, INTERRUPTED, killer

killer = killer
OPTIONS = ("--judge", "none", "--quiet")
SKILL_WITH_FAULT = SKILL.replace("description:", "argument_hint: name\ndescription:")
"""The text of the skill with a fault that a fix without a model corrects."""


@pytest.fixture
def stop_improvement(project, play, killer, command):
    """Return a function that stops an improvement before the nth call of a method and returns its folder."""

    def stop(owner=StateStore, name="create", nth=1):
        (project / ".git").mkdir(exist_ok=True)
        play(Model())
        installed_killer = killer(owner, name, nth)
        assert command("improve", "greeter", "--tasks", write_tasks(project, 8), *IMPROVE_OPTIONS)[0] == INTERRUPTED
        installed_killer.nth = 1_000_000
        (folder,) = (project / ".workflow" / "skill-improvements").glob("*-greeter*")
        return folder

    return stop


def read_text(project):
    return (project / "greeter" / "SKILL.md").read_text()


def test_undone_edit_lets_a_stopped_improvement_finish(project, stop_improvement, command):
    folder = stop_improvement()
    skill = project / "greeter" / "SKILL.md"
    skill.write_text(SKILL + "Wave.\n")
    (project / "greeter" / "more.md").write_text("More.\n")
    for arguments in (("resume",), ("resume", folder.name), ("improve", "greeter", "--max-cost-usd", "60")):
        code, _, err = command(*arguments, "--quiet")
        assert (code, skill.read_text()) == (2, SKILL + "Wave.\n")
        assert "passed its exam, but SKILL.md, more.md changed since it began" in err
        assert f"`tune-skill resume {folder.name} --give-up`" in err
    skill.write_text(SKILL)
    (project / "greeter" / "more.md").unlink()
    assert command("resume", "--quiet")[0] == 0
    assert RULE in skill.read_text()


def test_edited_skill_does_not_restart_a_paid_improvement(project, stop_improvement, command):
    """A second improvement would pay for the same runs again, under a new cost limit."""
    folder = stop_improvement(ImprovementStore, "save", 3)
    skill, options = project / "greeter" / "SKILL.md", ("--tasks", "tasks.json", *IMPROVE_OPTIONS)
    skill.write_text(SKILL + "Wave.\n")
    for extra in ((), ("--reopen",)):
        code, _, err = command("improve", "greeter", *options, *extra)
        assert (code, list(folder.parent.glob("*-greeter*"))) == (2, [folder])
        assert re.search(rf"improvement {folder.name} was stopped \(\d+\.\d\d USD paid\)", err)
        assert f"`tune-skill resume {folder.name}` continues it" in err
        assert f"`tune-skill resume {folder.name} --give-up`" in err
    assert command("resume", folder.name, "--give-up")[0] == 1
    assert command("improve", "greeter", *options)[0] == 0
    assert len(list(folder.parent.glob("*-greeter*"))) == 2


def test_resume_names_an_edit_made_during_the_exam(project, play, command, monkeypatch):
    """The exam of the improvement itself must not count as an earlier exam that used up the tasks."""
    original_method, skill = ImprovementStore.save, project / "greeter" / "SKILL.md"

    def stop_after_save(store, state, **kwargs):
        saved = original_method(store, state, **kwargs)
        if state.openings:
            raise KeyboardInterrupt
        return saved

    play(Model())
    with monkeypatch.context() as patch:
        patch.setattr(ImprovementStore, "save", stop_after_save)
        assert command("improve", "greeter", "--tasks", write_tasks(project, 8), *IMPROVE_OPTIONS)[0] == INTERRUPTED
    skill.write_text(SKILL + "Wave.\n")
    code, _, err = command("resume", "--quiet")
    assert (code, "SKILL.md changed since it began" in err, "--reopen" in err) == (2, True, False)
    skill.write_text(SKILL)
    assert command("resume", "--quiet")[0] == 0


def test_edit_made_before_the_run_writes_is_kept(project, stop_improvement, command):
    stop_improvement(StateStore, "save", 2)
    skill = project / "greeter" / "SKILL.md"
    skill.write_text(SKILL + "Wave.\n")
    for _ in range(2):
        code, _, err = command("resume", "--quiet")
        assert (code, skill.read_text()) == (2, SKILL + "Wave.\n")
        assert "SKILL.md changed since it began" in err
    skill.write_text(SKILL)
    assert command("resume", "--quiet")[0] == 0
    assert RULE in skill.read_text()


def test_missing_skill_does_not_end_a_stopped_improvement(project, stop_improvement, command):
    stop_improvement()
    (project / "greeter").rename(project / "elsewhere")
    assert command("resume", "--quiet")[0] == 2
    (project / "elsewhere").rename(project / "greeter")
    assert command("resume", "--quiet")[0] == 0


@pytest.mark.parametrize("where", ["parent", "unrelated"])
def test_run_from_another_folder_finds_a_stopped_improvement(
    project, stop_improvement, command, tmp_path, monkeypatch, where
):
    folder = stop_improvement()
    start_folder = tmp_path if where == "parent" else tmp_path / "unrelated"
    start_folder.mkdir(exist_ok=True)
    monkeypatch.chdir(start_folder)
    skill = os.path.relpath(project / "greeter", start_folder)
    code, _, err = command("run", skill, "--apply", "all", *OPTIONS)
    assert (code, read_text(project)) == (2, SKILL)
    assert f"`tune-skill resume {folder}`" in err
    assert command("resume", str(folder), "--quiet")[0] == 0
    assert RULE in read_text(project)
    assert command("run", skill, "--apply", "none", *OPTIONS)[0] == 0


def test_improvement_started_elsewhere_is_found_in_the_project(
    project, stop_improvement, command, tmp_path, monkeypatch, play
):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    tasks = write_tasks(project, 8)
    (project / ".git").mkdir()
    player = play(Model())
    with monkeypatch.context() as patch:
        patch.chdir(elsewhere)
        patch.setattr(StateStore, "create", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        assert command("improve", str(project / "greeter"), "--tasks", tasks, *IMPROVE_OPTIONS)[0] == INTERRUPTED
    code, _, err = command("run", "greeter", "--apply", "all", *OPTIONS)
    assert code == 2
    assert "was stopped while applying its edits" in err
    paid = len(player.sessions)
    assert command("improve", "greeter", "--tasks", tasks, *IMPROVE_OPTIONS)[0] == 0
    assert (len(player.sessions), RULE in read_text(project)) == (paid, True)


def test_older_run_is_refused_until_a_stopped_improvement_ends(project, stop_improvement, command, monkeypatch):
    (project / "greeter" / "SKILL.md").write_text(SKILL_WITH_FAULT)
    assert command("run", "greeter", "--pause", *OPTIONS)[0] == 3
    (run,) = (project / ".workflow" / "skill-tuning").iterdir()
    folder = stop_improvement()
    for arguments in (("apply", run.name, "--all"), ("resume", run.name)):
        code, _, err = command(*arguments, "--quiet")
        assert (code, read_text(project)) == (2, SKILL_WITH_FAULT)
        assert f"`tune-skill resume {folder.name}`" in err
    assert command("resume", folder.name, "--quiet")[0] == 0
    assert command("apply", run.name, "--none", "--quiet")[0] in (0, 1)


def test_given_up_improvement_frees_the_skill(project, stop_improvement, command, monkeypatch):
    folder = stop_improvement()
    assert command("resume", "--give-up")[0] == 2, "an improvement that is given up must be named"
    with monkeypatch.context() as patch:
        patch.setenv("CLAUDECODE", "1")
        assert command("resume", folder.name, "--give-up")[0] == 2
    code, out, _ = command("resume", folder.name, "--give-up")
    assert code == 1
    assert "you gave it up" in out
    assert "first save" not in command("status")[2]
    assert command("resume", folder.name)[0] == 1
    assert command("run", "greeter", "--apply", "none", *OPTIONS)[0] == 0
    assert read_text(project) == SKILL


def test_given_up_improvement_undoes_its_edits(project, stop_improvement, command):
    original_method = ImprovementStore.save

    def stop_before_save(store, state, **kwargs):
        if state.stage == "applied":
            raise KeyboardInterrupt
        return original_method(store, state, **kwargs)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ImprovementStore, "save", stop_before_save)
        folder = stop_improvement(StateStore, "save", 1_000_000)
    assert RULE in read_text(project)
    assert command("resume", folder.name, "--give-up")[0] == 1
    assert read_text(project) == SKILL


def test_status_names_a_stopped_measurement_and_its_cost(project, stop_improvement, command):
    folder = stop_improvement(Ledger, "record", 20)
    name = folder.name
    for arguments in (("status",), ("report",), ("status", "--format", "json")):
        code, _, err = command(*arguments)
        assert code == 2
        assert f"improvement {name} was stopped (" in err
        assert "USD paid); continue it with `tune-skill resume " + name in err
    code, _, err = command("run", "greeter", "--apply", "all", *OPTIONS)
    assert (code, read_text(project)) == (2, SKILL)
    assert f"`tune-skill resume {name} --give-up`" in err
    (project / "greeter" / "SKILL.md").write_text(SKILL + "Wave.\n")
    code, _, err = command("resume", "--quiet")
    assert code == 2
    assert "SKILL.md changed since it began; undo this" in err
    (project / "greeter" / "SKILL.md").write_text(SKILL)
    assert command("resume", "--quiet")[0] == 0


def test_status_of_an_earlier_run_names_a_stopped_improvement(project, stop_improvement, command):
    assert command("run", "greeter", "--apply", "none", *OPTIONS)[0] == 0
    folder = stop_improvement(Ledger, "record", 20)
    code, _, err = command("status")
    assert code == 0
    assert f"Improvement {folder.name} was stopped (" in err
    assert command("resume", folder.name, "--give-up")[0] == 1


def test_running_improvement_refuses_runs_of_its_skill(project, stop_improvement, command):
    folder = stop_improvement(Ledger, "record", 20)
    with Ledger.open(folder):
        code, _, err = command("run", "greeter", "--apply", "all", *OPTIONS)
        assert code == 2
        assert f"improvement {folder.name} is running (" in err
        assert f"improvement {folder.name} is running (" in command("status")[2]
    assert command("resume", folder.name, "--give-up", "--quiet")[0] == 1
    state = read_state(command("status", folder.name, "--format", "json")[1])
    spent = sum(json.loads(line)["usd"] for line in (folder / "ledger.jsonl").read_text().splitlines())
    assert 0 < state["usd"] <= spent


def test_improvement_that_paid_nothing_does_not_refuse_runs(project, stop_improvement, command):
    stop_improvement(Ledger, "record", 1)
    assert command("run", "greeter", "--apply", "none", *OPTIONS)[0] == 0


def test_edits_in_a_file_that_the_user_edited_count_as_applied(project, stop_improvement, command):
    original_method = Workspace.apply

    def apply_edit_and_stop(workspace, *args):
        original_method(workspace, *args)
        skill = project / "greeter" / "SKILL.md"
        skill.write_text(skill.read_text().replace(RULE, f"{RULE}\nMine, too."))
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Workspace, "apply", apply_edit_and_stop)
        patch.setattr(Workspace, "_recover", lambda *_: [])
        folder = stop_improvement(StateStore, "save", 1_000_000)
    code, out, err = command("resume")
    assert (code, read_text(project).count(RULE), read_text(project).count("Mine, too.")) == (0, 1, 1)
    assert "improved: 1 edit applied" in out, err
    assert read_state(command("status", folder.name, "--format", "json")[1])["stage"] == "applied"
