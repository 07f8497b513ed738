"""Test that an improvement continues after a kill at any point: same result, no double payment, within the limit."""

import json
from collections import Counter
from pathlib import Path

import pytest

from orchestrator.fs.durable import build_temp_name
from orchestrator.run.store import StateStore
from orchestrator.tuning.improve.store import ImprovementStore
from orchestrator.tuning.trial.ledger import Ledger
from tests.orchestrator.tuning.improve.conftest import RULE, Model, read_state, write_tasks

IMPROVE_OPTIONS = ("--max-cost-usd", "60", "--exam-runs", "3", "--practice-runs", "2", "--format", "json", "--quiet")


class KillSimulation(KeyboardInterrupt):
    """An exception that simulates a kill of the command."""


class Killer:
    """Kill the command before and after every nth call of a method that writes, once at each point.

    Calls are counted from the start of each command if it repeats the same work, otherwise over all commands.
    """

    def __init__(self, nth, *, counts_per_command):
        self.nth, self.counts_per_command = nth, counts_per_command
        self.calls = 0
        self.points: set[tuple[int, str]] = set()

    def wrap(self, original_method):
        def write(store, *args, **kwargs):
            self.calls += 1
            self.kill_if_due("before")
            result = original_method(store, *args, **kwargs)
            self.kill_if_due("after")
            return result

        return write

    def kill_if_due(self, moment):
        point = (self.calls, moment)
        if self.calls % self.nth == 0 and point not in self.points:
            self.points.add(point)
            self.calls = 0 if self.counts_per_command else self.calls - (moment == "before")
            raise KillSimulation(moment)


@pytest.fixture
def killer(monkeypatch):
    """Return a function that installs a killer for a method of a class."""

    def install_killer(owner, name, nth=1, *, counts_per_command=False):
        new_killer = Killer(nth, counts_per_command=counts_per_command)
        monkeypatch.setattr(owner, name, new_killer.wrap(getattr(owner, name)))
        return new_killer

    return install_killer


INTERRUPTED = 130


def run_until_done(command, *arguments):
    """Repeat a command until no kill stops it; return its exit code, its output and the number of kills."""
    for kills in range(400):
        code, out, err = command(*arguments)
        if code != INTERRUPTED:
            return code, out, kills
    raise AssertionError(f"the command never ends: {err}")


def list_records(state):
    return [json.loads(line) for line in (Path(state["folder"]) / "ledger.jsonl").read_text().splitlines()]


@pytest.mark.parametrize(
    ("owner", "name", "nth", "counts_per_command"),
    [(ImprovementStore, "save", 1, False), (Ledger, "record", 7, False), (StateStore, "save", 1, True)],
)
def test_killed_improvement_continues_and_pays_nothing_twice(
    project, play, killer, command, owner, name, nth, counts_per_command
):
    model = Model()
    play(model)
    installed_killer = killer(owner, name, nth, counts_per_command=counts_per_command)
    tasks = write_tasks(project, 8)
    _, _, kills = run_until_done(command, "improve", "greeter", "--tasks", tasks, *IMPROVE_OPTIONS)
    (folder,) = (project / ".workflow" / "skill-improvements").glob("*-greeter")
    state = read_state(command("status", folder.name, "--format", "json")[1])
    assert state["stage"] == "applied", state["why"]
    assert kills >= 5, installed_killer.points
    assert (project / "greeter" / "SKILL.md").read_text().count(RULE) == 1
    records = list_records(state)
    reserved_runs = Counter(tuple(record["run"]) for record in records if record["event"] == "held")
    assert set(reserved_runs.values()) == {1}
    ended: set[tuple[str, ...]] = set()
    for record in records:
        key = tuple(record["run"])
        assert record["event"] not in ("began", "held") or key not in ended, f"{key} was paid twice"
        ended |= {key} if record["event"] == "held" else set()
    assert state["usd"] <= 60
    stages = [moment["stage"] for moment in state["walk"]]
    assert stages == sorted(set(stages), key=stages.index)
    prompts = {task["name"]: task["prompt"] for task in json.loads(Path(tasks).read_text())["tasks"]}
    assert not [name for name in state["exam_tasks"] for prompt in model.prompts if prompts[name] in prompt]


