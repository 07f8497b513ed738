"""Test that a damaged state is renamed and the previous generation is used."""

import errno
import json
import os

import pytest
from msgspec.structs import replace

from orchestrator.errors import BadInput, StateDamaged
from orchestrator.fs import nofollow
from orchestrator.run.store import StateStore
from schemas.vocabulary import Severity
from tests.orchestrator.run.stores import (
    get_last_good_file,
    list_damaged_files,
    make_store,
    read_saved_state,
    read_state_events,
    reopen_store,
)
from tests.schemas.samples import make_issue


@pytest.fixture
def store(tmp_path):
    return make_store(tmp_path / "run")


STAGES = ("listing", "body", "on_demand")
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
def test_load_renames_a_damaged_state_and_uses_the_last_good_one(store, damage):
    store.save(replace(store.state, quality_score=40))
    store.save(replace(store.state, quality_score=50))
    store.path.write_bytes(damage)
    new_store = reopen_store(store)
    state = new_store.load()
    assert state.quality_score == 40
    assert list_damaged_files(store) == ["state.json.damaged-2026-03-01T093001.000Z"]
    assert (store.path.parent / list_damaged_files(store)[0]).read_bytes() == damage
    assert new_store.recovered is not None
    assert f"set aside as {list_damaged_files(store)[0]}" in new_store.recovered
    assert "using the state before the last change, from 2026-03-01T09:30:03.000Z" in new_store.recovered
    assert state.notes == (new_store.recovered,), "the notes, which the report shows, lack the message"
    assert read_state_events(store)[-1]["event"] == "state_recovered"


def test_load_renames_a_folder_in_place_of_the_state(store):
    store.save(replace(store.state, quality_score=40))
    store.save(replace(store.state, quality_score=50))
    store.path.unlink()
    store.path.mkdir()
    assert reopen_store(store).load().quality_score == 40
    assert list_damaged_files(store) == ["state.json.damaged-2026-03-01T093001.000Z"]


def test_load_treats_nan_as_damage(store):
    store.save(replace(store.state, quality_score=40))
    text = store.path.read_bytes()
    store.path.write_bytes(text.replace(b'"usd":0.0', b'"usd":NaN'))
    assert store.path.read_bytes() != text
    new_store = reopen_store(store)
    new_store.load()
    assert "NaN is not JSON" in new_store.recovered


@pytest.mark.parametrize("numbers", [{"max_iterations": 1e308}, {"tokens": dict.fromkeys(STAGES, 10**400)}])
def test_load_treats_an_unusable_number_as_damage(store, numbers):
    store.save(replace(store.state, quality_score=40))
    for path in (store.path, get_last_good_file(store)):
        path.write_text(json.dumps({**read_saved_state(store), **numbers}))
    with pytest.raises(StateDamaged, match=r"is damaged|greater than the maximum"):
        reopen_store(store).load(read_only=True)


def test_recovered_state_can_be_saved_and_loaded(store):
    store.save(replace(store.state, quality_score=40))
    store.save(replace(store.state, quality_score=50))
    store.path.write_bytes(b"{")
    first_store = reopen_store(store)
    first_store.load()
    second_store = reopen_store(store)
    assert second_store.load() == first_store.state
    assert second_store.recovered is None
    assert second_store.save(replace(second_store.state, quality_score=60)).quality_score == 60


def test_load_recovers_a_missing_state_file(store):
    store.save(replace(store.state, quality_score=40))
    store.path.unlink()
    new_store = reopen_store(store)
    new_store.load()
    assert new_store.recovered.startswith("state.json is missing; ")
    assert list_damaged_files(store) == []
    assert store.path.exists()


def test_load_says_what_to_do_if_both_generations_are_damaged(store):
    store.save(replace(store.state, quality_score=40))
    store.path.write_bytes(b"{")
    get_last_good_file(store).write_bytes(b"[]")
    new_store = reopen_store(store)
    for _ in range(2):
        with pytest.raises(StateDamaged, match=r"put a good copy back as state\.json, or start a new run"):
            new_store.load()
    assert len(list_damaged_files(store)) == 1
    assert not store.path.exists(), "a damaged state was replaced by defaults"


def test_load_rejects_a_folder_without_a_run(tmp_path):
    with pytest.raises(BadInput, match="has no run"):
        StateStore(tmp_path).load()


def test_load_reports_another_version_and_keeps_the_file(store):
    store.save(replace(store.state, quality_score=40))
    text = json.dumps({**read_saved_state(store), "schema_version": 3, "from_the_future": True})
    store.path.write_text(text)
    with pytest.raises(BadInput, match="has schema version 3; this program reads version 2"):
        reopen_store(store).load()
    assert store.path.read_text() == text
    assert list_damaged_files(store) == []


def test_load_reports_an_unreadable_state_and_keeps_the_file(store, monkeypatch):
    def raise_permission_error(path, most=0):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(nofollow, "read", raise_permission_error)
    with pytest.raises(BadInput, match="Permission denied"):
        reopen_store(store).load()
    assert store.path.exists()


def test_load_treats_a_disk_error_as_damage(store, monkeypatch):
    store.save(replace(store.state, quality_score=40))
    store.save(replace(store.state, quality_score=50))
    read = nofollow.read

    def raise_disk_error(path, most=nofollow.MAX_BYTES):
        if path.endswith("/state.json"):
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return read(path, most)

    with monkeypatch.context() as patch:
        patch.setattr(nofollow, "read", raise_disk_error)
        assert reopen_store(store).load().quality_score == 40
    assert len(list_damaged_files(store)) == 1


def test_text_of_a_damaged_state_cannot_forge_a_message_line(store):
    store.save(replace(store.state, quality_score=40))
    store.path.write_text(json.dumps({**read_saved_state(store), "x\n\x1b[31mok": 1}))
    new_store = reopen_store(store)
    new_store.load()
    assert new_store.recovered.isprintable()


def test_load_restores_enums_of_an_issue(store):
    """Enum values are loaded as enums, not as plain text."""
    store.save(replace(store.state, issues=(make_issue(severity=Severity.LOW),)))
    assert reopen_store(store).load().issues[0].severity is Severity.LOW


def test_read_only_load_reports_damage_and_changes_nothing(store):
    store.save(replace(store.state, quality_score=40))
    store.save(replace(store.state, quality_score=50))
    store.path.write_bytes(b"{")
    before = {p: p.read_bytes() for p in store.path.parent.iterdir()}
    new_store = reopen_store(store)
    assert new_store.load(read_only=True).quality_score == 40
    assert "state.json is damaged" in new_store.recovered
    assert {p: p.read_bytes() for p in store.path.parent.iterdir()} == before
    assert read_state_events(store)[-1]["event"] != "state_recovered"
