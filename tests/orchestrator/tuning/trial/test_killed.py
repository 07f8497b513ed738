"""Test that a killed trial continues, pays for nothing twice and leaves no processes or files."""

import os
import signal
import subprocess
import time
from datetime import UTC, datetime

import pytest

from benchmarks.paid_kills import build_trial, kill_repeatedly
from orchestrator.fs import durable
from orchestrator.model.agent import Session
from orchestrator.tuning.trial import sandbox
from orchestrator.tuning.trial.change_guard import ChangeGuard
from orchestrator.tuning.trial.conduct import plan_trial
from orchestrator.tuning.trial.consent import build_request
from orchestrator.tuning.trial.folders import FOLDER, create_folder
from orchestrator.tuning.trial.ledger import Key, Ledger
from orchestrator.tuning.trial.leftovers import remove_leftovers
from orchestrator.tuning.trial.sandbox import choose_folder, create_bare_sandbox, create_sandbox
from orchestrator.tuning.trial.trial import Trial
from schemas.codec import to_json
from tests.orchestrator.tuning.trial.conftest import list_processes, write_tasks


@pytest.mark.slow
def test_killed_trial_continues_and_pays_nothing_twice(tmp_path):
    report = kill_repeatedly(build_trial(tasks=1, runs=2, asks=False), tmp_path / "k", kills=1, seed=7)
    assert report.kills == 1
    assert report.left == []
    assert report.twice == []
    assert report.events["held"] == report.events["graded"] == 4
    assert (report.result["before"]["succeeded"], report.result["after"]["succeeded"]) == (0, 2)


def start_with_killed_supervisor(created_sandbox, task):
    """Start a program as Claude Code is started for a run, and kill only its supervisor."""
    supervisor = subprocess.Popen([created_sandbox.write_launcher("/bin/sleep", task), "1000"])
    while not list_processes(created_sandbox.base.parent):  # This lists programs of the run, not the supervisor.
        time.sleep(0.02)
    os.kill(supervisor.pid, signal.SIGKILL)
    supervisor.wait()


def test_continued_trial_removes_sandboxes_and_counts_the_cost(project, api, tmp_path):
    plan = plan_trial("greeter", "old", write_tasks(project, 1), rounds=2, max_cost_usd=5.0, jobs=1, model="")
    unpaid_sandbox, paid_sandbox = (
        create_sandbox(choose_folder(), plan.tasks[0], plan.after, plan.name) for _ in range(2)
    )
    start_with_killed_supervisor(unpaid_sandbox, plan.tasks[0])
    with Ledger.open(tmp_path / "trial") as ledger:
        paid = Key("greet-0", 1, "after")
        for key, created_sandbox in ((Key("greet-0", 1, "before"), unpaid_sandbox), (paid, paid_sandbox)):
            ledger.record("began", key, 1.0, folder=str(created_sandbox.base))
        ledger.record(
            "held", paid, 4.5, folder=str(paid_sandbox.base), session=to_json(Session(answer="Hello, please."))
        )
        guard = ChangeGuard(plan.subject, build_request(plan.tasks, (plan.before, plan.after)), "allow it")
        Trial(plan, tmp_path / "trial", ledger, print, guard).run()
    assert not list_processes(tmp_path / "temp")
    assert not unpaid_sandbox.base.exists()
    assert not paid_sandbox.base.exists()
    assert ledger.graded.keys() == {paid}  # The limit does not allow another run.
    assert ledger.graded[paid]["passed"] is True


def test_sandboxes_of_a_killed_trial_are_removed_without_resume(project, api):
    folder = create_folder(project / "greeter", datetime(2026, 11, 28, tzinfo=UTC), {"key": "a"})
    unpaid_sandbox, paid_sandbox = (create_bare_sandbox(choose_folder(), ()) for _ in range(2))
    killed_key, paid_key = Key("one", 1, "before"), Key("one", 1, "after")
    with Ledger.open(folder) as ledger:
        for key, created_sandbox in ((killed_key, unpaid_sandbox), (paid_key, paid_sandbox)):
            ledger.record("began", key, 1.0, folder=str(created_sandbox.base))
        ledger.record("held", paid_key, 0.5, folder=str(paid_sandbox.base), session={})
        remove_leftovers(print)
        assert unpaid_sandbox.base.exists()  # The trial is running.
    remove_leftovers(print)
    assert not unpaid_sandbox.base.exists()
    assert paid_sandbox.base.exists()  # The paid run is graded in it.
    with Ledger.open(folder) as ledger:
        assert (ledger.started, ledger.spent) == ({}, 0.5 + 0.25)
        ledger.record("graded", paid_key, 0.0)
    remove_leftovers(print)
    assert not paid_sandbox.base.exists()


