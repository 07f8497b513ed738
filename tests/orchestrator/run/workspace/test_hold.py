"""Test that a skill has one writer, which first recovers what a killed run left."""

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from orchestrator.errors import Busy, StateDamaged, WriteFailed
from orchestrator.fs.durable import build_temp_name
from orchestrator.run.workspace.journal import Journal
from orchestrator.run.workspace.pending import find_pending
from orchestrator.run.workspace.registry import get_registry_file
from orchestrator.run.workspace.workspace import Workspace
from schemas.codec import to_json

ROOT = str(Path(__file__).parents[4])

HOLDING_PROGRAM = """
import sys
from pathlib import Path
from orchestrator.run.workspace.workspace import Workspace
with Workspace(Path(sys.argv[1]), Path(sys.argv[2])).hold("run-first"):
    print("held", flush=True)
    sys.stdin.read()
"""

APPLYING_PROGRAM = """
import json, os, sys
from pathlib import Path
from orchestrator.run.workspace.workspace import Workspace
from schemas.codec import from_json
from schemas.records import FileChange
space = Workspace(Path(sys.argv[1]), Path(sys.argv[2]))
with space.hold("run-1"):
    space.apply("FIX-001", [from_json(FileChange, change) for change in json.loads(sys.argv[3])])
    os._exit(0)
"""

ROLLBACK_PROGRAM = """
import os, sys
from pathlib import Path
from orchestrator.run.workspace.workspace import Workspace
space = Workspace(Path(sys.argv[1]), Path(sys.argv[2]))
with space.hold("run-1"):
    space.rollback()
    os._exit(0)
"""


KILLED_STORE = """
import os, sys
from pathlib import Path
from orchestrator.run.workspace.workspace import Workspace
os.replace = lambda *_, **__: os._exit(0)
os.mkdir(Path(sys.argv[2]))
os.mkdir(Path(sys.argv[2], "blobs"))
Path(sys.argv[2], "blobs", ".gitignore").write_text("*")
Workspace(Path(sys.argv[1]), Path(sys.argv[2])).store(b"contents")
"""

KILLED_WRITER = """
import os, sys
from pathlib import Path
from orchestrator.run.workspace.workspace import Workspace
space = Workspace(Path(sys.argv[1]), Path(sys.argv[2]))
def die(source, target, **options):
    if target == "run.sh":
        os._exit(0)
    rename(source, target, **options)
with space.hold("run-1"):
    rename, os.replace = os.replace, die
    space.rollback()
"""


def run_child(program, bench, *arguments):
    subprocess.run([sys.executable, "-c", program, str(bench.skill), str(bench.work), *arguments], cwd=ROOT, check=True)


def die_in_apply(bench, *changes):
    """Leave the skill as a killed process would: applied, not verified, not closed."""
    run_child(APPLYING_PROGRAM, bench, json.dumps(to_json(changes)))


def die_in_rollback(bench):
    """Leave the skill as a process that was killed between two files of a rollback would."""
    bench.apply_fix("FIX-001", bench.modify("run.sh", b"x"), bench.modify("phases/two.md", b"y"))
    run_child(ROLLBACK_PROGRAM, bench)
    (bench.skill / "run.sh").write_bytes(b"x")


def save_state(work, name="state.json", **results):
    fixes = [{"fix_id": fix.replace("_", "-"), "verification_result": result} for fix, result in results.items()]
    work.mkdir(exist_ok=True)
    (work / name).write_text(json.dumps({"applied_fixes": fixes}))


def start_holder(bench):
    command = [sys.executable, "-c", HOLDING_PROGRAM, str(bench.skill), str(bench.work)]
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT, text=True)
    assert child.stdout.readline() == "held\n"
    return child


def test_hold_names_the_run_that_holds_the_skill(bench, tmp_path):
    with start_holder(bench) as child:
        with pytest.raises(Busy) as error_info, Workspace(bench.skill, tmp_path / "other").hold("run-second"):
            pass
        for expected_text in ("run-first", f"pid {child.pid}", str(bench.work)):
            assert expected_text in str(error_info.value)
        assert find_pending(bench.skill).at_work
        child.stdin.close()
    with Workspace(bench.skill, tmp_path / "other").hold("run-second") as recovery_notes:
        assert recovery_notes == ()


