"""Test that neither a fix nor a rollback overwrites edits that were made while a run was stopped."""

import os

import pytest

from orchestrator.fs import durable
from orchestrator.project.skill_reader import read_skill
from orchestrator.run.run import Run
from tests.fakes import SKILL_HEADER, Listener, install_word_catalogue, resume_run, start_run, write_skill

BODY = "Count each FIXABLE on the shore.\nThen read references/more.md.\n"
REFERENCE = "# More\n\nCount each RISKY on the lake.\n"
OWN_TEXT = "My own words.\n"


class InterruptAfterFirstFix(Listener):
    """A user who presses Ctrl-C after the first fix."""

    def step(self, state, action, note):
        super().step(state, action, note)
        if action == "action-apply-fix":
            raise KeyboardInterrupt


@pytest.fixture
def stopped_run(monkeypatch, tmp_path):
    """Stop a run between two fixes: FIX-001 is applied to SKILL.md; FIX-002, for references/more.md, is not."""
    install_word_catalogue(monkeypatch)
    skill, work = write_skill(tmp_path / "plover", BODY, references__more=REFERENCE), tmp_path / "work"
    with pytest.raises(KeyboardInterrupt):
        start_run(skill, work, InterruptAfterFirstFix(), apply="all")
    assert "fixable" in (skill / "SKILL.md").read_text()
    return skill, work


def map_statuses(run):
    return {fix.id: fix.status.value for fix in run.store.state.proposed_fixes}


def roll_back_all(work, *fixes):
    run = Run.open(work, Listener())
    with run.hold():
        run.roll_back(fixes or None)
    return run


def test_fix_is_refused_if_its_file_was_edited_before_a_rollback(stopped_run):
    skill, work = stopped_run
    (skill / "references/more.md").write_text(REFERENCE + OWN_TEXT)
    roll_back_all(work, "FIX-001")
    run = resume_run(work)
    assert map_statuses(run) == {"FIX-001": "rolled_back", "FIX-002": "refused"}
    assert run.store.state.proposed_fixes[1].reason.startswith("a file that the fix changes was edited meanwhile: ")
    assert (skill / "references/more.md").read_text() == REFERENCE + OWN_TEXT
    assert (skill / "SKILL.md").read_text() == SKILL_HEADER + BODY


def test_rollback_without_an_edit_keeps_waiting_fixes_applicable(stopped_run):
    skill, work = stopped_run
    roll_back_all(work, "FIX-001")
    assert map_statuses(resume_run(work)) == {"FIX-001": "rolled_back", "FIX-002": "applied"}
    assert "risky" in (skill / "references/more.md").read_text()


def test_rollback_does_not_adopt_an_edit_beside_the_fix(stopped_run):
    skill, work = stopped_run
    text = (skill / "SKILL.md").read_text() + "\n" * 4 + OWN_TEXT
    (skill / "SKILL.md").write_text(text)
    run = roll_back_all(work, "FIX-001")
    assert (skill / "SKILL.md").read_text() == text.replace("fixable", "FIXABLE")
    assert run.store.state.target_skill.files["SKILL.md"] != read_skill(skill).main.sha256


def _edit_during_write(monkeypatch, path, text):
    """Edit a file after its new content was written to a temporary file and before that is renamed."""
    write_new = durable.write_new

    def write_and_edit(*args, folder=None, **options):
        write_new(*args, folder=folder, **options)
        if folder is not None and os.path.samestat(os.fstat(folder), path.parent.stat()):
            path.write_text(text)

    monkeypatch.setattr(durable, "write_new", write_and_edit)


def test_edit_during_the_write_of_a_fix_is_kept(tmp_path, monkeypatch):
    install_word_catalogue(monkeypatch)
    skill = write_skill(tmp_path / "plover", BODY)
    _edit_during_write(monkeypatch, skill / "SKILL.md", OWN_TEXT)
    run = start_run(skill, tmp_path / "work", Listener(), apply="all")
    assert (skill / "SKILL.md").read_text() == OWN_TEXT
    assert set(map_statuses(run).values()) == {"refused"}
    assert [path.name for path in skill.iterdir()] == ["SKILL.md"]
