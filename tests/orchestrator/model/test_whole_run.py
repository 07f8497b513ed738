"""Test whole runs through the real SDK and Claude Code, with a scripted reviewer, and one whose server dies."""

import json
import shutil
import threading
from pathlib import Path

import pytest

import schemas
from orchestrator.run.run import Run
from orchestrator.run.store import StateStore
from orchestrator.run.workspace.workspace import Workspace
from schemas.codec import to_json
from schemas.options import Options
from schemas.records import State, TargetSkill
from schemas.vocabulary import FixStatus, IssueStatus, Phase
from tests.fakes import Listener
from tests.reviewer import Reviewer

SKILL = Path(__file__).parents[2] / "data" / "planted" / "postmortem-writer"
FEW = ("context", "memory", "agent")
"""Half of the dimensions, because each one starts Claude Code."""
pytestmark = pytest.mark.slow


def run(tmp_path, api, reviewer, **options):
    """Tune a copy of the skill with the judge; return the run and the folder of the copy."""
    api.script = reviewer
    skill = shutil.copytree(SKILL, tmp_path / "postmortem-writer")
    workspace = Workspace(skill, tmp_path / "run")
    given = {"sessions": "none", "judge": "sdk", "apply": "all", **options}
    state = State(run_id="run", focus_areas=FEW, target_skill=TargetSkill(path=str(workspace.root)), options=Options(**given),
                  max_iterations=2, work_dir=str(workspace.work_dir))  # fmt: skip
    one = Run(StateStore(tmp_path / "run"), workspace, Listener())
    with workspace.hold("run"):
        one.store.create(state)
        one.drive()
    return one.store.state, skill


@pytest.mark.usefixtures("short_way")
def test_run_is_judged_fixed_and_its_cost_recorded(tmp_path, api):
    reviewer = Reviewer()
    state, skill = run(tmp_path, api, reviewer, max_cost_usd=5.0)
    schemas.check("state", to_json(state))
    assert state.phase is Phase.COMPLETED
    assert state.cost.queries == reviewer.asked.total() == len(api.asked)
    assert state.cost.tokens > 10_000
    assert 0 < state.cost.usd < 1
    assert state.judge.startswith("Claude Agent SDK (claude-")
    assert {i.status for i in state.issues} >= {IssueStatus.OPEN, IssueStatus.RESOLVED, IssueStatus.REJECTED}
    assert [i for i in state.issues if i.source == "sdk"]
    (draft,) = [fix for fix in state.proposed_fixes if fix.source == "sdk" and fix.changes]
    assert draft.status is FixStatus.APPLIED
    assert "(for every reader)" in draft.changes[0].diff, "the first draft lost a sentence and was repaired"
    assert [f for f in state.proposed_fixes if "Only the author knows what is meant." in (f.reason or "")]
    report = (tmp_path / "run" / "report.md").read_text(encoding="utf-8")
    assert "## Verdicts of the judge" in report
    assert "refuted, not counted" in report
    assert "with them the score is" in report
    assert "No such words here." not in report, "a lie is not repeated"
    rollback(tmp_path, skill)


def rollback(tmp_path, skill):
    again = Run.open(tmp_path / "run", Listener())
    with again.hold():
        again.roll_back(None)
    for file in (f for f in SKILL.rglob("*") if f.is_file()):
        assert (skill / file.relative_to(SKILL)).read_bytes() == file.read_bytes()


def test_run_continues_when_the_server_dies_midway(tmp_path, api):
    stops = threading.Event()

    def after(reviewer):
        if reviewer.asked.total() == 3 and not stops.is_set():
            stops.set()
            threading.Thread(target=lambda: (api.server.shutdown(), api.server.server_close())).start()

    state, skill = run(tmp_path, api, Reviewer(after))
    assert state.phase is Phase.COMPLETED
    assert 1 <= state.cost.queries <= 4
    assert [n for n in state.notes if "did not answer" in n]
    assert [f for f in state.proposed_fixes if f.status is FixStatus.APPLIED], "strategies need no judge"
    judged = {i.verdict is not None for i in state.issues}
    assert judged == {True, False}
    report = (tmp_path / "run" / "report.md").read_text(encoding="utf-8")
    assert "did not answer" in report.replace("\\", "")
    assert json.loads((tmp_path / "run" / "state.json").read_bytes())["cost"]["queries"] == state.cost.queries
    rollback(tmp_path, skill)
