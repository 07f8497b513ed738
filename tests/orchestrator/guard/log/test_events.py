"""Test the queries of a project's events."""

import pytest

from orchestrator.errors import BadInput
from orchestrator.guard.log import history
from orchestrator.guard.log.event_log import EventLog
from orchestrator.guard.log.events import (
    append_event,
    get_session_id,
    open_project_log,
    query_events,
    query_set_operations,
    read_events,
    reconstruct_state_at,
)

FIRST_SESSION, SECOND_SESSION = "aaaaaaaa-1111-4000-8000-000000000000", "bbbbbbbb-2222-4000-8000-000000000000"


class Clock:
    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now


@pytest.fixture
def log(tmp_path):
    """Write nine events of two sessions: 10 s apart, with an hour between the sessions."""
    clock, crumb = Clock(), [""]
    log = EventLog(tmp_path / "log.jsonl", clock, lambda: crumb[0])

    def add(event, data, session, cycle, seconds=10):
        crumb[0] = f"s_{session[:8]}/c_{cycle}/g_1234567/p_cccccccc/t_{int(clock.now)}"
        log.append(event, data, {"session_id": session})
        clock.now += seconds

    add("session_started", {}, FIRST_SESSION, 1)
    add("dev_drv_started", {}, FIRST_SESSION, 1)
    add("tool_call_started", {"n": 1}, FIRST_SESSION, 1)
    add("compaction_detected", {}, FIRST_SESSION, 2)
    add("dev_drv_ended", {}, FIRST_SESSION, 2, 3600)
    add("session_started", {}, SECOND_SESSION, 2)
    add("tool_call_started", {"n": 2}, SECOND_SESSION, 2)
    add("phase_changed", {"run_id": "r-1", "phase": "verify"}, SECOND_SESSION, 2)
    add("dev_drv_started", {}, SECOND_SESSION, 2)
    return log


def list_names(records):
    return [record["event"] for record in records]


def test_read_events_returns_the_newest_first_up_to_a_limit(log):
    assert list_names(read_events(2, log)) == ["dev_drv_started", "phase_changed"]
    assert len(list(read_events(log=log))) == 9
    assert list_names(read_events(2, log, reverse=False)) == ["session_started", "dev_drv_started"]


def test_read_events_is_lazy(log):
    matches = read_events(log=log)
    assert next(matches)["event"] == "dev_drv_started"
    with log.path.open("r+b") as file:
        file.truncate()
    assert log.append("session_ended", {})
    assert list_names(read_events(log=log)) == ["session_ended"]


@pytest.mark.parametrize(
    ("filters", "matches"),
    [
        ({"event_type": "tool_call_started"}, [1020, 4650]),
        ({"since": 1020, "until": 1030}, [1020, 1030]),
        ({"session_id": SECOND_SESSION}, [4640, 4650, 4660, 4670]),
        ({"session_id": SECOND_SESSION[:8]}, [4640, 4650, 4660, 4670]),
        ({"session_id": "bbbb"}, []),
        ({"run_id": "r-1"}, [4660]),
        ({"breadcrumb": {"cycle": 1}}, [1000, 1010, 1020]),
        ({"breadcrumb": {"cycle": 2, "session_id": "aaaaaaaa"}}, [1030, 1040]),
        ({"breadcrumb": "s_aaaaaaaa/c_1/p_cccccccc"}, [1000, 1010, 1020]),
        ({"breadcrumb": {"s": "aaaaaaaa", "c": 2}}, [1030, 1040]),
        ({"breadcrumb": {"s": FIRST_SESSION, "c": "c_2"}}, [1030, 1040]),
        ({"breadcrumb": {"s": "s_bbbbbbbb", "g": "1234567890", "p": "cccccccc-1"}}, [4640, 4650, 4660, 4670]),
        ({"breadcrumb": {"p": None}}, []),
        ({"breadcrumb": "t_1030"}, [1030]),
        ({"breadcrumb": "c_2/s_aaaaaaaa"}, [1030, 1040]),
        ({"breadcrumb": {}, "until": 1000}, [1000]),
        ({"cycle": 2, "session_id": FIRST_SESSION}, [1030, 1040]),
        ({"cycle": 1, "breadcrumb": "s_bbbbbbbb"}, []),
        ({"git": "1234567", "prompt": "cccccccc", "until": 1000}, [1000]),
        ({"event_type": "tool_call_started", "session_id": FIRST_SESSION, "since": None}, [1020]),
        ({"event_type": 'say "hi"'}, []),
    ],
)
def test_query_events_matches_all_filters_oldest_first(log, filters, matches):
    assert [record["timestamp"] for record in query_events(filters, log)] == matches


def test_query_events_limits_to_the_newest(log):
    assert [r["timestamp"] for r in query_events({"session_id": FIRST_SESSION}, log, limit=2)] == [1030, 1040]


