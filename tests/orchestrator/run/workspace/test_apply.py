"""Test that a fix is applied completely or not at all, and can be undone byte for byte."""

import errno
import os
import stat
from pathlib import Path

import pytest
from msgspec.structs import replace

from orchestrator.errors import Refused, StateDamaged, TuneSkillError
from schemas.records import ChangeMade, FileChange


def test_apply_returns_the_changes_made(bench):
    new = bench.read("SKILL.md").replace(b"Count", b"Count and name")
    changes = [bench.delete("phases/two.md"), bench.modify("SKILL.md", new), bench.create("a/b/c.md", b"deep", 0o640)]
    space = bench.space
    with space.hold("run-1") as recovery_notes:
        changes_made = space.apply("FIX-001", changes)
        space.close()
    assert recovery_notes == ()
    assert bench.read("SKILL.md") == new
    assert bench.read("a/b/c.md") == b"deep"
    assert not (bench.skill / "phases/two.md").exists()
    assert [(m.file, m.action) for m in changes_made] == [
        ("phases/two.md", "delete"),
        ("SKILL.md", "modify"),
        ("a/b/c.md", "create"),
    ]
    assert changes_made[2] == ChangeMade("a/b/c.md", "create", 0o640, None, changes[2].sha256_after)
    assert stat.S_IMODE((bench.skill / "a/b/c.md").stat().st_mode) == 0o640


def test_apply_creates_first_and_deletes_last(bench, monkeypatch):
    order = []
    replace, unlink = os.replace, os.unlink
    monkeypatch.setattr(os, "replace", lambda a, b, **k: (order.append(Path(b).name), replace(a, b, **k)))
    monkeypatch.setattr(os, "unlink", lambda a, **k: (order.append(Path(a).name), unlink(a, **k)))
    space = bench.space
    changes = [bench.delete("phases/two.md"), bench.modify("run.sh", b"x"), bench.create("z.md", b"y")]
    with space.hold("run-1"):
        space.apply("FIX-001", changes)
        space.undo()
    order_of_apply = ["z.md", "run.sh", "two.md"]
    assert [name for name in order if name in order_of_apply] == order_of_apply + order_of_apply[::-1]


def test_undo_restores_bytes_modes_files_and_folders(bench):
    before = bench.snapshot()
    space = bench.space
    with space.hold("run-1"):
        changes = [
            bench.modify("run.sh", b"echo ebb\n"),
            bench.modify("SKILL.md", b"short"),
            bench.create("a/b/c.md", b"deep"),
            bench.create("empty/new.md", b"x"),
            bench.delete("phases/two.md"),
        ]
        space.apply("FIX-001", changes)
        assert stat.S_IMODE((bench.skill / "run.sh").stat().st_mode) == 0o751
        assert space.undo() == ()
    assert bench.snapshot() == before


def test_undo_keeps_all_files_if_one_was_edited(bench):
    space = bench.space
    with space.hold("run-1"):
        space.apply("FIX-001", [bench.modify("run.sh", b"echo ebb\n"), bench.modify("phases/two.md", b"new\n")])
        (bench.skill / "run.sh").write_bytes(b"echo mine\n")
        assert space.undo() == ("run.sh",)
    assert bench.read("run.sh") == b"echo mine\n"
    assert bench.read("phases/two.md") == b"new\n"
    assert b'"edited":["run.sh","phases/two.md"]' in (bench.work / "journal.jsonl").read_bytes()


def test_undo_keeps_a_created_folder_with_another_file(bench):
    space = bench.space
    with space.hold("run-1"):
        space.apply("FIX-001", [bench.create("a/b.md", b"x")])
        (bench.skill / "a/mine.md").write_bytes(b"mine")
        assert space.undo() == ()
    assert [path.name for path in (bench.skill / "a").iterdir()] == ["mine.md"]


def resolve_path(name, folder):
    """Return the path of a name in an open folder."""
    return str(name) if folder is None else str(Path(f"/proc/self/fd/{folder}").readlink() / name)


