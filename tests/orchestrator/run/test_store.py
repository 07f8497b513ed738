"""Test the store: each change is validated, written atomically and logged."""

import errno
import os
import re
import stat
from datetime import UTC, datetime, timedelta, timezone

import msgspec
import msgspec.inspect
import pytest
from msgspec.structs import replace

from orchestrator.errors import Refused, WriteFailed, WriteUnsettled
from orchestrator.guard.log.event_log import EventLog
from orchestrator.guard.log.events import open_project_log
from orchestrator.run.store import LONG_LISTS, StateStore, timestamp
from schemas.records import ErrorEntry, State
from schemas.vocabulary import Phase, Status
from tests.orchestrator.run.stores import (
    START,
    Clock,
    make_history_entry,
    make_store,
    read_saved_state,
    read_state_events,
    reopen_store,
)
from tests.schemas.samples import MOMENT, make_fix, make_issue, make_rich_state


@pytest.fixture
def store(tmp_path):
    return make_store(tmp_path / "run")


# create and load


def test_create_writes_the_state_with_its_times(store):
    assert store.state == State(
        run_id="r-1", started_at="2026-03-01T09:30:01.000Z", updated_at="2026-03-01T09:30:01.000Z"
    )
    assert reopen_store(store).load() == store.state
    assert [event["event"] for event in read_state_events(store)] == ["run_created"]


def test_create_makes_a_private_work_dir_ignored_by_git(store):
    assert stat.S_IMODE(store.path.parent.stat().st_mode) == 0o700
    assert (store.path.parent / ".gitignore").read_text() == "*\n"


def test_load_returns_an_equal_state_in_a_new_process(tmp_path):
    store = StateStore(tmp_path / "run", Clock())
    created_state = store.create(make_rich_state())
    assert created_state == replace(make_rich_state(), updated_at="2026-03-01T09:30:01.000Z")
    assert reopen_store(store).load() == created_state


def test_create_refuses_a_work_dir_with_a_run(store):
    with pytest.raises(Refused, match="already has a run"):
        reopen_store(store).create(State(run_id="r-2"))
    assert read_saved_state(store)["run_id"] == "r-1"
    store.save(replace(store.state, quality_score=1))
    store.path.unlink()
    with pytest.raises(Refused, match="already has a run"):
        reopen_store(store).create(State(run_id="r-2"))
    assert reopen_store(store).load().run_id == "r-1", "its previous generation is not lost"


def test_create_refuses_an_invalid_state(tmp_path):
    store = StateStore(tmp_path / "run", Clock())
    with pytest.raises(Refused, match="/status: 'pending' was expected: 'running'"):
        store.create(State(status=Status.RUNNING))
    assert not store.path.exists()


def test_store_without_a_state_raises_lookup_error(tmp_path):
    with pytest.raises(LookupError):
        _ = StateStore(tmp_path).state


@pytest.mark.parametrize(
    ("moment", "text"),
    [
        (datetime(2026, 3, 1, 9, 30, 0, 999_999, tzinfo=UTC), "2026-03-01T09:30:00.999Z"),
        (datetime(2026, 3, 1, 9, 30, tzinfo=timezone(timedelta(hours=-5))), "2026-03-01T14:30:00.000Z"),
    ],
)
def test_timestamp_is_utc_with_milliseconds(moment, text):
    assert timestamp(moment) == text


# update


def test_save_does_not_change_the_old_state(store):
    old = store.state
    new = store.save(replace(store.state, quality_score=80, issues=(make_issue(),)))
    assert (old.quality_score, old.issues) == (0, ())
    assert new is store.state
    assert new == replace(old, quality_score=80, issues=(make_issue(),), updated_at="2026-03-01T09:30:03.000Z")
    assert reopen_store(store).load() == new


def test_save_sets_updated_at(store):
    times = [
        store.state.updated_at,
        store.save(store.state).updated_at,
        store.save(replace(store.state, notes=("x",))).updated_at,
    ]
    assert len(set(times)) == 3
    assert times == sorted(times)


def test_save_keeps_unchanged_fields_on_disk(store):
    store.save(replace(store.state, issues=(make_issue(),), proposed_fixes=(make_fix(),)))
    store.save(replace(store.state, quality_score=10))
    store.save(replace(store.state, issues=()))
    assert reopen_store(store).load() == store.state
    assert store.state.proposed_fixes == (make_fix(),)


@pytest.mark.parametrize("phase", Phase)
def test_save_derives_the_status_from_the_phase(store, phase):
    assert store.save(replace(store.state, phase=phase)).status is phase.status
    assert read_saved_state(store)["status"] == phase.status.value


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"quality_score": 101}, "/quality_score: 101 is greater than the maximum of 100"),
        ({"issues": (make_issue(1), make_issue(2, severity="hgh"))}, "/issues/1/severity: 'hgh' is not one of"),
        ({"quality_gate": "resting"}, "/quality_gate: 'resting' is not one of"),
        ({"status": Status.FAILED}, "/status: 'pending' was expected: 'failed'"),
        ({"schema_version": 3}, "/schema_version: 2 was expected: 3"),
        ({"cost": replace(make_rich_state().cost, usd=float("nan"))}, "/cost: contains NaN"),
        ({"notes": None}, "/notes: None is not a list"),
    ],
)
def test_save_refuses_an_invalid_state_by_pointer_and_value(store, changes, message):
    store.save(replace(store.state, quality_score=50))
    state, text, count = store.state, store.path.read_bytes(), len(read_state_events(store))
    with pytest.raises(Refused, match=re.escape(message)):
        store.save(replace(store.state, **changes))
    assert store.state is state
    assert store.path.read_bytes() == text
    assert len(read_state_events(store)) == count
    assert store.save(replace(store.state, quality_score=51)).quality_score == 51


