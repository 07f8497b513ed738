"""Test runs with many mechanical fixes: their number of scans, the rollback, and a kill in between."""

import pytest

from actions.fixes.invariants import prove
from actions.scoring.scan import scan
from actions.steps import apply_fix
from schemas.vocabulary import FixStatus, Gate
from tests.fakes import HEAD, Listener, a_pattern, a_skill, a_strategy, go_on, install, softened, start
from tests.runs import journal, statuses


@pytest.fixture(autouse=True)
def catalogue(monkeypatch):
    install(
        monkeypatch,
        [a_pattern("AGT-001", "CRANE", "calm_crane"), a_pattern("AGT-002", "HERON", "calm_heron")],
        [a_strategy("calm_crane", softened("CRANE", "crane")), a_strategy("calm_heron", softened("HERON", "heron"))],
    )


def cranes(count):
    return "".join(f"The CRANE number {n} goes by.\n\n" for n in range(count))


def herons(count):
    return {f"references__b{n}": f"# Bird {n}\n\nThe HERON number {n} goes by.\n" for n in range(count)}


def linked(count):
    return "".join(f"See [bird {n}](references/b{n}.md).\n" for n in range(count))


def test_twice_the_fixes_need_no_more_scans(tmp_path, monkeypatch):
    scans = []

    def counted(*args):
        scans.append(args)
        return scan(*args)

    for module in (apply_fix, prove):
        monkeypatch.setattr(module, "scan", counted)
    counts = []
    for size in (30, 60):
        scans.clear()
        skill = a_skill(tmp_path / f"s{size}", cranes(size) + linked(size), **herons(size))
        run = start(skill, tmp_path / f"w{size}", apply="all")
        counts.append(len(scans))
        assert run.store.state.quality_gate is Gate.PASS
        assert not any("CRANE" in path.read_text() or "HERON" in path.read_text() for path in skill.rglob("*.md"))
    assert counts[0] == counts[1] <= 4


def test_one_of_several_large_fixes_is_rolled_back_alone(tmp_path, work):
    skill = a_skill(tmp_path / "s", cranes(30) + linked(30), **herons(30))
    before = {path: path.read_bytes() for path in skill.rglob("*.md")}
    run = start(skill, work, apply="all")
    assert statuses(run) == {"FIX-001": "applied", "FIX-002": "applied"}
    assert journal(work) == [("FIX-001", "closed"), ("FIX-002", "closed")]
    with run.hold():
        run.roll_back(["FIX-002"])
    assert (skill / "SKILL.md").read_text() == HEAD + cranes(30).replace("CRANE", "crane") + linked(30)
    assert all(path.read_bytes() == raw for path, raw in before.items() if path.name != "SKILL.md")
    with run.hold():
        run.roll_back(None)
    assert {path: path.read_bytes() for path in skill.rglob("*.md")} == before


def test_many_fixes_are_one_choice(tmp_path, work):
    skill = a_skill(tmp_path / "s", cranes(30))
    start(skill, work, apply="ask")
    listener = Listener(can_ask=True, choice=("FIX-001",))
    run = go_on(work, listener)
    (question,) = listener.asked
    (fix,) = question.fixes
    assert fix.description.startswith("30 similar changes in 1 file: Does calm_crane.")
    assert fix.changes[0].diff.count("\n+The crane number") == 30
    assert [fix.status for fix in run.store.state.proposed_fixes] == [FixStatus.APPLIED]
