"""Test that a run continues only from a work dir that this user created or trusts."""

import hashlib
import json
import os
import shutil
from pathlib import Path

import pytest

from orchestrator.errors import BadInput, Refused
from orchestrator.fs.durable import encode
from orchestrator.fs.own_folders import is_trusted, trust_work_dir
from orchestrator.run.run import Run
from orchestrator.run.work_dirs import check_unit_path
from orchestrator.run.workspace.registry import is_held, read_last_claim
from schemas.records import TargetSkill
from tests.fakes import Listener, resume_run, start_run, write_skill

HOSTILE_SCRIPT = b"#!/bin/sh\necho tide\n"


@pytest.fixture
def work(tmp_path):
    return tmp_path / "project" / ".workflow" / "skill-tuning" / "20260301-plover"


@pytest.fixture
def skill(tmp_path):
    return write_skill(tmp_path / "project" / "plover")


@pytest.fixture
def own_work_dir(skill, work):
    """Return the work dir of a run of this user."""
    work.parent.mkdir(parents=True)
    start_run(skill, work, apply="ask")
    return work


def become_another_user(tmp_path, monkeypatch):
    """Set HOME to a folder without runs, as for another user."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "another" / "state"))


def replace_skill_in_state(work, **target):
    """Replace the skill in the state, as a hostile repository could."""
    state = json.loads((work / "state.json").read_bytes())
    state["target_skill"].update(target)
    for name in ("state.json", "state.json.last-good"):
        (work / name).unlink(missing_ok=True)
        (work / name).write_bytes(encode(state))


def add_hostile_journal_entry(work, file, skill, outcome="open"):
    """Add a journal entry that creates an executable `file`."""
    name = hashlib.sha256(HOSTILE_SCRIPT).hexdigest()
    (work / "blobs").mkdir(exist_ok=True)
    (work / "blobs" / name).write_bytes(HOSTILE_SCRIPT)
    step = {"file": file, "before": None, "after": name, "mode": 0o755}
    entry = {"number": 1, "kind": "rollback", "fixes": ["FIX-001"], "steps": [step], "folders": [], "outcome": outcome}
    (work / "journal.jsonl").write_text(json.dumps({**entry, "edited": [], "skill": skill}) + "\n")


def read_refusal(work):
    with pytest.raises(Refused) as error_info:
        resume_run(work)
    return str(error_info.value)


def test_known_work_dir_is_accepted_from_any_folder(own_work_dir, tmp_path, monkeypatch):
    assert is_trusted(own_work_dir)
    monkeypatch.chdir(tmp_path)
    assert resume_run(own_work_dir).store.state.run_id == own_work_dir.name


def test_cloned_work_dir_is_refused_with_a_hint_to_trust_it(own_work_dir, tmp_path, monkeypatch):
    become_another_user(tmp_path, monkeypatch)
    before = {path: path.read_bytes() for path in own_work_dir.rglob("*") if path.is_file()}
    message = read_refusal(own_work_dir)
    assert str(own_work_dir) in message
    assert f"tune-skill trust {own_work_dir}" in message
    assert {path: path.read_bytes() for path in own_work_dir.rglob("*") if path.is_file()} == before


def test_cloned_journal_cannot_write_a_git_hook(own_work_dir, tmp_path, monkeypatch):
    git = tmp_path / "project" / ".git"
    (git / "hooks").mkdir(parents=True)
    monkeypatch.chdir(git.parent)
    add_hostile_journal_entry(own_work_dir, "hooks/pre-commit", "")
    replace_skill_in_state(own_work_dir, path=".git")
    read_refusal(own_work_dir)
    become_another_user(tmp_path, monkeypatch)
    read_refusal(own_work_dir)
    assert not list((git / "hooks").iterdir())


def test_copy_of_a_known_work_dir_is_refused(own_work_dir, tmp_path):
    shutil.copytree(own_work_dir, tmp_path / "copy")
    assert not is_trusted(tmp_path / "copy")
    assert "trust" in read_refusal(tmp_path / "copy")


def test_known_run_with_another_skill_in_its_state_is_refused(own_work_dir, tmp_path):
    other_skill = write_skill(tmp_path / "other")
    replace_skill_in_state(own_work_dir, path=str(other_skill))
    message = read_refusal(own_work_dir)
    assert str(other_skill) in message
    assert "was created for" in message


@pytest.mark.parametrize("outcome", ["open", "closed"])
@pytest.mark.parametrize("skill_in_entry", ["", "/somewhere/else"])
def test_journal_entry_of_another_skill_is_refused(own_work_dir, skill, skill_in_entry, outcome):
    add_hostile_journal_entry(own_work_dir, "new.md", skill_in_entry, outcome)
    assert "entry 1" in read_refusal(own_work_dir)
    assert not (skill / "new.md").exists()


@pytest.mark.parametrize("file", [".git/hooks/pre-commit", "phases/.git/config", ".GIT/config"])
def test_journal_entry_in_git_is_refused(own_work_dir, skill, file):
    add_hostile_journal_entry(own_work_dir, file, str(skill))
    assert "belongs to git" in read_refusal(own_work_dir)
    assert not (skill / file).exists()


@pytest.mark.parametrize("path", [".", "plover", "", None, "/", "/tmp/../tmp"])
def test_state_with_an_unusable_skill_path_is_refused(own_work_dir, path, monkeypatch):
    monkeypatch.chdir(own_work_dir.parents[2])
    with pytest.raises((Refused, BadInput), match="skill"):
        check_unit_path(own_work_dir, TargetSkill(path=path))


def test_state_with_a_link_to_a_skill_is_refused(own_work_dir, skill, tmp_path):
    (tmp_path / "link").symlink_to(skill)
    with pytest.raises(Refused, match="not an absolute path"):
        check_unit_path(own_work_dir, TargetSkill(path=str(tmp_path / "link")))


def test_trusted_work_dir_is_accepted(own_work_dir, skill, tmp_path, monkeypatch):
    become_another_user(tmp_path, monkeypatch)
    trust_work_dir(own_work_dir, check_unit_path(own_work_dir, TargetSkill(path=str(skill))))
    assert resume_run(own_work_dir).workspace.root == skill


@pytest.mark.parametrize("damage", [b"{", b"null", b'{"work_dir":' + b"[" * 9000, os.mkfifo])
def test_damaged_notes_are_ignored(own_work_dir, skill, damage):
    for note in (Path(os.environ["XDG_STATE_HOME"]) / "tune-skill").glob("*/*.json"):
        note.unlink()
        _ = damage(note) if callable(damage) else note.write_bytes(damage)
    assert not is_trusted(own_work_dir)
    assert (read_last_claim(skill), is_held(skill)) == (None, False)


def test_known_work_dir_is_accepted_through_a_link(skill, work, tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "project")
    linked_work_dir = tmp_path / "link" / work.relative_to(tmp_path / "project")
    work.parent.mkdir(parents=True)
    start_run(tmp_path / "link" / "plover", linked_work_dir, apply="ask")
    assert Run.open(work, Listener()).workspace.root == skill
    assert Run.open(linked_work_dir, Listener()).workspace.root == skill


def test_known_work_dirs_of_two_skills_are_separate(skill, work, tmp_path):
    other_skill = write_skill(tmp_path / "project" / "tern")
    work.parent.mkdir(parents=True)
    start_run(skill, work, apply="ask")
    start_run(other_skill, work.with_name("20260301-tern"), apply="ask")
    assert resume_run(work).workspace.root == skill
    assert resume_run(work.with_name("20260301-tern")).workspace.root == other_skill
