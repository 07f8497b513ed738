"""The store: a state changes validated, whole and told, and never falls back to defaults in silence."""

import errno
import json
import os
import re
import stat
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest

from orchestrator import nofollow
from orchestrator.errors import BadInput, Refused, StateDamaged, WriteFailed, WriteUnsettled
from orchestrator.sessions.event_log import EventLog
from orchestrator.sessions.events import project_log
from orchestrator.store import StateStore, timestamp
from schemas.records import ErrorEntry, HistoryEntry, State
from schemas.vocabulary import Phase, Severity, Status
from tests.schemas.samples import MOMENT, a_fix, an_issue, rich_state

START = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)


class Clock:
    """A clock that goes on by a second at each look."""

    def __init__(self):
        self.looks = 0

    def __call__(self):
        self.looks += 1
        return START + timedelta(seconds=self.looks)


@pytest.fixture
def store(tmp_path):
    store = StateStore(tmp_path / "run", Clock())
    store.create(State(run_id="r-1"))
    return store


def again(store):
    """Give a new store over the same folder."""
    return StateStore(store.path.parent, Clock())


def on_disk(store):
    return json.loads(store.path.read_bytes())


def last_good(store):
    return store.path.with_name("state.json.last-good")


def damaged(store):
    return sorted(path.name for path in store.path.parent.glob("state.json.damaged-*"))


def events(store):
    """Give what the store told of its whole state; the story beside it has its own tests."""
    told = ("run_created", "state_updated", "state_recovered")
    return [event for event in project_log().read() if event["event"] in told]


def history(number):
    return HistoryEntry(f"action-{number}", MOMENT, MOMENT, "success")


# create and load


def test_a_new_state_is_on_disk_with_its_times(store):
    assert store.state == State(
        run_id="r-1", started_at="2026-03-01T09:30:01.000Z", updated_at="2026-03-01T09:30:01.000Z"
    )
    assert again(store).load() == store.state
    assert [event["event"] for event in events(store)] == ["run_created"]


def test_a_work_dir_is_private_and_ignored_by_git(store):
    assert stat.S_IMODE(store.path.parent.stat().st_mode) == 0o700
    assert (store.path.parent / ".gitignore").read_text() == "*\n"


def test_a_rich_state_survives_a_new_process(tmp_path):
    store = StateStore(tmp_path / "run", Clock())
    made = store.create(rich_state())
    assert made == replace(rich_state(), updated_at="2026-03-01T09:30:01.000Z")
    assert again(store).load() == made


def test_a_second_run_in_a_work_dir_is_refused(store):
    with pytest.raises(Refused, match="holds a run already"):
        again(store).create(State(run_id="r-2"))
    assert on_disk(store)["run_id"] == "r-1"
    store.update(quality_score=1)
    store.path.unlink()
    with pytest.raises(Refused, match="holds a run already"):
        again(store).create(State(run_id="r-2"))
    assert again(store).load().run_id == "r-1", "its previous generation is not lost"


def test_an_invalid_first_state_is_refused_and_not_written(tmp_path):
    store = StateStore(tmp_path / "run", Clock())
    with pytest.raises(Refused, match="/status: 'pending' was expected: 'running'"):
        store.create(State(status=Status.RUNNING))
    assert not store.path.exists()


def test_a_store_without_a_state_says_so(tmp_path):
    with pytest.raises(LookupError):
        _ = StateStore(tmp_path).state


@pytest.mark.parametrize(
    ("moment", "text"),
    [
        (datetime(2026, 3, 1, 9, 30, 0, 999_999, tzinfo=UTC), "2026-03-01T09:30:00.999Z"),
        (datetime(2026, 3, 1, 9, 30, tzinfo=timezone(timedelta(hours=-5))), "2026-03-01T14:30:00.000Z"),
    ],
)
def test_a_timestamp_is_utc_with_milliseconds(moment, text):
    assert timestamp(moment) == text


# update


def test_an_update_makes_a_new_state_and_leaves_the_old_one(store):
    old = store.state
    new = store.update(quality_score=80, issues=(an_issue(),))
    assert (old.quality_score, old.issues) == (0, ())
    assert new is store.state
    assert new == replace(old, quality_score=80, issues=(an_issue(),), updated_at="2026-03-01T09:30:03.000Z")
    assert again(store).load() == new


def test_updated_at_changes_with_each_update(store):
    times = [store.state.updated_at, store.update().updated_at, store.update(notes=("x",)).updated_at]
    assert len(set(times)) == 3
    assert times == sorted(times)


def test_what_an_update_does_not_name_stays_on_disk(store):
    store.update(issues=(an_issue(),), proposed_fixes=(a_fix(),))
    store.update(quality_score=10)
    store.update(issues=())
    assert again(store).load() == store.state
    assert store.state.proposed_fixes == (a_fix(),)