def test_save_trims_actions_and_errors_but_the_log_keeps_all(store):
    for number in range(60):
        error = ErrorEntry(f"action-{number}", "no", MOMENT, True)
        store.save(
            replace(
                store.state,
                action_history=(*store.state.action_history, make_history_entry(number)),
                errors=(*store.state.errors, error),
            )
        )
    assert [entry.action for entry in store.state.action_history] == [f"action-{n}" for n in range(10, 60)]
    assert [entry.action for entry in store.state.errors] == [f"action-{n}" for n in range(40, 60)]
    actions = [entry["action"] for event in read_state_events(store)[1:] for entry in event["data"]["action_history"]]
    assert actions == [f"action-{n}" for n in range(60)]


def test_save_logs_all_of_many_new_entries(store):
    store.save(replace(store.state, action_history=tuple(make_history_entry(n) for n in range(70))))
    assert len(store.state.action_history) == 50
    assert len(read_state_events(store)[-1]["data"]["action_history"]) == 70


def test_save_logs_the_names_of_changed_fields(store):
    store.save(replace(store.state, phase=Phase.RUNNING, quality_score=0, issues=(make_issue(),)))
    event = read_state_events(store)[-1]
    assert event["event"] == "state_updated"
    assert event["timestamp"] == pytest.approx(START.timestamp(), abs=10)
    assert event["data"] == {
        "run_id": "r-1",
        "phase": "running",
        "changed": ["phase", "status", "updated_at", "issues", "walk"],
    }


def test_store_writes_events_to_a_given_log(tmp_path):
    log = EventLog(tmp_path / "project.jsonl")
    StateStore(tmp_path / "run", Clock(), log).create(State())
    assert [record["event"] for record in log.read()] == ["run_created"]
    assert list(open_project_log().read()) == []


def test_save_on_a_full_disk_keeps_the_old_state(store, monkeypatch):
    state, text = store.state, store.path.read_bytes()

    def raise_no_space(fd, data):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch, pytest.raises(WriteFailed, match="No space left"):
        patch.setattr(os, "write", raise_no_space)
        store.save(replace(store.state, quality_score=9))
    assert store.state is state
    assert store.path.read_bytes() == text
    assert store.save(replace(store.state, quality_score=10)) == reopen_store(store).load()


def test_save_reloads_the_state_after_an_unconfirmed_write(store, monkeypatch):
    fsync = os.fsync

    def refuse_folders(fd):
        if stat.S_ISDIR(os.fstat(fd).st_mode):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))
        fsync(fd)

    with monkeypatch.context() as patch, pytest.raises(WriteUnsettled):
        patch.setattr(os, "fsync", refuse_folders)
        store.save(replace(store.state, quality_score=9))
    assert store.state.quality_score == read_saved_state(store)["quality_score"] == 9


def test_save_records_each_phase_change(store):
    store.save(replace(store.state, phase=Phase.RUNNING))
    store.save(replace(store.state, quality_score=7))
    store.save(replace(store.state, phase=Phase.RUNNING))
    store.save(replace(store.state, phase=Phase.DIAGNOSIS))
    phases = store.load().walk
    assert [(move.source, move.dest) for move in phases] == [
        (Phase.PENDING, Phase.RUNNING),
        (Phase.RUNNING, Phase.DIAGNOSIS),
    ]
    assert phases[-1].at == store.state.updated_at


def test_state_keeps_an_unpaired_surrogate(tmp_path):
    store = StateStore(tmp_path / "run")
    store.create(replace(make_rich_state(), user_issue_description="half \udc80 of one"))
    store.save(replace(store.state, issues=(make_issue(1, description="half \udc80 of one"), make_issue(2))))
    loaded_state = StateStore(tmp_path / "run").load()
    assert (loaded_state.user_issue_description, loaded_state.issues[0].description) == ("half \udc80 of one",) * 2


def list_contained_types(info, types_by_id=None):
    """Return all types that a value of this type may contain, according to msgspec."""
    types_by_id = types_by_id if types_by_id is not None else {}
    if id(info) not in types_by_id:
        types_by_id[id(info)] = info
        inner = [getattr(info, name) for name in info.__struct_fields__]
        for value in inner:
            for item in value if isinstance(value, tuple) else (value,):
                if isinstance(item, msgspec.Struct):
                    list_contained_types(item, types_by_id)
    return {type(item) for item in types_by_id.values()}


def test_long_lists_have_no_records_with_floats():
    types = {field.name: field.type for field in msgspec.inspect.type_info(State).fields}
    assert msgspec.inspect.FloatType in list_contained_types(types["cost"])
    for name in LONG_LISTS:
        assert list_contained_types(types[name]).isdisjoint({msgspec.inspect.FloatType, msgspec.inspect.AnyType}), name
