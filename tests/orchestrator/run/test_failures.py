"""Test runs with failing actions, stopped runs and damaged states."""

import pytest

from actions.steps import table
from actions.steps.outcome import Outcome
from orchestrator.run.case_reader import CaseReader
from orchestrator.run.effects import Effects
from orchestrator.run.run import Run
from orchestrator.run.store import StateStore
from orchestrator.run.workspace.workspace import Workspace
from schemas.vocabulary import Phase
from tests.fakes import Listener, resume_run, start_run, write_skill
from tests.runs import ACTIONS_OF_ROUND, list_actions, map_statuses, read_journal, read_phases, wrap_actions

# errors


class FailingTable:
    """A table of a run that lets an action fail a given number of times."""

    def __init__(self, monkeypatch, name, times, error=None):
        def failing_action(act):
            def fail(state, case, tools):
                if self.left:
                    self.left -= 1
                    raise error or OSError("the disk is sick")
                return act(state, case, tools)

            return fail

        self.left = times
        monkeypatch.setattr(table, "TABLE", wrap_actions(failing_action, name))


@pytest.fixture
def without_strict_mode(monkeypatch):
    monkeypatch.delenv("TUNE_SKILL_STRICT")


def test_action_that_fails_once_is_reported_and_retried(monkeypatch, without_strict_mode, skill, work):
    FailingTable(monkeypatch, "action-diagnose-memory", 1)
    listener = Listener()
    run = start_run(skill, work, listener, apply="all")
    state = run.store.state
    assert (state.phase, state.error_count) == (Phase.COMPLETED, 1)
    assert listener.messages == ["action-diagnose-memory failed: OSError: the disk is sick"]
    assert [(e.action, e.result) for e in state.action_history if "memory" in e.action] == [
        ("action-diagnose-memory", "failure"),
        ("action-diagnose-memory", "success"),
    ]
    assert "the disk is sick" in state.final_report


@pytest.mark.parametrize("name", ["action-init", "action-diagnose-context", "action-propose-fixes", "action-complete"])
def test_action_that_fails_three_times_ends_run_with_a_report(monkeypatch, without_strict_mode, skill, work, name):
    FailingTable(monkeypatch, name, 99)
    run = start_run(skill, work, apply="all")
    state = run.store.state
    assert (state.phase, state.error_count) == (Phase.FAILED, 3)
    assert [e.action for e in state.errors] == [name] * 3
    assert list_actions(run)[-1] == "action-abort"
    assert "**The run failed** after 3 errors." in (work / "report.md").read_text()
    assert read_phases(work)[-1] == "failed"


def test_run_whose_sessions_cannot_be_read_ends_after_three_errors(monkeypatch, without_strict_mode, skill, work):
    def fail(*_):
        raise TypeError("no record")

    monkeypatch.setattr(CaseReader, "_add_sessions", fail)
    run = start_run(skill, work, apply="all")
    assert run.store.state.phase is Phase.FAILED
    assert [e.message.partition(";")[0] for e in run.store.state.errors] == ["TypeError: no record"] * 3


def test_unverified_fix_is_undone_if_the_action_fails(monkeypatch, without_strict_mode, skill, work):
    """The failure occurs after the files are written and before the state is saved."""
    before = (skill / "SKILL.md").read_bytes()
    writes = []

    def apply_and_fail(self, effect):
        self._store(effect.contents)
        self.workspace.apply(effect.fix.id, effect.fix.changes)
        writes.append((skill / "SKILL.md").read_bytes())
        raise OSError("the disk went away")

    monkeypatch.setattr(Effects, "_apply", apply_and_fail)
    run = start_run(skill, work, apply="all")
    assert run.store.state.phase is Phase.FAILED
    assert len(writes) == 3
    assert all(b"fixable" in text for text in writes)
    assert (skill / "SKILL.md").read_bytes() == before
    assert [outcome for _, outcome in read_journal(work)] == ["rolled_back"] * 3
    assert map_statuses(run) == {"FIX-001": "refused"}
    assert "Every fix that was not verified has been rolled back." in run.store.state.final_report


