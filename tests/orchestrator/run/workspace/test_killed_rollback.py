"""Test rollbacks of fixes that a killed rollback or the user had already undone."""

import json
import stat

import pytest

from orchestrator.run.workspace.workspace import Workspace


def save_verified(bench, *fix_ids):
    """Save a state in which these fixes are applied, so that the killed rollback is undone."""
    fixes = [{"fix_id": id, "verification_result": "pass"} for id in fix_ids]
    (bench.work / "state.json").write_text(json.dumps({"applied_fixes": fixes}))


def kill_rollback(bench, monkeypatch, method):
    """Roll back all fixes until `method` of the workspace is called, and leave the files as a kill would."""

    def interrupt(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Workspace, method, interrupt)
        patch.setattr(Workspace, "_recover", lambda self, verified: [])
        with pytest.raises(KeyboardInterrupt):
            bench.rollback()


@pytest.fixture
def reworded_file(bench, monkeypatch):
    """Return a file whose added line was moved and reworded after a rollback was killed before it reached the file."""
    path = bench.skill / "phases/two.md"
    bench.apply_fix("FIX-001", bench.modify("phases/two.md", b"old phase\nAllow make.\n"))
    kill_rollback(bench, monkeypatch, "_carry_out")
    path.write_bytes(b"May use make.\nold phase\n")
    return path


def test_undone_rollback_keeps_the_fix_of_an_unreached_file(bench, reworded_file):
    save_verified(bench, "FIX-001")
    assert bench.rollback().left == {"FIX-001": ("phases/two.md",)}
    assert reworded_file.read_bytes() == b"May use make.\nold phase\n"


def test_finished_rollback_names_an_unreached_file(bench, reworded_file):
    with bench.space.hold("run-1") as recovery_notes:
        assert recovery_notes[0].edited == ("phases/two.md",)


@pytest.mark.parametrize("is_finished", [False, True])
def test_line_that_the_user_restored_does_not_count_as_rollback(bench, monkeypatch, is_finished):
    bench.apply_edit("FIX-001", "phases/one.md", b"step 3\nstep 4\nstep 5\n", b"")
    kill_rollback(bench, monkeypatch, "_carry_out")
    edited_text = bench.read("phases/one.md").replace(b"step 2\n", b"step 2\nstep 4\n")
    (bench.skill / "phases/one.md").write_bytes(edited_text)
    if is_finished:
        with bench.space.hold("run-1") as recovery_notes:
            assert recovery_notes[0].edited == ("phases/one.md",)
    else:
        save_verified(bench, "FIX-001")
        assert bench.rollback().left == {"FIX-001": ("phases/one.md",)}
    assert bench.read("phases/one.md") == edited_text


def test_finished_rollback_that_reached_a_file_keeps_later_edits(bench, monkeypatch):
    original = bench.read("phases/one.md")
    bench.apply_edit("FIX-001", "phases/one.md", b"step 3\nstep 4\nstep 5\n", b"")
    kill_rollback(bench, monkeypatch, "close")
    (bench.skill / "phases/one.md").write_bytes(original + b"mine\n")
    with bench.space.hold("run-1") as recovery_notes:
        assert recovery_notes[0].edited == ()
    assert bench.space.list_applied_fixes() == ()
    assert bench.read("phases/one.md") == original + b"mine\n"


def test_finished_rollback_names_a_file_created_again(bench, monkeypatch):
    bench.apply_fix("FIX-001", bench.delete("phases/two.md"))
    kill_rollback(bench, monkeypatch, "_carry_out")
    (bench.skill / "phases/two.md").write_bytes(b"mine\n")
    with bench.space.hold("run-1") as recovery_notes:
        assert recovery_notes[0].edited == ("phases/two.md",)


@pytest.mark.parametrize("first", ["FIX-001", "FIX-002", "FIX-003"])
def test_edits_after_a_killed_rollback_prevent_no_later_rollback(bench, monkeypatch, first):
    """The killed rollback has reached both files, and the recovery undoes it only in the file that no one edited."""
    bench.apply_edit("FIX-001", "phases/one.md", b"step 3\n", b"step three\n")
    bench.apply_edit("FIX-002", "run.sh", b"tide", b"ebb")
    bench.apply_edit("FIX-003", "phases/one.md", b"step 9\n", b"step nine\n")
    save_verified(bench, "FIX-001", "FIX-002", "FIX-003")
    kill_rollback(bench, monkeypatch, "close")
    (bench.skill / "phases/one.md").write_bytes(bench.read("phases/one.md") + b"More.\n")
    expected = bench.snapshot()
    bench.rollback(first)
    assert bench.rollback().left == {}
    assert bench.snapshot() == expected


def test_recovery_keeps_a_mode_that_the_user_set_after_the_kill(bench, monkeypatch):
    bench.apply_edit("FIX-001", "run.sh", b"tide", b"ebb")
    save_verified(bench, "FIX-001")
    kill_rollback(bench, monkeypatch, "close")
    (bench.skill / "run.sh").chmod(0o600)
    bench.rollback()
    assert stat.S_IMODE((bench.skill / "run.sh").stat().st_mode) == 0o600


def test_killed_rollback_can_be_repeated_for_a_named_fix(bench, monkeypatch):
    """The killed rollback has reached the file, and the user edited it elsewhere before the recovery."""
    bench.apply_edit("FIX-001", "phases/one.md", b"step 3\n", b"step three\n")
    save_verified(bench, "FIX-001")
    kill_rollback(bench, monkeypatch, "close")
    edited_text = bench.read("phases/one.md") + b"More.\n"
    (bench.skill / "phases/one.md").write_bytes(edited_text)
    assert bench.rollback("FIX-001").fixes == ("FIX-001",)
    assert bench.read("phases/one.md") == edited_text


@pytest.mark.parametrize("first", ["FIX-001", "FIX-002"])
def test_rollback_changes_nothing_if_the_old_text_is_there(bench, first):
    """Another branch may be checked out. With the first one, both fixes can still be rolled back."""
    original = bench.read("phases/one.md")
    bench.apply_edit("FIX-001", "phases/one.md", b"step 3\n", b"step three\n")
    bench.apply_edit("FIX-002", "phases/one.md", b"step 9\n", b"step nine\n")
    fixed_text = bench.read("phases/one.md")
    (bench.skill / "phases/one.md").write_bytes(original)
    result = bench.rollback(first)
    assert (result.fixes, result.absent, result.made) == ((), (first,), ())
    assert set(bench.rollback().absent) == {"FIX-001", "FIX-002"}
    assert bench.space.list_applied_fixes() == ("FIX-001", "FIX-002")
    assert bench.read("phases/one.md") == original
    (bench.skill / "phases/one.md").write_bytes(fixed_text)
    assert bench.rollback().fixes == ("FIX-001", "FIX-002")
    assert bench.read("phases/one.md") == original