def test_hold_succeeds_after_the_holder_was_killed(bench, tmp_path):
    with start_holder(bench) as child:
        child.kill()
    assert find_pending(bench.skill) is None
    with Workspace(bench.skill, tmp_path / "other").hold("run-second"):
        assert find_pending(bench.skill).run_id == "run-second"


def test_hold_treats_a_link_to_the_skill_as_the_skill(bench, tmp_path):
    (tmp_path / "alias").symlink_to(bench.skill)
    with (
        bench.space.hold("run-1"),
        pytest.raises(Busy, match="run-1"),
        Workspace(tmp_path / "alias", tmp_path / "w").hold("run-2"),
    ):
        pass


def test_registry_names_run_and_journal(bench):
    with bench.space.hold("run-1"):
        registry = json.loads(get_registry_file(bench.skill.resolve()).read_bytes())
    assert registry["run_id"] == "run-1"
    assert registry["pid"] == os.getpid()
    assert registry["journal"] == str(bench.work / "journal.jsonl")


def test_hold_recovers_from_the_work_dir_of_a_killed_run(bench, tmp_path):
    before = bench.snapshot()
    die_in_apply(bench, bench.modify("run.sh", b"x"), bench.create("a/b.md", b"y"), bench.delete("phases/two.md"))
    snapshot_after_kill = bench.snapshot()
    pending = find_pending(bench.skill)
    assert pending.run_id == "run-1"
    assert not pending.at_work
    assert "repairs it" in pending.sentence
    assert bench.snapshot() == snapshot_after_kill != before
    with Workspace(bench.skill, tmp_path / "other").hold("run-2") as recovery_notes:
        assert bench.snapshot() == before
    assert "FIX-001" in recovery_notes[0].sentence
    assert "rolled back" in recovery_notes[0].sentence
    assert find_pending(bench.skill) is None


def test_hold_keeps_a_fix_verified_in_the_state(bench, tmp_path):
    die_in_apply(bench, bench.modify("run.sh", b"x"))
    save_state(bench.work, FIX_001="pass")
    with Workspace(bench.skill, tmp_path / "other").hold("run-2") as recovery_notes:
        assert "it is kept" in recovery_notes[0].sentence
    assert bench.read("run.sh") == b"x"
    assert bench.rollback().fixes == ("FIX-001",)


@pytest.mark.parametrize("result", ["pending", "fail", "rolled_back"])
def test_hold_undoes_a_fix_not_verified_in_the_state(bench, result):
    before = bench.snapshot()
    die_in_apply(bench, bench.modify("run.sh", b"x"))
    save_state(bench.work, FIX_001=result)
    with bench.space.hold("run-1") as recovery_notes:
        assert not recovery_notes[0].is_completed
    assert bench.snapshot() == before


def test_hold_undoes_a_rollback_if_the_state_has_the_fix(bench):
    die_in_rollback(bench)
    save_state(bench.work, FIX_001="pass")
    with bench.space.hold("run-1") as recovery_notes:
        assert "undone" in recovery_notes[0].sentence
    assert (bench.read("run.sh"), bench.read("phases/two.md")) == (b"x", b"y")
    assert bench.rollback().fixes == ("FIX-001",)


def test_hold_finishes_a_rollback_if_no_state_has_the_fix(bench):
    before = bench.snapshot()
    die_in_rollback(bench)
    with bench.space.hold("run-1") as recovery_notes:
        assert "finished" in recovery_notes[0].sentence
    assert bench.snapshot() == before
    assert bench.rollback().fixes == ()


def test_hold_reads_the_last_good_state_if_one_is_damaged(bench):
    die_in_apply(bench, bench.modify("run.sh", b"x"))
    save_state(bench.work, name="state.json.last-good", FIX_001="pass")
    (bench.work / "state.json").write_bytes(b'{"applied_fixes": [{"fix_')
    with bench.space.hold("run-1") as recovery_notes:
        assert recovery_notes[0].is_completed


