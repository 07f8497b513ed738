"""Whatever the skill and whatever the fixes: all of them taken back give the original bytes, modes and links."""

import os
import stat
import tempfile
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from orchestrator.run import Run
from orchestrator.workspace.workspace import Workspace
from schemas.records import FileChange
from tests.fakes import HEAD, Listener, birds, go_on, start

SLOW = settings(
    max_examples=30,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
NAMES = ("a.md", "b/c.md", "b/d.txt", "e/f/g.md", "run.sh", "ö ü.md")
ENDS = ("\n", "\r\n")
TEXTS = st.lists(st.sampled_from(["one", "two  ", "", "\tthree", "四"]), max_size=6)


@st.composite
def contents(draw):
    """Bytes with odd line ends, marks, trailing spaces; now and then bytes that are no text."""
    if draw(st.integers(0, 9)) == 0:
        return draw(st.binary(max_size=20))
    end, mark, last = draw(st.sampled_from(ENDS)), draw(st.sampled_from(["", "\ufeff"])), draw(st.booleans())
    return (mark + end.join(draw(TEXTS)) + (end if last else "")).encode()


files = st.dictionaries(st.sampled_from(NAMES), st.tuples(contents(), st.sampled_from([0o644, 0o600, 0o755, 0o444])))
edits = st.dictionaries(st.sampled_from(NAMES), st.none() | contents(), min_size=1)
KEEP, UNDO, TAKE_BACK = "keep", "undo", "take back"


def snapshot(skill):
    """Every path below the skill: its mode, and its bytes or where it leads."""
    return {
        str(path.relative_to(skill)): (
            stat.S_IMODE(path.lstat().st_mode),
            os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else b"",  # noqa: PTH115
        )
        for path in skill.rglob("*")
    }


def laid_out(folder, tree, links):
    folder.mkdir(parents=True)
    for name, (data, mode) in tree.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        path.chmod(mode)
    for number, name in enumerate(links):
        (folder / f"link-{number}").symlink_to(name)
    return folder


def changes(space, wanted):
    for name, data in wanted.items():
        path = space.root / name
        old = sha256(path.read_bytes()).hexdigest() if path.exists() else None
        if data is not None or old is not None:
            action = "create" if old is None else "delete" if data is None else "modify"
            yield FileChange(name, action, "", old, None if data is None else space.put(data))


@pytest.mark.slow
@SLOW
@given(
    tree=files,
    links=st.lists(st.sampled_from([*NAMES, "nowhere"]), max_size=2),
    acts=st.lists(st.tuples(edits, st.sampled_from([KEEP, KEEP, UNDO, TAKE_BACK])), min_size=1, max_size=6),
)
def test_any_sequence_of_fixes_can_be_taken_back_to_the_byte(tree, links, acts):
    with tempfile.TemporaryDirectory() as top:
        skill = laid_out(Path(top) / "skill", tree, links)
        before = snapshot(skill)
        for number, (wanted, then) in enumerate(acts, 1):
            space, stood = Workspace(skill, Path(top) / "work"), snapshot(skill)
            with space.hold("run-1"):
                space.apply(f"FIX-{number:03d}", list(changes(space, wanted)))
                if then == UNDO:
                    space.undo()
                    assert snapshot(skill) == stood
                else:
                    space.close()
            if then == TAKE_BACK:
                with space.hold("run-1"):
                    space.rollback([f"FIX-{number:03d}"])
                    space.close()
                assert snapshot(skill) == stood
        with Workspace(skill, Path(top) / "work").hold("run-1"):
            pass
        space = Workspace(skill, Path(top) / "work")
        with space.hold("run-1"):
            assert space.rollback().left == {}
            space.close()
        assert snapshot(skill) == before


class StopsAfter(Listener):
    """Goes away after so many steps."""

    def __init__(self, steps):
        super().__init__()
        self.left = steps

    def step(self, state, action, note):
        self.left -= 1
        if not self.left:
            raise KeyboardInterrupt


@st.composite
def skills(draw):
    """The files of a skill of which some lines are at fault, each line of its own."""
    tree = {}
    for name in ("SKILL.md", "references/more.md", "phases/1-count.md"):
        end, mark, last = draw(st.sampled_from(ENDS)), draw(st.sampled_from(["", "\ufeff"])), draw(st.booleans())
        words = draw(st.lists(st.sampled_from(["CRANE", "HERON", "wren  ", "鹤"]), max_size=4))
        lines = [f"{name} {n} says {word}" for n, word in enumerate(words)]
        text = (HEAD if name == "SKILL.md" else "# More\n\n").replace("\n", end) + (end * 2).join(lines)
        tree[name] = ((mark + text + (end if last else "")).encode(), draw(st.sampled_from([0o644, 0o600, 0o755])))
    return tree


@pytest.mark.slow
@SLOW
@given(tree=skills(), stops=st.lists(st.integers(1, 12), max_size=4))
def test_a_run_that_is_stopped_again_and_again_ends_as_one_that_was_not_and_can_be_taken_back(monkeypatch, tree, stops):
    birds(monkeypatch)
    with tempfile.TemporaryDirectory() as top:
        skill, work = laid_out(Path(top) / "skill", tree, ["references/more.md"]), Path(top) / "work"
        before = snapshot(skill)
        for number, steps in enumerate(stops):
            try:
                go_on(work, StopsAfter(steps)) if number else start(skill, work, StopsAfter(steps), apply="all")
            except KeyboardInterrupt:
                continue
        run = go_on(work) if stops else start(skill, work, apply="all")
        assert run.store.state.phase == "completed"
        calm = {name: data.replace(b"CRANE", b"crane").replace(b"HERON", b"heron") for name, (data, _) in tree.items()}
        assert {name: (skill / name).read_bytes() for name in tree} == calm, "every other byte stands"
        last = Run.opened(work, Listener())
        with last.held():
            last.take_back(None)
        assert snapshot(skill) == before