def test_kept_fixes_stay_when_a_later_action_fails(monkeypatch, without_strict_mode, skill, work):
    FailingTable(monkeypatch, "action-complete", 99)
    run = start_run(skill, work, apply="all")
    assert map_statuses(run) == {"FIX-001": "applied"}
    assert "fixable" in (skill / "SKILL.md").read_text()
    workspace = Workspace(skill, work)
    with workspace.hold("r"):
        assert workspace.rollback().fixes == ("FIX-001",)
        workspace.close()
    assert "FIXABLE" in (skill / "SKILL.md").read_text()


def test_strict_run_raises_the_error_of_an_action(monkeypatch, skill, work):
    FailingTable(monkeypatch, "action-verify", 1, ZeroDivisionError("a bug"))
    with pytest.raises(ZeroDivisionError):
        start_run(skill, work, apply="all")
    assert resume_run(work).store.state.phase is Phase.COMPLETED, "the run cannot be resumed"


def test_run_in_a_loop_is_stopped(monkeypatch, skill, work):
    def repeat(act):
        return lambda state, case, tools: Outcome(state, "again")

    monkeypatch.setattr(table, "TABLE", wrap_actions(repeat, "action-verify"))
    with pytest.raises(RuntimeError, match="is in a loop"):
        start_run(skill, work, apply="all")


# resuming


class Stop(BaseException):
    """An exception that simulates the end of the process during a run."""


@pytest.mark.parametrize("number", range(1, 16))
def test_run_stopped_before_any_action_resumes_there(monkeypatch, skill, work, number):
    calls = [number]

    def stop_at_number(act):
        def stop(state, case, tools):
            calls[0] -= 1
            if not calls[0]:
                raise Stop
            return act(state, case, tools)

        return stop

    with monkeypatch.context() as patch:
        patch.setattr(table, "TABLE", wrap_actions(stop_at_number))
        with pytest.raises(Stop):
            start_run(skill, work, apply="all")
    run = resume_run(work)
    assert run.store.state.phase is Phase.COMPLETED
    assert list_actions(run) == [*ACTIONS_OF_ROUND, "action-apply-fix", "action-verify", "action-complete"]
    assert map_statuses(run) == {"FIX-001": "applied"}


def test_run_stopped_before_saving_a_fix_undoes_and_retries_it(monkeypatch, skill, work):
    save = Run._save

    def stop_at_apply(self, state, row):
        if row.action and row.action.name == "action-apply-fix":
            raise Stop
        return save(self, state, row)

    with monkeypatch.context() as patch:
        patch.setattr(Run, "_save", stop_at_apply)
        with pytest.raises(Stop):
            start_run(skill, work, apply="all")
    assert read_journal(work) == [("FIX-001", "rolled_back")]
    assert map_statuses(resume_run(work)) == {"FIX-001": "applied"}


def test_file_edited_during_an_undo_is_in_reason_and_notes(monkeypatch, tmp_path, work):
    skill = write_skill(tmp_path / "plover", "A white UNREAD on the roof.\n")
    undo = Workspace.undo

    def edit_and_undo(self):
        (skill / "node_modules" / "unread.md").write_text("mine")
        return undo(self)

    monkeypatch.setattr(Workspace, "undo", edit_and_undo)
    state = start_run(skill, work, apply="all").store.state
    reason = "not undone, because of edits in node_modules/unread.md"
    assert state.proposed_fixes[0].reason.endswith(reason)
    assert state.applied_fixes[0].reason.endswith(reason)
    assert state.notes[-1] == f"FIX-001: {reason}"
    assert (skill / "node_modules" / "unread.md").read_text() == "mine"


def test_damaged_state_is_reported_and_the_last_good_one_used(skill, work):
    start_run(skill, work, apply="ask")
    (work / "state.json").write_bytes(b"{")
    listener = Listener(can_ask=True, choice=("FIX-001",))
    run = resume_run(work, listener)
    (message,) = [s for s in listener.messages if "is damaged" in s]
    assert "set aside as state.json.damaged-" in message
    assert run.store.state.phase is Phase.COMPLETED
    assert "is damaged" in run.store.state.final_report.replace("\\", "")


def test_run_finished_by_another_process_is_not_repeated(skill, work):
    start_run(skill, work, apply="ask")
    second_process = Run.open(work, Listener(can_ask=True, choice=()))
    resume_run(work, Listener(can_ask=True, choice=("FIX-001",)))
    with second_process.hold():
        second_process.drive()
    assert map_statuses(second_process) == {"FIX-001": "applied"}
    assert StateStore(work).load() == second_process.store.state