def test_hold_recovers_its_work_dir_without_a_registry(bench):
    before = bench.snapshot()
    die_in_apply(bench, bench.modify("run.sh", b"x"))
    get_registry_file(bench.skill.resolve()).unlink()
    with bench.space.hold("run-1") as recovery_notes:
        assert len(recovery_notes) == 1
    assert bench.snapshot() == before


def test_hold_ignores_a_damaged_registry_file(bench):
    with bench.space.hold("run-1"):
        pass
    get_registry_file(bench.skill.resolve()).write_bytes(b'{"run_id": "r')
    assert find_pending(bench.skill) is None
    with bench.space.hold("run-1") as recovery_notes:
        assert recovery_notes == ()


def test_hold_keeps_and_names_an_edited_file(bench):
    die_in_apply(bench, bench.modify("run.sh", b"x"), bench.delete("phases/two.md"))
    (bench.skill / "run.sh").write_bytes(b"mine")
    with bench.space.hold("run-1") as recovery_notes:
        assert recovery_notes[0].edited == ("run.sh",)
        assert "run.sh" in recovery_notes[0].sentence
    assert bench.read("run.sh") == b"mine"
    assert not (bench.skill / "phases/two.md").exists(), "a fix is undone in all files or in none"
    with bench.space.hold("run-1") as notes_of_second_hold:
        assert notes_of_second_hold == ()


def test_hold_removes_the_temp_file_of_a_killed_writer(bench):
    before = bench.snapshot()
    bench.apply_edit("FIX-001", "run.sh", b"tide", b"ebb")
    run_child(KILLED_WRITER, bench)
    assert list(bench.skill.glob(".tune-skill-*"))
    with bench.space.hold("run-1"):
        pass
    assert bench.snapshot() == before


@pytest.mark.parametrize("name", [".tune-skill-notes.tmp", ".tune-skill-0123456789abcdef.tmp"])
@pytest.mark.parametrize("kind", ["file", "folder", "link"])
def test_hold_keeps_files_of_others_named_like_a_temp_file(bench, name, kind):
    path = bench.skill / name
    {
        "file": lambda: path.write_bytes(b"mine"),
        "folder": path.mkdir,
        "link": lambda: path.symlink_to("SKILL.md"),
    }[kind]()
    before = bench.snapshot()
    die_in_apply(bench, bench.modify("run.sh", b"x"))
    with bench.space.hold("run-1") as recovery_notes:
        assert recovery_notes[0].edited == ()
    assert bench.snapshot() == before


def test_hold_keeps_folders_and_links_named_like_a_temp_file(bench):
    (bench.skill / build_temp_name("run.sh")).mkdir()
    (bench.skill / build_temp_name("run.sh")).symlink_to("SKILL.md")
    (bench.work / "blobs").mkdir(parents=True)
    (bench.work / "blobs" / build_temp_name("blobs")).mkdir()
    before = bench.snapshot()
    die_in_apply(bench, bench.modify("run.sh", b"x"))
    with bench.space.hold("run-1") as recovery_notes:
        assert recovery_notes[0].edited == ()
    assert bench.snapshot() == before


@pytest.mark.parametrize("name", [".tune-skill-notes.tmp", ".tune-skill-0123456789abcdef.tmp"])
def test_hold_ignores_folders_among_the_blobs(bench, name):
    (bench.work / "blobs" / name).mkdir(parents=True)
    bench.apply_edit("FIX-001", "run.sh", b"tide", b"ebb")
    assert bench.rollback().fixes == ("FIX-001",)
    assert (bench.work / "blobs" / name).is_dir()


def test_hold_removes_the_temp_file_of_a_killed_writer_of_blobs(bench):
    run_child(KILLED_STORE, bench)
    assert list((bench.work / "blobs").glob(".tune-skill-*"))
    with bench.space.hold("run-1"):
        pass
    assert not list((bench.work / "blobs").glob(".tune-skill-*"))


