"""Test that an installation makes all its changes or none, whatever fails."""

import os
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest

from orchestrator.errors import WriteFailed
from orchestrator.fs import durable
from orchestrator.fs.home import find_state_folder
from orchestrator.installation import changes
from orchestrator.installation.changes import apply_changes
from orchestrator.installation.install import plan_command_files, plan_hooks, plan_uninstall
from orchestrator.installation.targets import find_project_target


@pytest.fixture
def target(project):
    (project / ".claude/agents").mkdir(parents=True)
    (project / ".claude/settings.local.json").write_text('{\n\t"model": "x"\n}')
    (project / ".claude/settings.local.json").chmod(0o600)
    return find_project_target()


def plan_install(target, version="1.0"):
    return [*plan_command_files(target, version), *plan_hooks(target, False)]


def read_tree(target):
    paths = target.folder.parent.rglob("*")
    return {path: (path.stat().st_mode, path.read_bytes() if path.is_file() else None) for path in paths}


def fail_at(monkeypatch, path):
    """Let the first write or removal of a file fail."""
    write_bytes, unlink, left = durable.write_bytes, Path.unlink, [path]

    def fail(path):
        if path in left:
            left.remove(path)
            raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(durable, "write_bytes", lambda path, *a, **k: (fail(path), write_bytes(path, *a, **k)))
    monkeypatch.setattr(Path, "unlink", lambda path, *a, **k: (fail(path), unlink(path, *a, **k)))


@pytest.mark.parametrize("action", ["install", "update", "uninstall"])
def test_failed_changes_leave_every_file_and_folder_as_before(target, monkeypatch, action):
    if action != "install":
        apply_changes(plan_install(target, "0.1" if action == "update" else "1.0"))
    planned = plan_uninstall(target, with_skill=True) if action == "uninstall" else plan_install(target)
    before = read_tree(target)
    for change in planned:
        with monkeypatch.context() as patch:
            fail_at(patch, change.path)
            with pytest.raises(WriteFailed, match="nothing was changed"):
                apply_changes(planned)
        assert read_tree(target) == before


@pytest.mark.parametrize("action", ["install", "update"])
def test_nothing_is_changed_if_a_note_cannot_be_written(target, monkeypatch, action):
    """Without its notes `uninstall` could not undo the installation."""
    if action == "update":
        apply_changes(plan_install(target, "0.1"))
        target.skill.write_bytes(target.skill.read_bytes() + b"edited")
    planned, before, count = plan_install(target), (read_tree(target), read_notes()), 0
    while is_failing(monkeypatch, count, planned):
        assert (read_tree(target), read_notes()) == before
        count += 1
    assert count >= 3


@pytest.mark.parametrize("action", ["install", "update", "uninstall"])
@pytest.mark.parametrize("is_after", [True, False])
def test_ctrl_c_undoes_all_changes_and_says_so(target, monkeypatch, action, is_after):
    if action != "install":
        apply_changes(plan_install(target, "0.1" if action == "update" else "1.0"))
    planned = plan_uninstall(target, with_skill=True) if action == "uninstall" else plan_install(target)
    before, count = (read_tree(target), read_notes()), 0
    while (message := apply_until_interrupt(monkeypatch, planned, count, is_after)) == "nothing was changed":
        assert (read_tree(target), read_notes()) == before
        count += 1
    assert message in ("", "all changes were made; a backup may be left")
    assert count > 5
    assert read_tree(target) != before[0]


def apply_until_interrupt(monkeypatch, planned, count, is_after):
    """Apply changes, with Ctrl-C at the call after `count` others, and return what is said then, or ""."""
    calls = []

    def interrupt(function, *arguments, **options):
        calls.append(function)
        if len(calls) == count + 1:
            with suppress(OSError):
                function(*arguments, **options) if is_after else None
            raise KeyboardInterrupt
        return function(*arguments, **options)

    with monkeypatch.context() as patch:
        for name in ("fsync", "replace", "unlink", "rmdir", "mkdir"):
            patch.setattr(os, name, partial(interrupt, getattr(os, name)))
        try:
            apply_changes(planned)
        except KeyboardInterrupt as error:
            return str(error)
    return ""


def is_failing(monkeypatch, count, planned):
    """Apply changes while the note after `count` others cannot be written, and return whether that failed."""
    write_json, paths = durable.write_json, []

    def write(path, *arguments, **options):
        paths.append(path)
        if len(paths) == count + 1:
            raise WriteFailed(f"cannot write {path}: No space left on device")
        write_json(path, *arguments, **options)

    with monkeypatch.context() as patch:
        patch.setattr(durable, "write_json", write)
        try:
            apply_changes(planned)
        except WriteFailed as error:
            assert str(error).endswith("No space left on device; nothing was changed")
            return True
    return False


def read_notes():
    return {path: path.read_bytes() for path in find_state_folder().rglob("*.json")}


def test_error_names_the_files_that_could_not_be_restored(target, monkeypatch):
    apply_changes(plan_install(target))
    planned = plan_uninstall(target, with_skill=True)
    unlink, first, last = Path.unlink, planned[0].path, planned[-1].path

    def fail(path, *arguments, **options):
        if path == last:
            first.write_text("edited meanwhile")
            raise PermissionError(13, "Permission denied", str(path))
        unlink(path, *arguments, **options)

    monkeypatch.setattr(Path, "unlink", fail)
    with pytest.raises(
        WriteFailed, match=rf"cannot write {last}: .*; the other changes were undone, except in {first}$"
    ):
        apply_changes(planned)
    assert target.skill.exists()
    assert first.read_text() == "edited meanwhile"


def test_file_that_another_installation_wrote_is_kept(target, monkeypatch):
    """Both have the same plan, and the other one is faster after the first comparison."""
    planned, apply = plan_install(target), changes._apply

    def apply_later(change):
        monkeypatch.setattr(changes, "_apply", apply)
        apply_changes(planned)
        apply(change)

    monkeypatch.setattr(changes, "_apply", apply_later)
    with pytest.raises(WriteFailed, match="another program has just changed it"):
        apply_changes(planned)
    assert [change.path.read_bytes() for change in planned] == [change.after for change in planned]


def test_backup_that_cannot_be_deleted_is_returned(target, monkeypatch):
    apply_changes(plan_install(target))
    planned = plan_uninstall(target, with_skill=True)
    (backup,) = target.folder.glob("*.backup-*")
    unlink = Path.unlink

    def fail(path, *arguments, **options):
        if path == backup:
            raise PermissionError
        unlink(path, *arguments, **options)

    monkeypatch.setattr(Path, "unlink", fail)
    assert apply_changes(planned) == [backup]
    assert sorted(path.name for path in target.folder.rglob("*")) == ["agents", target.settings.name, backup.name]