@pytest.mark.parametrize("name", ["replace", "unlink", "mkdir"])
def test_apply_on_a_failing_disk_leaves_the_skill_unchanged(bench, monkeypatch, name):
    before = bench.snapshot()
    original_call = getattr(os, name)
    calls_before_failure = [1]

    def fail_once(path, *args, **kwargs):
        target = resolve_path(args[0] if name == "replace" else path, kwargs.get("dst_dir_fd"))
        if target.startswith(str(bench.skill)) and "tune-skill-" not in target and calls_before_failure:
            calls_before_failure.pop()
            raise OSError(errno.ENOSPC, "No space left on device")
        return original_call(path, *args, **kwargs)

    space = bench.space
    changes = [
        bench.create("a.md", b"1"),
        bench.create("new/b.md", b"2"),
        bench.modify("run.sh", b"3"),
        bench.delete("phases/two.md"),
    ]
    with space.hold("run-1"):
        monkeypatch.setattr(os, name, fail_once)
        with pytest.raises(TuneSkillError, match="No space left"):
            space.apply("FIX-001", changes)
        assert not calls_before_failure
        assert bench.snapshot() == before
        space.apply("FIX-002", changes)
        space.close()
    assert bench.read("run.sh") == b"3"


def test_apply_without_stored_contents_writes_nothing(bench):
    before = bench.snapshot()
    space = bench.space
    change = FileChange("new.md", "create", "", None, "0" * 64)
    with space.hold("run-1"), pytest.raises(StateDamaged, match="missing or damaged"):
        space.apply("FIX-001", [bench.create("other.md", b"x"), change])
    assert bench.snapshot() == before


def test_get_rejects_a_damaged_blob_and_store_repairs_it(bench):
    name = bench.space.store(b"contents")
    (bench.work / "blobs" / name).write_bytes(b"contentz")
    with pytest.raises(StateDamaged):
        bench.space.get(name)
    assert bench.space.store(b"contents") == name
    assert bench.space.get(name) == b"contents"


def test_apply_requires_hold(bench):
    with pytest.raises(RuntimeError, match="call `hold` before"):
        bench.space.apply("FIX-001", [bench.create("a.md", b"x")])
    assert not (bench.skill / "a.md").exists()


def test_apply_requires_the_last_change_to_be_closed(bench):
    space = bench.space
    with space.hold("run-1"):
        space.apply("FIX-001", [bench.create("a.md", b"x")])
        with pytest.raises(RuntimeError, match="neither closed nor undone"):
            space.apply("FIX-002", [bench.create("b.md", b"x")])
        space.close()
    assert not (bench.skill / "b.md").exists()


def test_hold_undoes_an_open_change_at_its_end(bench):
    before = bench.snapshot()
    space = bench.space
    with pytest.raises(ZeroDivisionError), space.hold("run-1"):
        space.apply("FIX-001", [bench.modify("run.sh", b"x"), bench.create("a/b.md", b"x")])
        raise ZeroDivisionError
    assert bench.snapshot() == before


def test_apply_refuses_a_rename_where_both_names_are_one_file(bench):
    (bench.skill / "SKILL.MD").hardlink_to(bench.skill / "SKILL.md")  # As on a file system that ignores case.
    before, space = bench.snapshot(), bench.space
    changes = [bench.delete("SKILL.md"), bench.create("SKILL.MD", bench.read("SKILL.md"))]
    with space.hold("run-1"), pytest.raises(Refused, match=r"on this file system; rename SKILL\.md with `git mv`"):
        space.apply("FIX-001", changes)
    assert bench.snapshot() == before


def test_apply_makes_a_file_executable_for_those_who_may_read_it(bench):
    (bench.skill / "run.sh").chmod(0o640)
    before, space = bench.snapshot(), bench.space
    change = replace(bench.modify("run.sh", bench.read("run.sh")), mode=0o755)
    with space.hold("run-1"):
        (changes_made,) = space.apply("FIX-001", [change])
        assert (changes_made.mode, bench.snapshot()["run.sh"][0]) == (0o750, 0o750)
        space.undo()
    assert bench.snapshot() == before


def test_renamed_file_keeps_its_mode(bench):
    (bench.skill / "SKILL.md").chmod(0o600)
    before = bench.snapshot()
    bench.apply_fix("FIX-001", bench.delete("SKILL.md"), bench.create("NEW.md", bench.read("SKILL.md")))
    assert bench.snapshot()["NEW.md"] == before["SKILL.md"]
    bench.rollback()
    assert bench.snapshot() == before
