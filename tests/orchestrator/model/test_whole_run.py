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
FEW_CATEGORIES = ("context", "memory", "agent")
"""Half of the dimensions, because each one starts Claude Code."""
pytestmark = pytest.mark.slow


def tune_copy(tmp_path, api, reviewer, focus=FEW_CATEGORIES, **options):
    """Tune a copy of the skill with the judge; return the run and the folder of the copy."""
    api.script = reviewer
    skill = shutil.copytree(SKILL, tmp_path / "postmortem-writer")
    workspace = Workspace(skill, tmp_path / "run")
    options_of_run = {"sessions": "none", "judge": "sdk", "apply": "all", **options}
    state = State(run_id="run", focus_areas=focus, target_skill=TargetSkill(path=str(workspace.root)), options=Options(**options_of_run),
                  max_iterations=2, work_dir=str(workspace.work_dir))  # fmt: skip
    run = Run(StateStore(tmp_path / "run"), workspace, Listener())
    with workspace.hold("run"):
        run.store.create(state)
        run.drive()
    return run.store.state, skill


@pytest.mark.usefixtures("one_start_per_schema")
def test_run_is_judged_fixed_and_its_cost_recorded(tmp_path, api):
    reviewer = Reviewer()
    state, skill = tune_copy(tmp_path, api, reviewer, max_cost_usd=5.0)
    schemas.check("state", to_json(state))
    assert state.phase is Phase.COMPLETED
    assert state.cost.queries == reviewer.counts.total() == len(api.model_requests)
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
    assert "if these findings counted, the score would be" in report
    assert "No such words here." not in report, "the report repeats an invented quote"
    check_rollback(tmp_path, skill)


def check_rollback(tmp_path, skill):
    reopened_run = Run.open(tmp_path / "run", Listener())
    with reopened_run.hold():
        reopened_run.roll_back(None)
    for file in (f for f in SKILL.rglob("*") if f.is_file()):
        assert (skill / file.relative_to(SKILL)).read_bytes() == file.read_bytes()


def test_run_continues_when_the_server_dies_midway(tmp_path, api):
    is_stopping = threading.Event()

    def stop_server_after_two_questions(reviewer):
        if reviewer.counts.total() == 2 and not is_stopping.is_set():
            is_stopping.set()
            threading.Thread(target=lambda: (api.server.shutdown(), api.server.server_close())).start()

    state, skill = tune_copy(tmp_path, api, Reviewer(stop_server_after_two_questions), ("context", "agent"))
    assert state.phase is Phase.COMPLETED
    assert 1 <= state.cost.queries <= 4
    assert [n for n in state.notes if "did not answer" in n]
    assert [f for f in state.proposed_fixes if f.status is FixStatus.APPLIED], "strategies need no judge"
    has_verdict = {i.verdict is not None for i in state.issues}
    assert has_verdict == {True, False}
    report = (tmp_path / "run" / "report.md").read_text(encoding="utf-8")
    assert "did not answer" in report.replace("\\", "")
    assert json.loads((tmp_path / "run" / "state.json").read_bytes())["cost"]["queries"] == state.cost.queries
    check_rollback(tmp_path, skill)