def test_hold_fails_if_a_temp_file_cannot_be_removed(bench, monkeypatch):
    before, unlink = bench.snapshot(), os.unlink
    die_in_apply(bench, bench.modify("run.sh", b"x"))
    (bench.skill / build_temp_name("run.sh")).write_bytes(b"half")

    def fail_in_skill(path, *, dir_fd=None):
        if dir_fd is not None and Path(f"/proc/self/fd/{dir_fd}").readlink() == bench.skill:
            raise OSError(errno.EIO, "Input/output error")
        unlink(path, dir_fd=dir_fd)

    monkeypatch.setattr(os, "unlink", fail_in_skill)
    with pytest.raises(WriteFailed, match=r"cannot clean .*: Input/output error"), bench.space.hold("run-1"):
        pass
    monkeypatch.undo()
    with bench.space.hold("run-1") as recovery_notes:
        assert len(recovery_notes) == 1
    assert bench.snapshot() == before


def test_journal_ignores_a_torn_last_line(bench):
    bench.apply_edit("FIX-001", "run.sh", b"tide", b"ebb")
    path = bench.work / "journal.jsonl"
    journal_bytes = path.read_bytes()
    path.write_bytes(journal_bytes + b'{"number": 2, "kind": "app')
    bench.apply_edit("FIX-002", "run.sh", b"ebb", b"flood")
    assert [entry.fixes for entry in Journal(path, bench.skill).read_entries()] == [("FIX-001",), ("FIX-002",)]
    assert path.read_bytes().startswith(journal_bytes)


@pytest.mark.parametrize(
    "line",
    [b"\x00\xff", b"[]", b'{"number": 7, "outcome": "closed", "edited": []}', b"{}", b'{"number": 1, "steps": 3}'],
)
def test_journal_with_a_damaged_line_says_what_to_do(bench, line):
    bench.apply_edit("FIX-001", "run.sh", b"tide", b"ebb")
    path = bench.work / "journal.jsonl"
    path.write_bytes(line + b"\n" + path.read_bytes())
    with (
        pytest.raises(StateDamaged, match=r"journal\.jsonl: line 1 .* move the journal elsewhere"),
        bench.space.hold("run-1"),
    ):
        pass
    assert not find_pending(bench.skill).at_work


def test_hold_reports_an_unwritable_state_home_in_one_line(bench, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(bench.skill / "run.sh"))
    with pytest.raises(WriteFailed, match="a part of the path exists and is not a folder"), bench.space.hold("run-1"):
        pass


def test_inspect_changes_nothing(bench, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "nowhere"))
    assert find_pending(bench.skill) is None
    assert not (tmp_path / "nowhere").exists()


def test_registry_ignores_a_relative_state_home(bench, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", "relative")
    assert get_registry_file(bench.skill).is_relative_to(Path.home() / ".local" / "state")


def test_hold_ignores_journal_entries_of_another_skill(bench, tmp_path):
    die_in_apply(bench, bench.modify("run.sh", b"x"))
    other_skill = tmp_path / "other"
    other_skill.mkdir()
    (other_skill / "run.sh").write_bytes(b"x")
    with Workspace(other_skill, bench.work).hold("run-2") as recovery_notes:
        assert recovery_notes == ()
    assert (other_skill / "run.sh").read_bytes() == b"x"
    with bench.space.hold("run-1") as recovery_notes:
        assert recovery_notes[0].fixes == ("FIX-001",)
    assert bench.read("run.sh") == b"#!/bin/sh\necho tide\n"


@pytest.mark.parametrize("folder_name", ["", "judge", "blobs"])
def test_hold_removes_what_a_killed_run_left_in_its_work_dir(bench, folder_name):
    folder = bench.work / folder_name
    folder.mkdir(parents=True, exist_ok=True)
    temp_file, file_of_user = folder / build_temp_name("blobs"), folder / ".tune-skill-mine.tmp"
    for path in (temp_file, file_of_user):
        path.write_text("half")
        os.utime(path, (0, 0))
    with bench.space.hold("run-2"):
        assert (temp_file.exists(), file_of_user.exists()) == (False, True)