def test_killed_improvement_is_resumed_by_name_or_as_the_newest(project, play, killer, command):
    play(Model())
    killer(ImprovementStore, "save")
    arguments = ("improve", "greeter", "--tasks", write_tasks(project, 8), *IMPROVE_OPTIONS)
    assert [command(*arguments)[0] for _ in range(6)] == [INTERRUPTED] * 6
    (folder,) = (project / ".workflow" / "skill-improvements").glob("*-greeter")
    temp_file = folder / build_temp_name("improvement.json")
    temp_file.write_text("{")
    for command_line in (("resume", "--quiet"), ("resume", folder.name, "--quiet")) * 20:
        code, _, err = command(*command_line)
        if code != INTERRUPTED:
            break
    assert code == 0, err
    assert "improved: 1 edit applied" in command("resume", folder.name)[1]  # An improvement that has ended is shown.
    assert not temp_file.exists()


def test_improvement_killed_before_its_run_is_named_and_finished(project, play, killer, command):
    play(Model())
    skill = project / "greeter" / "SKILL.md"
    before = skill.read_text()
    installed_killer = killer(StateStore, "create")
    assert command("improve", "greeter", "--tasks", write_tasks(project, 8), *IMPROVE_OPTIONS)[0] == INTERRUPTED
    (folder,) = (project / ".workflow" / "skill-improvements").glob("*-greeter")
    for command_line in (("status",), ("report",), ("run", "greeter", "--judge", "none", "--apply", "all", "--quiet")):
        code, _, err = command(*command_line)
        assert (code, skill.read_text()) == (2, before)
        assert f"improvement {folder.name} was stopped while applying its edits" in err
        assert f"`tune-skill resume {folder.name}`" in err
    assert run_until_done(command, "resume", "--quiet")[0] == 0
    assert skill.read_text().count(RULE) == 1
    installed_killer.nth = 10_000
    assert command("run", "greeter", "--judge", "none", "--apply", "none", "--quiet")[0] == 0


def test_resume_refuses_changed_tasks(project, play, killer, command):
    play(Model())
    killer(ImprovementStore, "save")
    tasks = write_tasks(project, 8)
    arguments = ("improve", "greeter", "--tasks", tasks, *IMPROVE_OPTIONS)
    assert [command(*arguments)[0] for _ in range(6)] == [INTERRUPTED] * 6
    write_tasks(project, 8, seconds=61)
    code, _, err = command("resume", "--quiet")
    assert code == 2
    assert "a task changed since it began" in err


def test_state_that_names_another_skill_or_work_dir_is_refused(project, play, killer, command):
    play(Model())
    installed_killer = killer(ImprovementStore, "save")
    arguments = ("improve", "greeter", "--tasks", write_tasks(project, 8), *IMPROVE_OPTIONS)
    file = None
    while file is None or not json.loads(file.read_text())["run"]:
        assert command(*arguments)[0] == INTERRUPTED, installed_killer.points
        file = next((project / ".workflow" / "skill-improvements").glob("*/improvement.json"), None)
    state = json.loads(file.read_text())
    (project / "other").mkdir()
    (project / "other" / "SKILL.md").write_text((project / "greeter" / "SKILL.md").read_text())
    installed_killer.nth = 10_000
    file.write_text(json.dumps({**state, "path": str(project / "other")}))
    code, _, err = command("resume", "--quiet")
    assert code == 2
    assert "but it was created for" in err
    file.write_text(json.dumps({**state, "run": str(project / "other")}))
    assert command("resume", state["id"], "--quiet")[0] == 0
    assert [path.name for path in (project / "other").iterdir()] == ["SKILL.md"]


def test_improvement_of_a_clone_is_not_continued(project, play, killer, command, monkeypatch):
    player = play(Model())
    killer(ImprovementStore, "save")
    arguments = ("improve", "greeter", "--tasks", write_tasks(project, 8), *IMPROVE_OPTIONS)
    assert [command(*arguments)[0] for _ in range(6)] == [INTERRUPTED] * 6
    (folder,) = (project / ".workflow" / "skill-improvements").glob("*-greeter")
    paid = len(player.sessions)
    monkeypatch.setenv("XDG_STATE_HOME", str(project / "another-user"))
    assert command("resume", folder.name, "--quiet")[0] == 2
    assert len(player.sessions) == paid