@pytest.mark.parametrize("phase", Phase)
def test_the_status_follows_the_phase(store, phase):
    assert store.update(phase=phase).status is phase.status
    assert on_disk(store)["status"] == phase.status.value


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"quality_score": 101}, "/quality_score: 101 is greater than the maximum of 100"),
        ({"issues": (an_issue(1), an_issue(2, severity="hgh"))}, "/issues/1/severity: 'hgh' is not one of"),
        ({"phase": "resting"}, "/phase: 'resting' is not one of"),
        ({"phase": Phase.COMPLETED, "status": Status.FAILED}, "/status: 'completed' was expected: 'failed'"),
        ({"phase": "completed"}, "/status: 'completed' was expected: 'pending'"),
        ({"schema_version": 3}, "/schema_version: 2 was expected: 3"),
        ({"cost": replace(rich_state().cost, usd=float("nan"))}, "/cost: holds NaN"),
        ({"surprise": "x"}, "/surprise: 'x' has no place in a state"),
        ({"notes": None}, "/notes: None is not of type 'array'"),
    ],
)
def test_an_invalid_update_is_refused_by_pointer_and_value_and_the_old_state_stands(store, changes, told):
    store.update(quality_score=50)
    state, text, count = store.state, store.path.read_bytes(), len(events(store))
    with pytest.raises(Refused, match=re.escape(told)):
        store.update(**changes)
    assert store.state is state
    assert store.path.read_bytes() == text
    assert len(events(store)) == count
    assert store.update(quality_score=51).quality_score == 51


def test_the_state_keeps_the_last_50_actions_and_20_errors_and_the_log_keeps_all(store):
    for number in range(60):
        error = ErrorEntry(f"action-{number}", "no", MOMENT, True)
        store.update(action_history=(*store.state.action_history, history(number)), errors=(*store.state.errors, error))
    assert [entry.action for entry in store.state.action_history] == [f"action-{n}" for n in range(10, 60)]
    assert [entry.action for entry in store.state.errors] == [f"action-{n}" for n in range(40, 60)]
    told = [entry["action"] for event in events(store)[1:] for entry in event["data"]["action_history"]]
    assert told == [f"action-{n}" for n in range(60)]


def test_many_entries_at_once_are_trimmed_in_the_state_and_whole_in_the_log(store):
    store.update(action_history=tuple(history(n) for n in range(70)))
    assert len(store.state.action_history) == 50
    assert len(events(store)[-1]["data"]["action_history"]) == 70


def test_an_update_is_told_to_the_log_with_the_names_of_what_changed(store):
    store.update(phase=Phase.RUNNING, quality_score=0, issues=(an_issue(),))
    event = events(store)[-1]
    assert event["event"] == "state_updated"
    assert event["timestamp"] == pytest.approx(START.timestamp(), abs=10)
    assert event["data"] == {
        "run_id": "r-1",
        "phase": "running",
        "changed": ["phase", "status", "updated_at", "issues", "walk"],
    }


def test_a_log_given_from_outside_gets_the_events(tmp_path):
    log = EventLog(tmp_path / "project.jsonl")
    StateStore(tmp_path / "run", Clock(), log).create(State())
    assert [record["event"] for record in log.read()] == ["run_created"]
    assert list(project_log().read()) == []


def test_a_full_disk_keeps_the_old_state_in_memory_and_on_disk(store, monkeypatch):
    state, text = store.state, store.path.read_bytes()

    def full(fd, data):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch, pytest.raises(WriteFailed, match="No space left"):
        patch.setattr(os, "write", full)
        store.update(quality_score=9)
    assert store.state is state
    assert store.path.read_bytes() == text
    assert store.update(quality_score=10) == again(store).load()


def test_after_an_unconfirmed_write_memory_holds_what_the_disk_shows(store, monkeypatch):
    fsync = os.fsync

    def no_folders(fd):
        if stat.S_ISDIR(os.fstat(fd).st_mode):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))
        fsync(fd)

    with monkeypatch.context() as patch, pytest.raises(WriteUnsettled):
        patch.setattr(os, "fsync", no_folders)
        store.update(quality_score=9)
    assert store.state.quality_score == on_disk(store)["quality_score"] == 9


# recovery

