"""Test the rollback of one fix in a file of numbered sections that later fixes have changed, too."""

import pytest

from orchestrator.errors import Refused

FILE = "phases/one.md"
SECTION = (
    "## Phase {}\n\nRead [the guide](guide.md#{}) first.\n\n```js\nTask({{\n  type: {},\n  text: prompt,\n}})\n```\n\n"
)


def build_text(*, type_in_two="purpose", anchor_in_four="setting-up", type_in_five="purpose"):
    types, anchors = {2: type_in_two, 5: type_in_five}, {4: anchor_in_four}
    sections = (SECTION.format(n, anchors.get(n, "setting-up"), types.get(n, "purpose")) for n in range(1, 6))
    return ("# Gulls\n\n" + "".join(sections)).encode()


@pytest.fixture
def bench_with_fixes(bench):
    """Return a bench with three fixes in sections of one form; no other section had the text of the last two fixes."""
    (bench.skill / FILE).write_bytes(
        build_text(type_in_two="purpos", anchor_in_four="seting-up", type_in_five="purose")
    )
    bench.apply_fix("FIX-001", bench.modify(FILE, build_text(anchor_in_four="seting-up", type_in_five="purose")))
    bench.apply_edit("FIX-002", FILE, b"seting-up", b"setting-up")
    bench.apply_edit("FIX-003", FILE, b"purose", b"purpose")
    return bench


def test_older_fix_is_rolled_back_if_only_fixes_changed_the_file(bench_with_fixes):
    bench_with_fixes.rollback("FIX-001")
    assert bench_with_fixes.read(FILE) == build_text(type_in_two="purpos")


def test_older_fix_is_rolled_back_after_another_rollback(bench_with_fixes):
    bench_with_fixes.rollback("FIX-002")
    bench_with_fixes.rollback("FIX-001")
    assert bench_with_fixes.read(FILE) == build_text(type_in_two="purpos", anchor_in_four="seting-up")


def test_older_fix_is_refused_if_a_user_edited_the_file_too(bench_with_fixes):
    (bench_with_fixes.skill / FILE).write_bytes(b"Mine.\n" + bench_with_fixes.read(FILE))
    before = bench_with_fixes.snapshot()
    with pytest.raises(Refused, match="the place of the text of FIX-001 in it is uncertain"):
        bench_with_fixes.rollback("FIX-001")
    assert bench_with_fixes.snapshot() == before


def test_older_fix_is_rolled_back_after_a_fix_that_deleted_a_section(bench_with_fixes):
    """Nobody edited the file, so that each place is known."""
    text = b"## ".join(bench_with_fixes.read(FILE).split(b"## ")[:-1])
    bench_with_fixes.apply_fix("FIX-004", bench_with_fixes.modify(FILE, text))
    bench_with_fixes.rollback("FIX-001")
    sections = build_text(type_in_two="purpos").split(b"## ")
    assert bench_with_fixes.read(FILE) == b"## ".join(sections[:-1])


def build_tasks(*tasks, faulty=""):
    form = "## Step {}\n\n{}\n\n```js\nTask({{\n  type: {},\n  text: prompt,\n}})\n```\n\n"
    steps = (form.format(n, task, "purpos" if task == faulty else "purpose") for n, task in enumerate(tasks, 1))
    return ("# Gulls\n\n" + "".join(steps)).encode()


def test_rollback_notices_each_renumbering_by_later_fixes(bench):
    """FIX-002 deletes the step of FIX-001, and FIX-003 adds another one, so that no number is lost in the end."""
    (bench.skill / FILE).write_bytes(build_tasks("Compare.", "Collect.", "Publish.", "Check.", faulty="Collect."))
    bench.apply_fix("FIX-001", bench.modify(FILE, build_tasks("Compare.", "Collect.", "Publish.", "Check.")))
    bench.apply_fix("FIX-002", bench.modify(FILE, build_tasks("Compare.", "Publish.", "Check.")))
    bench.apply_fix("FIX-003", bench.modify(FILE, build_tasks("Compare.", "Archive.", "Publish.", "Check twice.")))
    before = bench.snapshot()
    with pytest.raises(Refused, match="roll back FIX-002 first"):
        bench.rollback("FIX-001")
    assert bench.snapshot() == before


@pytest.mark.parametrize(
    ("old", "later"),
    [
        ("# Gulls of teh bay\n\nCount.\n", ("# Gulls", "---\nname: gulls\n---\n# Gulls")),
        ("# Gulls\n\nCount teh birds.\n", ("birds.\n", "birds.\nWait.\n")),
        ("# Gulls\n\nCount.\nStop teh.\n", ("Count.\n", "Count.\nWait for it.\n")),
    ],
    ids=["first line", "last line", "beside it"],
)
def test_older_fix_at_an_end_of_the_text_keeps_what_a_later_one_added_there(bench, old, later):
    (bench.skill / FILE).write_text(old)
    bench.apply_edit("FIX-001", FILE, b"teh", b"the")
    bench.apply_edit("FIX-002", FILE, *(part.encode() for part in later))
    expected = bench.read(FILE).replace(b"the", b"teh")
    try:
        bench.rollback("FIX-001")
    except Refused:
        expected = expected.replace(b"teh", b"the")
    assert bench.read(FILE) == expected
    bench.rollback()
    assert bench.read(FILE) == old.encode()
