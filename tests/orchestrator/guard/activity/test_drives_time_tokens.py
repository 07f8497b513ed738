"""Test the tracking of drives, the format of times, and the token budget."""

import json

import pytest

from orchestrator.guard.activity.drive_stats import compute_drive_stats
from orchestrator.guard.activity.drives import complete_drive, start_drive
from orchestrator.guard.activity.temporal import (
    format_session_duration,
    get_temporal_context,
    get_time_since_last_session,
)
from orchestrator.guard.activity.tokens import get_token_budget
from orchestrator.guard.log.event_log import EventLog
from orchestrator.guard.log.events import append_event
from orchestrator.guard.sessions.state import SessionState


def log_delegations(log, *kinds):
    for kind in kinds:
        log.append("delegation_completed", {}, {"session_id": "abc", "agent_type": kind})


def test_complete_drive_returns_duration_and_delegations(tmp_path):
    log = EventLog(tmp_path / "log.jsonl", lambda: 150.0)
    log_with_earlier_clock = EventLog(log.path, lambda: 50.0)
    log_delegations(log_with_earlier_clock, "explorer")
    state = SessionState("abc")
    start_drive(state, "p1", 100.0)
    log_delegations(log, "explorer", "reviewer", "")
    drive = complete_drive(state, 160.5, log)
    assert (drive.prompt_uuid, drive.duration, drive.delegations) == ("p1", 60.5, 2)
    start_drive(state, "p2", 200.0)
    stats = compute_drive_stats(state, log)
    assert (stats.count, stats.total_duration, stats.average, stats.open_since) == (1, 60.5, 60.5, 200.0)
    assert stats.delegations == {"explorer": 2, "reviewer": 1}


def test_complete_drive_needs_an_open_drive(tmp_path):
    log = EventLog(tmp_path / "log.jsonl")
    state = SessionState("abc")
    assert complete_drive(state, 5.0, log) is None
    assert compute_drive_stats(state, log).average == 0.0
    start_drive(state, "", 100.0)
    assert complete_drive(state, 40.0, log).duration == 0.0
    assert complete_drive(state, 50.0, log) is None


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0s"),
        (-5, "0s"),
        (59.9, "59s"),
        (60, "1m 0s"),
        (200, "3m 20s"),
        (8100, "2h 15m"),
        (273_600, "3d 4h"),
        (None, "unknown"),
    ],
)
def test_format_session_duration_is_readable(seconds, text):
    assert format_session_duration(seconds) == text


def test_get_temporal_context_has_date_day_and_part_of_day(monkeypatch):
    monkeypatch.setenv("TZ", "UTC")
    import time

    time.tzset()
    context = get_temporal_context(1732720965.0)
    assert {key: context[key] for key in ("timestamp_formatted", "day_of_week", "time_of_day", "date")} == {
        "timestamp_formatted": "03:22:45 PM",
        "day_of_week": "Wednesday",
        "time_of_day": "afternoon",
        "date": "2024-11-27",
    }
    parts = [get_temporal_context(hour * 3600.0)["time_of_day"] for hour in (0, 5, 12, 17, 21)]
    assert parts == ["night", "morning", "afternoon", "evening", "night"]


def test_get_time_since_last_session_ignores_the_current_one(project, monkeypatch):
    assert get_time_since_last_session("bbb") is None
    monkeypatch.setattr("orchestrator.guard.log.events.time.time", lambda: 1000.0)
    append_event("session_ended", session_id="aaa", hook_input={"session_id": "aaa"})
    append_event("session_started", hook_input={"session_id": "bbb"})
    assert get_time_since_last_session("bbb", 1100.0) == 100.0
    assert get_time_since_last_session("bbb", 900.0) == 0.0


def make_message(id, tokens, **fields):
    usage = {
        "input_tokens": tokens,
        "cache_read_input_tokens": 1000,
        "cache_creation_input_tokens": 10,
        "output_tokens": 1,
    }
    return {"type": "assistant", "message": {"id": id, "role": "assistant", "usage": usage}, **fields}


BOUNDARY = {"type": "system", "subtype": "compact_boundary"}


@pytest.mark.parametrize(
    ("records", "used"),
    [
        ([], 0),
        ([make_message("m1", 5), make_message("m2", 100), make_message("m2", 100)], 1111),
        ([make_message("m1", 100), make_message("side", 9999, isSidechain=True)], 1111),
        (
            [
                make_message("m1", 100),
                {"type": "user", "message": {"role": "user", "content": 'compact_boundary "usage"'}},
            ],
            1111,
        ),
        ([make_message("m1", 100), BOUNDARY], 0),
        ([make_message("m1", 100), BOUNDARY, make_message("m2", 7)], 1018),
        (
            [
                make_message("m1", 100),
                {"type": "assistant", "message": {"usage": {"input_tokens": "9", "output_tokens": -1}}},
            ],
            1111,
        ),
    ],
)
def test_get_token_budget_uses_the_last_message_since_a_compaction(project, records, used):
    path = project / "session.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records) + '{"usage": torn')
    budget = get_token_budget(path)
    assert (budget.used, budget.tokens_left) == (used, 200_000 - used)


def test_get_token_budget_is_full_without_a_transcript(project):
    assert get_token_budget(None).percent_left == get_token_budget(project / "none.jsonl").percent_left == 100.0


def test_get_token_budget_reads_the_window_and_never_overdraws(project):
    (project / ".maceff").mkdir()
    (project / ".maceff" / "config.json").write_text('{"schema_version": 1, "context_window": 1000}')
    (project / "session.jsonl").write_text(json.dumps(make_message("m1", 100)))
    budget = get_token_budget(project / "session.jsonl")
    assert (budget.window, budget.tokens_left, budget.percent_left) == (1000, 0, 0.0)
