"""Test the events made from changes of a run's state, and their text."""

from datetime import UTC, datetime

import pytest
from msgspec.structs import replace

from orchestrator.guard.log import run_events
from orchestrator.guard.log.events import open_project_log, query_events
from orchestrator.run.store import StateStore
from schemas.records import ErrorEntry, HistoryEntry, State
from schemas.vocabulary import ActionResult, FixStatus, Pause, Phase
from tests.fakes import make_round
from tests.schemas.samples import MOMENT, make_fix


@pytest.fixture
def store(tmp_path, project):
    store = StateStore(tmp_path / "run", lambda: datetime(2026, 3, 1, 9, 30, tzinfo=UTC))
    store.create(State(run_id="r-1"))
    return store


def list_logged_events(run_id="r-1"):
    records = query_events({"run_id": run_id})
    return [(r["event"], r["data"]) for r in records if r["event"] not in ("run_created", "state_updated")]


def test_list_events_finds_steps_failures_and_phases(store):
    success_entry = HistoryEntry("action-init", MOMENT, MOMENT, ActionResult.SUCCESS, (), Phase.RUNNING)
    error_entry = ErrorEntry("action-verify", "no such file", MOMENT, True)
    store.save(replace(store.state, phase=Phase.RUNNING, action_history=(success_entry,), errors=(error_entry,)))
    assert [(event, data["phase"]) for event, data in list_logged_events()] == [
        ("action_completed", "running"),
        ("action_failed", "running"),
        ("phase_changed", "running"),
    ]
    assert list_logged_events()[2][1] == {"run_id": "r-1", "phase": "running", "before": "pending"}, (
        "no score is known yet"
    )


def test_list_events_reports_each_status_of_a_fix_once(store):
    fix = replace(make_fix(), status=FixStatus.PROPOSED)
    store.save(replace(store.state, proposed_fixes=(fix,)))
    for status in (FixStatus.SELECTED, FixStatus.APPLIED, FixStatus.APPLIED, FixStatus.ROLLED_BACK):
        store.save(replace(store.state, proposed_fixes=(replace(fix, status=status, reason="as asked"),)))
    assert [event for event, _ in list_logged_events()] == [
        "fix_proposed",
        "fix_selected",
        "fix_applied",
        "fix_rolled_back",
    ]
    assert list_logged_events()[-1][1] == {
        "run_id": "r-1",
        "phase": "pending",
        "fix": fix.id,
        "strategy": fix.strategy,
        "reason": "as asked",
    }


def test_list_events_reports_a_pause_and_its_end(store):
    store.save(replace(store.state, pause=Pause.CLARIFICATION))
    store.save(replace(store.state, quality_score=1))
    store.save(replace(store.state, pause=None))
    assert [(event, data["pause"]) for event, data in list_logged_events()] == [
        ("run_paused", "clarification"),
        ("run_continued", "clarification"),
    ]


def test_run_shares_log_and_breadcrumbs_with_hooks(store):
    (record,) = query_events({"event_type": "run_created"})
    assert record["breadcrumb"].startswith("s_unknown/c_1/p_none/t_")
    assert record["timestamp"] == datetime(2026, 3, 1, 9, 30, tzinfo=UTC).timestamp()
    assert open_project_log().path.parent.name == ".maceff"


def test_format_event_has_a_text_for_each_event(store):
    store.save(replace(store.state, phase=Phase.RUNNING, pause=Pause.CLARIFICATION))
    lines = [run_events.format_event(record) for record in query_events({"run_id": "r-1"})]
    assert lines == [
        ("run_created", "run r-1 started"),
        ("run_paused", "waiting for clarification"),
        ("phase_changed", "pending -> running"),
        None,
    ]
    odd_record = {"timestamp": 0.0, "event": "fix_applied", "data": {"fix": ["x"], "strategy": "{0.__class__}"}}
    assert run_events.format_event(odd_record) == ("fix_applied", "['x'] {0.__class__}")
    assert run_events.format_event({**odd_record, "data": {}}) == ("fix_applied", "? ?")
    store.save(replace(store.state, phase=Phase.DIAGNOSIS, rounds=(make_round(score=84),), quality_score=84))
    (*_, phase_event) = query_events({"event_type": "phase_changed"})
    assert run_events.format_event(phase_event) == ("phase_changed", "running -> diagnosis (score 84, gate fail)")