DAMAGE = {
    "empty": b"",
    "cut": b'{\n"schema_version":1,\n"run_id":"r',
    "zeros": bytes(500),
    "not utf-8": b'{"schema_version":1,"run_id":"\xff"}',
    "another type": b"[]",
    "not valid": b'{"schema_version":1,"run_id":"r-1"}',
    "version of another type": b'{"schema_version":"1"}',
    "deep": b"[" * 100_000,
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_state_is_set_aside_and_the_previous_generation_serves(store, damage):
    store.update(quality_score=40)
    store.update(quality_score=50)
    store.path.write_bytes(damage)
    new = again(store)
    state = new.load()
    assert state.quality_score == 40
    assert damaged(store) == ["state.json.damaged-2026-03-01T093001.000Z"]
    assert (store.path.parent / damaged(store)[0]).read_bytes() == damage
    assert new.recovered is not None
    assert f"set aside as {damaged(store)[0]}" in new.recovered
    assert "the state before the last change, of 2026-03-01T09:30:03.000Z, is used" in new.recovered
    assert state.notes == (new.recovered,), "the report tells it too"
    assert events(store)[-1]["event"] == "state_recovered"


def test_a_state_that_holds_nan_is_damaged_though_the_rest_is_valid(store):
    store.update(quality_score=40)
    text = store.path.read_bytes()
    store.path.write_bytes(text.replace(b'"usd":0.0', b'"usd":NaN'))
    assert store.path.read_bytes() != text
    new = again(store)
    new.load()
    assert "NaN is not JSON" in new.recovered


def test_after_a_recovery_the_run_goes_on_as_if_nothing_had_been(store):
    store.update(quality_score=40)
    store.update(quality_score=50)
    store.path.write_bytes(b"{")
    first = again(store)
    first.load()
    second = again(store)
    assert second.load() == first.state
    assert second.recovered is None
    assert second.update(quality_score=60).quality_score == 60


def test_a_lost_state_file_is_recovered_too(store):
    store.update(quality_score=40)
    store.path.unlink()
    new = again(store)
    new.load()
    assert new.recovered.startswith("state.json is missing; ")
    assert damaged(store) == []
    assert store.path.exists()


def test_with_both_generations_damaged_the_error_says_what_to_do(store):
    store.update(quality_score=40)
    store.path.write_bytes(b"{")
    last_good(store).write_bytes(b"[]")
    new = again(store)
    for _ in range(2):
        with pytest.raises(StateDamaged, match=r"put a good copy back as state\.json, or start a new run"):
            new.load()
    assert len(damaged(store)) == 1
    assert not store.path.exists(), "never silently back to defaults"


def test_a_folder_without_a_run_is_bad_input(tmp_path):
    with pytest.raises(BadInput, match="holds no run"):
        StateStore(tmp_path).load()


def test_a_state_of_another_version_is_told_and_left_where_it_is(store):
    store.update(quality_score=40)
    text = json.dumps({**on_disk(store), "schema_version": 3, "from_the_future": True})
    store.path.write_text(text)
    with pytest.raises(BadInput, match="has schema version 3, and this program reads version 2"):
        again(store).load()
    assert store.path.read_text() == text
    assert damaged(store) == []


def test_a_state_that_may_not_be_read_is_told_and_left_where_it_is(store, monkeypatch):
    def denied(path, most=0):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(nofollow, "read", denied)
    with pytest.raises(BadInput, match="Permission denied"):
        again(store).load()
    assert store.path.exists()


def test_a_disk_error_in_the_state_file_counts_as_damage(store, monkeypatch):
    store.update(quality_score=40)
    store.update(quality_score=50)
    read = nofollow.read

    def sick(path, most=nofollow.MOST):
        if path.endswith("/state.json"):
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return read(path, most)

    with monkeypatch.context() as patch:
        patch.setattr(nofollow, "read", sick)
        assert again(store).load().quality_score == 40
    assert len(damaged(store)) == 1


def test_hostile_text_in_a_damaged_state_cannot_forge_a_line_of_the_message(store):
    store.update(quality_score=40)
    store.path.write_text(json.dumps({**on_disk(store), "x\n\x1b[31mok": 1}))
    new = again(store)
    new.load()
    assert new.recovered.isprintable()


def test_an_issue_keeps_its_words_through_the_store(store):
    """Words of the vocabulary come back as such, not as plain text."""
    store.update(issues=(an_issue(severity=Severity.LOW),))
    assert again(store).load().issues[0].severity is Severity.LOW


def test_a_reading_load_tells_of_damage_and_mends_nothing(store):
    store.update(quality_score=40)
    store.update(quality_score=50)
    store.path.write_bytes(b"{")
    before = {p: p.read_bytes() for p in store.path.parent.iterdir()}
    new = again(store)
    assert new.load(read_only=True).quality_score == 40
    assert "state.json is damaged" in new.recovered
    assert {p: p.read_bytes() for p in store.path.parent.iterdir()} == before
    assert events(store)[-1]["event"] != "state_recovered"


def test_the_walk_keeps_each_change_of_phase_with_its_time(store):
    store.update(phase=Phase.RUNNING)
    store.update(quality_score=7)
    store.update(phase=Phase.RUNNING)
    store.update(phase=Phase.DIAGNOSIS)
    walked = store.load().walk
    assert [(move.source, move.dest) for move in walked] == [
        (Phase.PENDING, Phase.RUNNING),
        (Phase.RUNNING, Phase.DIAGNOSIS),
    ]
    assert walked[-1].at == store.state.updated_at


def test_half_a_character_in_a_state_is_read_as_it_was_written(tmp_path):
    store = StateStore(tmp_path / "run")
    store.create(replace(rich_state(), user_issue_description="half \udc80 of one"))
    assert StateStore(tmp_path / "run").load().user_issue_description == "half \udc80 of one"
