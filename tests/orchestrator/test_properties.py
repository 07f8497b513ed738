"""Test that the rollback of any fixes of any skill restores the original bytes, modes and links."""

import os
import stat
import tempfile
from collections import Counter
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from actions.fixes.strategies import get_strategies
from actions.skill.example import build_example_files
from orchestrator.errors import TuneSkillError
from orchestrator.run.run import Run
from orchestrator.run.workspace.workspace import Workspace
from schemas.records import FileChange
from tests.fakes import Listener, resume_run, start_run

SLOW = settings(
    max_examples=20,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
NAMES = ("a.md", "b/c.md", "b/d.txt", "e/f/g.md", "run.sh", "ö ü.md")
LINE_ENDS = ("\n", "\r\n")
TEXTS = st.lists(st.sampled_from(["one", "two  ", "", "\tthree", "四"]), max_size=6)


@st.composite
def draw_contents(draw):
    """Draw bytes with unusual line ends, byte order marks and trailing spaces, or bytes that are not text."""
    if draw(st.integers(0, 9)) == 0:
        return draw(st.binary(max_size=20))
    end, byte_order_mark, last = (
        draw(st.sampled_from(LINE_ENDS)),
        draw(st.sampled_from(["", "\ufeff"])),
        draw(st.booleans()),
    )
    return (byte_order_mark + end.join(draw(TEXTS)) + (end if last else "")).encode()


files = st.dictionaries(
    st.sampled_from(NAMES), st.tuples(draw_contents(), st.sampled_from([0o644, 0o600, 0o755, 0o444]))
)
edits = st.dictionaries(st.sampled_from(NAMES), st.none() | draw_contents(), min_size=1)
modes = st.dictionaries(st.sampled_from(NAMES), st.sampled_from([0o640, 0o444]), max_size=2)
KEEP, UNDO, ROLL_BACK = "keep", "undo", "roll back"


def snapshot(skill):
    """Return every path below the skill with its mode, and its bytes or the target of its link."""
    return {
        str(path.relative_to(skill)): (
            stat.S_IMODE(path.lstat().st_mode),
            os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else b"",  # noqa: PTH115
        )
        for path in skill.rglob("*")
    }


def write_skill(folder, tree, links):
    folder.mkdir(parents=True)
    for name, (data, mode) in tree.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        path.chmod(mode)
    for number, name in enumerate(links):
        (folder / f"link-{number}").symlink_to(name)
    return folder


def list_changes(workspace, texts_by_name):
    for name, data in texts_by_name.items():
        path = workspace.root / name
        old = sha256(path.read_bytes()).hexdigest() if path.exists() else None
        if data is not None or old is not None:
            action = "create" if old is None else "delete" if data is None else "modify"
            yield FileChange(name, action, "", old, None if data is None else workspace.store(data))


@pytest.mark.slow
@SLOW
@given(
    tree=files,
    links=st.lists(st.sampled_from([*NAMES, "nowhere"]), max_size=2),
    actions=st.lists(st.tuples(edits, st.sampled_from([KEEP, KEEP, UNDO, ROLL_BACK]), modes), min_size=1, max_size=6),
)
def test_rollback_of_random_fixes_restores_every_byte(tree, links, actions):
    """A mode that the user sets is kept, unless a fix has deleted the original file."""
    with tempfile.TemporaryDirectory() as top:
        skill = write_skill(Path(top) / "skill", tree, links)
        before, deleted = snapshot(skill), set()
        for number, (texts_by_name, next_step, modes_set_by_user) in enumerate(actions, 1):
            workspace, before_fix = Workspace(skill, Path(top) / "work"), snapshot(skill)
            with workspace.hold("run-1"):
                workspace.apply(f"FIX-{number:03d}", list(list_changes(workspace, texts_by_name)))
                if next_step == UNDO:
                    workspace.undo()
                    assert snapshot(skill) == before_fix
                else:
                    workspace.close()
            if next_step == ROLL_BACK:
                with workspace.hold("run-1"):
                    workspace.rollback([f"FIX-{number:03d}"])
                    workspace.close()
                assert snapshot(skill) == before_fix
            deleted |= before.keys() - snapshot(skill).keys()
            for name in modes_set_by_user.keys() & snapshot(skill).keys():
                (skill / name).chmod(modes_set_by_user[name])
                if name in before and name not in deleted:
                    before[name] = (modes_set_by_user[name], before[name][1])
        with Workspace(skill, Path(top) / "work").hold("run-1"):
            pass
        workspace = Workspace(skill, Path(top) / "work")
        with workspace.hold("run-1"):
            assert workspace.rollback().left == {}
            workspace.close()
        assert snapshot(skill) == before


class InterruptAfter(Listener):
    """A listener that interrupts the run after a number of steps."""

    def __init__(self, steps):
        super().__init__()
        self.left = steps

    def step(self, state, action, note):
        self.left -= 1
        if not self.left:
            raise KeyboardInterrupt


FIXABLE_SKILLS = [
    dict(build_example_files(before))
    for module in get_strategies().values()
    for before in module.BEFORE
    if isinstance(before, str) or not any(path.startswith((".", "hooks/", "commands/", "agents/")) for path in before)
]
"""Skills that strategies can fix: the examples of strategies, except those of other units."""
LINKS = ("SKILL.md", "references", "../outside", "nowhere", ".")


def join_skills(parts):
    """Join several skills: concatenate the bodies of SKILL.md; of other files with the same name, keep the first."""
    files = {path: text for part in reversed(parts) for path, text in part.items()}
    main_text, bodies = parts[0]["SKILL.md"], [part["SKILL.md"].split("---\n", 2)[-1] for part in parts[1:]]
    return {**files, "SKILL.md": "\n".join([main_text, *bodies])}


@st.composite
def draw_skill(draw):
    """Draw a skill with faults for the real strategies, with unusual bytes, modes and links."""
    files = join_skills(draw(st.lists(st.sampled_from(FIXABLE_SKILLS), min_size=1, max_size=3)))
    tree = {}
    for name in sorted(files):
        end, byte_order_mark = draw(st.sampled_from(LINE_ENDS)), draw(st.sampled_from(["", "", "\ufeff"]))
        text = files[name].rstrip("\n") + draw(st.sampled_from(["", "\n", "\n\n", "  \n"]))
        text = text.replace(".\n", draw(st.sampled_from([".\n", ".  \n", ".\t\n"])), 2)
        text = text.replace("\n\n", draw(st.sampled_from(["\n\n", "\n  \n", "\n\n\n"])), 1)
        tree[name] = (
            (byte_order_mark + text.replace("\n", end)).encode(),
            draw(st.sampled_from([0o644, 0o600, 0o755, 0o444])),
        )
    return {**tree, "assets/bird.png": (b"\x89PNG\0\xff", 0o640)}


def find_line_ends(text):
    return {
        "\r\n" if line.endswith(b"\r\n") else "\n" for line in text.splitlines(keepends=True) if line.endswith(b"\n")
    }


def find_trimmed_lines(old, new):
    """Return the lines of `old` that `new` contains only without their trailing blanks."""
    lines = new.splitlines()
    return [line for line in old.splitlines() if line not in lines and line.strip() and line.rstrip() in lines]


def run_with_interrupts(skill, work, stops):
    """Run to the end, with interrupts after these numbers of steps."""
    for number, steps in enumerate(stops):
        try:
            return (
                resume_run(work, InterruptAfter(steps))
                if number
                else start_run(skill, work, InterruptAfter(steps), apply="all")
            )
        except KeyboardInterrupt:
            continue
    return resume_run(work) if stops else start_run(skill, work, apply="all")


def roll_back(work, fixes):
    run = Run.open(work, Listener())
    with run.hold():
        run.roll_back(fixes)


@pytest.mark.slow
def test_interrupted_run_ends_like_an_uninterrupted_one():
    applied_strategies = Counter()

    @SLOW
    @given(
        tree=draw_skill(),
        links=st.lists(st.sampled_from(LINKS), max_size=3),
        stops=st.lists(st.integers(1, 15), min_size=1, max_size=4),
        order=st.randoms(use_true_random=False),
    )
    def check_rollback(tree, links, stops, order):
        with tempfile.TemporaryDirectory() as top:
            skill, second_skill = (write_skill(Path(top) / name / "example", tree, links) for name in ("one", "two"))
            work, before = Path(top) / "work", snapshot(skill)
            run, uninterrupted_run = (
                run_with_interrupts(skill, work, stops),
                run_with_interrupts(second_skill, Path(top) / "whole", ()),
            )
            assert run.store.state.phase == uninterrupted_run.store.state.phase == "completed"
            files_after_run = snapshot(skill)
            assert files_after_run == snapshot(second_skill), "a stop changes nothing"
            resume_run(work)
            assert snapshot(skill) == files_after_run, "resuming a finished run changes nothing"
            for name, (data, mode) in tree.items():
                new = (skill / name).read_bytes()
                assert stat.S_IMODE((skill / name).stat().st_mode) == mode
                assert new.startswith(b"\xef\xbb\xbf") == data.startswith(b"\xef\xbb\xbf")
                assert find_line_ends(new) <= find_line_ends(data) or not find_line_ends(data)
                assert find_trimmed_lines(data, new) == [], "unchanged lines keep the blanks at their ends"
            applied_fixes = [f for f in run.store.state.proposed_fixes if f.status == "applied"]
            applied_strategies.update(f.strategy for f in applied_fixes)
            for fix in order.sample(applied_fixes, len(applied_fixes) // 2):
                before_fix = snapshot(skill)
                try:
                    roll_back(work, [fix.id])
                except TuneSkillError:
                    assert snapshot(skill) == before_fix, "a fix that cannot be rolled back alone stays"
            roll_back(work, None)
            assert snapshot(skill) == before

    check_rollback()
    assert applied_strategies.total() > 20
    assert len(applied_strategies) > 5, applied_strategies