@pytest.mark.parametrize(
    "filters",
    [
        {"colour": "red"},
        {"breadcrumb": "somewhere"},
        {"breadcrumb": {"x": 1}},
        {"breadcrumb": {"c": "two"}},
        {"cycle": "x"},
    ],
)
def test_query_events_refuses_an_unknown_filter(log, filters):
    with pytest.raises(BadInput):
        query_events(filters, log)


@pytest.mark.parametrize(
    ("operation", "queries", "matches"),
    [
        ("union", [{"event_type": "phase_changed"}, {"until": 1010}], [1000, 1010, 4660]),
        ("intersection", [{"session_id": FIRST_SESSION}, {"event_type": "tool_call_started"}], [1020]),
        ("intersection", [{"session_id": FIRST_SESSION}, {"since": 1020}, {"until": 1030}], [1020, 1030]),
        ("subtraction", [{"event_type": "dev_drv_started"}, {"session_id": SECOND_SESSION}], [1010]),
        ("subtraction", [{"session_id": SECOND_SESSION}, {"run_id": "r-1"}, {"since": 4670}], [4640, 4650]),
        ("union", [{"run_id": "r-1"}], [4660]),
    ],
)
def test_query_set_operations_combines_queries(log, operation, queries, matches):
    assert [record["timestamp"] for record in query_set_operations(queries, operation, log)] == matches


@pytest.mark.parametrize(("operation", "queries"), [("xor", [{}]), ("union", []), ("union", [{"x": 1}])])
def test_query_set_operations_refuses_invalid_operations(log, operation, queries):
    with pytest.raises(BadInput):
        query_set_operations(queries, operation, log)


def test_reconstruct_state_at_rebuilds_a_moment(log):
    early_state, late_state = reconstruct_state_at(1025, log), reconstruct_state_at(9999, log)
    assert (early_state["session_id"], early_state["cycle"], early_state["drive_open"]) == (FIRST_SESSION, 1, True)
    assert early_state["counts"] == {"session_started": 1, "dev_drv_started": 1, "tool_call_started": 1}
    assert (late_state["session_id"], late_state["cycle"], late_state["drive_open"]) == (SECOND_SESSION, 2, True)
    assert (late_state["run_id"], late_state["phase"]) == ("r-1", "verify")
    assert reconstruct_state_at(1045, log)["drive_open"] is False
    assert reconstruct_state_at(1, log)["last_event"] is None


def test_history_lists_sessions_statistics_and_gaps(log):
    with log.path.open("ab") as file:
        file.write(b"torn")
    assert [(s["session_id"], s["first"], s["last"]) for s in history.list_sessions(log)] == [
        (FIRST_SESSION, 1000, 1040),
        (SECOND_SESSION, 4640, 4670),
    ]
    statistics = history.compute_statistics(log)
    assert (statistics["events"], statistics["skipped_lines"], statistics["parts"]) == (9, 1, 1)
    assert statistics["by_event"]["tool_call_started"] == 2
    assert [(gap["after"], gap["seconds"]) for gap in history.find_gaps(60, log)] == [("dev_drv_ended", 3600)]
    assert history.find_gaps(3600, log) == []


def test_clock_set_back_hides_no_event_and_makes_no_gap(tmp_path):
    clock = Clock()
    log = EventLog(tmp_path / "log.jsonl", clock)
    for now in (5000, 100, 200):
        clock.now = now
        log.append("step", {})
    assert [record["timestamp"] for record in query_events({"since": 150}, log)] == [5000, 200]
    assert history.find_gaps(1000, log) == []


def test_queries_of_an_empty_log_are_empty(tmp_path):
    log = EventLog(tmp_path / "none.jsonl")
    assert query_events({}, log) == history.list_sessions(log) == history.find_gaps(0, log) == []
    assert history.compute_statistics(log)["events"] == 0


def test_log_of_a_project_is_private_and_ignored_by_git(project):
    assert append_event("session_started", {"a": 1}, {"session_id": FIRST_SESSION, "prompt_id": "dddddddd-1"})
    assert open_project_log().path == project / ".maceff" / "agent_events_log.jsonl"
    assert (project / ".maceff").stat().st_mode & 0o777 == 0o700
    assert (project / ".maceff" / ".gitignore").read_text() == "*\n"
    (record,) = read_events()
    assert (record["data"], get_session_id(record)) == ({"a": 1}, FIRST_SESSION)
    assert record["breadcrumb"].startswith("s_aaaaaaaa/c_1/p_dddddddd/t_")


def test_log_stays_in_the_project_if_the_agent_is_elsewhere(project, tmp_path, monkeypatch):
    monkeypatch.setenv("MACF_AGENT_ROOT", str(tmp_path / "agent"))
    append_event("session_started")
    assert (project / ".maceff" / "agent_events_log.jsonl").exists()
    assert not (tmp_path / "agent").exists()


def test_variable_names_another_log(project, tmp_path, monkeypatch):
    monkeypatch.setenv("MACF_EVENTS_LOG_PATH", str(tmp_path / "elsewhere" / "log.jsonl"))
    append_event("session_started")
    assert (tmp_path / "elsewhere" / "log.jsonl").exists()
    assert not (project / ".maceff").exists()
