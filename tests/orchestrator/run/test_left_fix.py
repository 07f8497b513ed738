"""Test that state, report and journal agree on a fix that a recovery left in a file that was edited since."""

import json

import pytest

from orchestrator.run.run import Run
from orchestrator.run.workspace.workspace import Workspace
from tests.fakes import SKILL_HEADER, Listener, install_word_catalogue, resume_run, start_run, write_skill

BODY = "Count each FIXABLE on the shore.\nThen read references/more.md.\n"
REFERENCE = "# More\n\nCount each RISKY on the lake.\n"
FIXED_BODY = BODY.replace("FIXABLE", "fixable")


@pytest.fixture(params=["killed", "interrupted"])
def run_with_left_fix(request, monkeypatch, tmp_path):
    """Stop a run between the write of its first fix and its verification, and edit a line beside the fix.

    The interrupted run recovers the fix itself, the killed one leaves that to the next command.
    """
    install_word_catalogue(monkeypatch)
    skill, work = write_skill(tmp_path / "plover", BODY, references__more=REFERENCE), tmp_path / "work"
    apply = Workspace.apply

    def apply_and_stop(workspace, *arguments):
        apply(workspace, *arguments)
        (skill / "SKILL.md").write_text(SKILL_HEADER + "Mine.\n" + FIXED_BODY)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(Workspace, "apply", apply_and_stop)
        if request.param == "killed":
            patch.setattr(Workspace, "_recover", lambda *_: [])
        start_run(skill, work, apply="all")
    return skill, work


def read_state(work):
    return json.loads((work / "state.json").read_bytes())


def test_left_fix_is_applied_in_the_state_and_the_report(run_with_left_fix):
    skill, work = run_with_left_fix
    run = resume_run(work)
    state = run.store.state
    assert {fix.id: fix.status.value for fix in state.proposed_fixes} == {"FIX-001": "applied", "FIX-002": "applied"}
    assert [entry.verification_result for entry in state.applied_fixes] == ["pending", "pass"]
    assert not [issue for issue in state.issues if issue.status == "open"]
    assert (skill / "SKILL.md").read_text() == SKILL_HEADER + "Mine.\n" + FIXED_BODY
    assert "FIX-001: applied, but not verified" in (state.final_report or "")
    assert run.list_applied() == ("FIX-001", "FIX-002")


def test_left_fix_is_rolled_back_when_the_edit_is_gone(run_with_left_fix):
    skill, work = run_with_left_fix
    run = resume_run(work)
    with run.hold():
        assert run.roll_back(None).left == {"FIX-001": ("SKILL.md",)}
    (skill / "SKILL.md").write_text(SKILL_HEADER + FIXED_BODY)
    with run.hold():
        assert run.roll_back(None).fixes == ("FIX-001",)
    assert (skill / "SKILL.md").read_text() == SKILL_HEADER + BODY
    state = read_state(work)
    assert {entry["verification_result"] for entry in state["applied_fixes"]} == {"rolled_back"}
    assert {fix["status"] for fix in state["proposed_fixes"]} == {"rolled_back"}


def test_left_fix_is_saved_by_a_rollback_of_the_stopped_run(run_with_left_fix):
    _, work = run_with_left_fix
    run = Run.open(work, Listener())
    with run.hold():
        assert run.list_applied() == ("FIX-001",)
    assert read_state(work)["proposed_fixes"][0]["status"] == "applied"


def test_fix_that_the_edit_undid_is_tried_again(run_with_left_fix):
    skill, work = run_with_left_fix
    (skill / "SKILL.md").write_text(SKILL_HEADER + BODY)
    with Run.open(work, Listener()).hold():
        pass
    assert read_state(work)["proposed_fixes"][0]["status"] in ("selected", "applied")
