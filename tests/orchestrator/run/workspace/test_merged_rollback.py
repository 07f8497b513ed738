"""Test the rollback of one merged fix, named by its id, in files that were edited since."""

import pytest
from msgspec.structs import replace

from orchestrator.errors import Refused
from orchestrator.run.workspace.hunks import revert_unedited_lines

FILES_OF_PARTS = {"FIX-001": [["phases/one.md"], ["phases/one.md"], ["phases/two.md"]]}


def roll_back(bench, *fixes):
    space = bench.space
    with space.hold("run-1"):
        result = space.rollback(fixes or None, FILES_OF_PARTS)
        space.close()
    return result


@pytest.fixture
def bench_with_merged_fix(bench):
    old = bench.read("phases/one.md")
    new = old.replace(b"step 10\n", b"step ten\n").replace(b"step 30\n", b"step thirty\n")
    bench.apply_fix("FIX-001", bench.modify("phases/one.md", new), bench.modify("phases/two.md", b"new phase\n"))
    return bench


def replace_in_one(bench, old, new):
    text = bench.read("phases/one.md")
    assert old in text
    (bench.skill / "phases/one.md").write_bytes(text.replace(old, new))


def test_merged_fix_is_rolled_back_if_only_other_lines_were_edited(bench_with_merged_fix):
    replace_in_one(bench_with_merged_fix, b"step 11\n", b"mine\n")
    assert roll_back(bench_with_merged_fix, "FIX-001").left == {}
    text = bench_with_merged_fix.read("phases/one.md")
    assert b"step 10\nThen count all dunlins there.\nmine\n" in text
    assert b"step 30\n" in text
    assert bench_with_merged_fix.read("phases/two.md") == b"old phase\n"
    assert bench_with_merged_fix.space.list_applied_fixes() == ()


def test_merged_fix_with_an_edited_line_is_not_changed(bench_with_merged_fix):
    replace_in_one(bench_with_merged_fix, b"step ten\n", b"mine\n")
    before = bench_with_merged_fix.snapshot()
    with pytest.raises(
        Refused, match=r"phases/one\.md .*text of FIX-001 was changed .*`rollback --all` rolls back its other"
    ):
        roll_back(bench_with_merged_fix, "FIX-001")
    assert bench_with_merged_fix.snapshot() == before
    assert roll_back(bench_with_merged_fix).left == {"FIX-001": ("phases/one.md",)}
    assert b"step 30\n" in bench_with_merged_fix.read("phases/one.md")


@pytest.mark.parametrize(
    ("corrected_text", "own_text", "items"),
    [
        ("Stop.", "Halt.", ["[page](as.md)", "[page](a.md)", "[map](bs.md)"]),
        ("[map](b.md)", "[plan](b.md)", ["[page](as.md)", "[page](a.md)", "[plan](b.md)"]),
        ("Ask.", "Wait.", ["[page](as.md)", "[page](a.md)", "[map](bs.md)"]),
    ],
)
def test_reversal_keeps_an_item_that_equals_a_corrected_one(corrected_text, own_text, items):
    """The corrected item is aligned with the next one of the old text, so that one seems to be removed."""
    old = "# Gulls\n\nAsk.\nRead all of them.\n\n- [page](as.md)\n- [page](a.md)\n- [map](bs.md)\n\nEnd the list here.\nStop.\n"
    new = old.replace("as.md", "a.md").replace("bs.md", "b.md")
    reverted, _ = revert_unedited_lines(old.encode(), new.encode(), new.replace(corrected_text, own_text).encode())
    assert [line[2:] for line in reverted.decode().splitlines() if line.startswith("-")] == items


def test_rollback_of_a_named_fix_says_that_its_file_is_missing(bench):
    bench.apply_edit("FIX-001", "phases/two.md", b"old", b"new")
    (bench.skill / "phases/two.md").rename(bench.skill / "phases/three.md")
    with pytest.raises(Refused, match=r"phases/two\.md is missing, so FIX-001 cannot be rolled back"):
        bench.rollback("FIX-001")


def test_rollback_of_a_merged_fix_leaves_changed_files(bench):
    old, parts = bench.read("phases/one.md"), [["run.sh"], ["phases/two.md"], ["phases/one.md"]]
    mode = replace(bench.modify("run.sh", bench.read("run.sh")), mode=0o755)
    change_of_deleted_file, change_of_kept_file = (
        bench.modify("phases/two.md", b"new phase\n"),
        bench.modify("phases/one.md", b"new\n"),
    )
    bench.apply_fix("FIX-001", mode, change_of_deleted_file, change_of_kept_file)
    (bench.skill / "run.sh").chmod(0o700)
    (bench.skill / "phases/two.md").unlink()
    for _ in range(2):
        space = bench.space
        with space.hold("run-1"):
            result = space.rollback(None, {"FIX-001": parts})
            space.close()
        assert (result.fixes, result.left) == ((), {"FIX-001": ("phases/two.md", "run.sh")})
    assert (bench.read("phases/one.md"), bench.snapshot()["run.sh"][0]) == (old, 0o700)
    assert not (bench.skill / "phases/two.md").exists()


@pytest.mark.parametrize("kind", ["folder", "link", "loop"])
def test_rollback_of_a_merged_fix_ignores_what_is_not_a_skill_file(bench, tmp_path, kind):
    old, path = bench.read("phases/one.md"), bench.skill / "phases/two.md"
    bench.apply_fix("FIX-001", bench.modify("phases/two.md", b"new\n"), bench.modify("phases/one.md", b"new\n"))
    path.unlink()
    (tmp_path / "outside.md").write_bytes(b"old phase\n")
    {
        "folder": path.mkdir,
        "link": lambda: path.symlink_to(tmp_path / "outside.md"),
        "loop": lambda: path.symlink_to(path),
    }[kind]()
    for _ in range(2):
        space = bench.space
        with space.hold("run-1"):
            result = space.rollback(None, {"FIX-001": [["phases/two.md"], ["phases/one.md"]]})
            space.close()
        assert (result.fixes, result.left) == ((), {"FIX-001": ("phases/two.md",)})
    assert bench.read("phases/one.md") == old
    assert (tmp_path / "outside.md").read_bytes() == b"old phase\n"


def test_rollback_of_a_merged_fix_keeps_an_edited_part(bench):
    """The part moves a line to the other file; the user rewords another of its lines."""
    text_of_first, run = bench.read("phases/one.md"), bench.read("run.sh")
    changed_text = text_of_first.replace(b"step 3\n", b"").replace(b"step 20\n", b"step twenty\n")
    change_of_second = bench.modify("phases/two.md", bench.read("phases/two.md") + b"step 3\n")
    bench.apply_fix(
        "FIX-001", bench.modify("phases/one.md", changed_text), change_of_second, bench.modify("run.sh", b"new\n")
    )
    (bench.skill / "phases/one.md").write_bytes(changed_text.replace(b"step twenty\n", b"mine\n"))
    before, space = bench.snapshot(), bench.space
    with space.hold("run-1"):
        result = space.rollback(None, {"FIX-001": [["phases/one.md", "phases/two.md"], ["run.sh"]]})
        space.close()
    assert result.left == {"FIX-001": ("phases/one.md",)}
    assert bench.snapshot() == {**before, "run.sh": (0o751, run)}