@pytest.mark.parametrize("kind", [FOLDER, ".workflow/skill-improvements", ".workflow/skill-triggers"])
def test_sandboxes_of_each_kind_of_killed_command_are_removed(project, api, kind):
    folder = create_folder(project / "greeter", datetime(2026, 11, 28, tzinfo=UTC), {"key": "a"}, kind)
    run, query, recent_sandbox, old_sandbox = (create_bare_sandbox(choose_folder(), ()) for _ in range(4))
    os.utime(old_sandbox.base, (0, 0))
    with Ledger.open(folder) as ledger:
        ledger.record("began", Key("one", 1, "x"), 1.0, folder=str(run.base))
        ledger.record("began", Key("question", 1, "y"), 1.0, folder=str(query.base), is_query=True)
        for number, created_sandbox in enumerate((recent_sandbox, old_sandbox)):
            ledger.record("began", Key("paid", number, "x"), 1.0, folder=str(created_sandbox.base))
            ledger.record("held", Key("paid", number, "x"), 0.5, folder=str(created_sandbox.base), session={})
    remove_leftovers(print)
    assert [created_sandbox.base.exists() for created_sandbox in (run, query, recent_sandbox, old_sandbox)] == [
        False,
        False,
        True,
        False,
    ]
    with Ledger.open(folder) as ledger:
        assert (ledger.started, ledger.spent) == ({}, 0.25 + 1.0 + 2 * 0.5)
        assert len(ledger.finished) == 2  # Neither is paid again.
        ledger.record("graded", Key("paid", 0, "x"), 0.0)
    remove_leftovers(print)
    assert not recent_sandbox.base.exists()


def test_trial_can_continue_while_its_old_sandbox_is_removed(project, api, monkeypatch):
    folder = create_folder(project / "greeter", datetime(2026, 11, 28, tzinfo=UTC), {"key": "a"})
    old_sandbox, open_times = create_bare_sandbox(choose_folder(), ()), list[float]()
    with Ledger.open(folder) as ledger:
        ledger.record("began", Key("one", 1, "x"), 1.0, folder=str(old_sandbox.base))
    remove = sandbox.shutil.rmtree

    def remove_slowly(*args, **options):
        with Ledger.open(folder, patience=0.0) as ledger:
            open_times.append(ledger.spent)
        remove(*args, **options)

    monkeypatch.setattr(sandbox.shutil, "rmtree", remove_slowly)
    remove_leftovers(print)
    assert (open_times[:1], old_sandbox.base.exists()) == ([0.25], False)


def test_sandboxes_that_cannot_be_removed_are_named_at_once(project, api, monkeypatch):
    folder = create_folder(project / "greeter", datetime(2026, 11, 28, tzinfo=UTC), {"key": "a"})
    old_sandboxes = [create_bare_sandbox(choose_folder(), ()) for _ in range(2)]
    with Ledger.open(folder) as ledger:
        for number, created_sandbox in enumerate(old_sandboxes):
            ledger.record("began", Key("one", number, "x"), 1.0, folder=str(created_sandbox.base))
    messages = []
    with monkeypatch.context() as patch:  # This stands for files of another user, which tests cannot always create.
        patch.setattr(sandbox.shutil, "rmtree", lambda *_, **__: None)
        start = time.monotonic()
        remove_leftovers(messages.append)
    assert time.monotonic() - start < 5
    (message,) = messages
    assert message.startswith("cannot remove ")
    assert all(str(created_sandbox.base) in message for created_sandbox in old_sandboxes)
    remove_leftovers(messages.append)
    assert (len(messages), [created_sandbox.base.exists() for created_sandbox in old_sandboxes]) == (1, [False, False])


@pytest.mark.parametrize("kind", [".workflow/skill-trials", ".workflow/skill-improvements"])
def test_temp_file_of_a_killed_creation_is_removed(project, kind):
    start_time = datetime(2026, 11, 28, tzinfo=UTC)

    def create():
        return create_folder(project / "greeter", start_time, {"key": "a"}, kind)

    process = os.fork()
    if not process:
        rename = os.replace
        durable.os.replace = lambda source, target, **options: (
            os._exit(9) if target == "plan.json" else rename(source, target, **options)
        )
        create()
    os.waitpid(process, 0)
    (killed_folder,) = project.glob(f"{kind}/*/")
    assert len(list(killed_folder.glob(".tune-skill-*.tmp"))) == 1
    (killed_folder / ".tune-skill-0123456789abcdef.tmp").write_text("mine")
    assert create() != killed_folder
    assert [path.name for path in killed_folder.glob(".tune-skill-*")] == [".tune-skill-0123456789abcdef.tmp"]
