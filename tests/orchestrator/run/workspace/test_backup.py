"""Test the full backup of a skill."""

import hashlib
import json
import os
import stat

from orchestrator.run.workspace import backup


def read_manifest(bench):
    return {row["file"]: row for row in json.loads((bench.work / "backup.json").read_bytes())["files"]}


def test_backup_copies_bytes_modes_and_links(bench, tmp_path):
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/secret.md").write_bytes(b"mine")
    (bench.skill / "out").symlink_to(tmp_path / "outside")
    (bench.skill / "circle").symlink_to(".")
    (bench.skill / "nowhere").symlink_to("gone")
    os.mkfifo(bench.skill / "pipe")
    folder = bench.space.backup()
    assert folder == bench.work / "backup"
    rows_by_file = read_manifest(bench)
    assert sorted(rows_by_file) == sorted(str(path.relative_to(bench.skill)) for path in bench.skill.rglob("*"))
    assert (folder / "SKILL.md").read_bytes() == bench.read("SKILL.md")
    assert stat.S_IMODE((folder / "run.sh").stat().st_mode) == rows_by_file["run.sh"]["mode"] == 0o751
    assert rows_by_file["run.sh"]["sha256"] == hashlib.sha256(bench.read("run.sh")).hexdigest()
    assert (folder / "out").readlink() == tmp_path / "outside"
    assert [rows_by_file[name]["kind"] for name in ("out", "circle", "nowhere", "pipe", "empty")] == ["link"] * 3 + [
        "special",
        "folder",
    ]
    assert (folder / "circle").is_symlink()
    assert (folder / "empty").is_dir()
    assert not (folder / "pipe").exists()


def test_backup_lists_a_large_file_without_copying_it(bench):
    with (bench.skill / "film.bin").open("wb") as file:
        file.truncate(backup.MAX_BYTES + 1)
    folder = bench.space.backup()
    assert read_manifest(bench)["film.bin"]["kind"] == "large"
    assert not (folder / "film.bin").exists()


def test_backup_lists_vendored_folders_without_copying_them(bench):
    (bench.skill / "node_modules/left-pad").mkdir(parents=True)
    (bench.skill / "node_modules/left-pad/index.js").touch()
    folder = bench.space.backup()
    assert [(row["file"], row["kind"]) for row in read_manifest(bench).values() if "node" in row["file"]] == [
        ("node_modules", "vendored")
    ]
    assert not (folder / "node_modules").exists()


def test_backup_of_an_unreadable_folder_is_empty(bench, monkeypatch):
    original_open = os.open

    def refuse_phases(path, *args, **kwargs):
        if (
            path == "phases"
            and kwargs.get("dir_fd")
            and not stat.S_ISREG(os.stat(path, dir_fd=kwargs["dir_fd"]).st_mode)
        ):
            raise PermissionError
        return original_open(path, *args, **kwargs)

    monkeypatch.setattr(backup.os, "open", refuse_phases)
    folder = bench.space.backup()
    assert list((folder / "phases").iterdir()) == []
    assert (folder / "run.sh").is_file()


def test_backup_does_not_overwrite_an_earlier_one(bench):
    bench.space.backup()
    (bench.skill / "run.sh").write_bytes(b"later")
    assert (bench.space.backup() / "run.sh").read_bytes() == b"#!/bin/sh\necho tide\n"


def test_backup_replaces_a_partial_one(bench):
    (bench.work / "backup.partial").mkdir(parents=True)
    (bench.work / "backup.partial" / "half.md").write_bytes(b"")
    folder = bench.space.backup()
    assert not (folder / "half.md").exists()
    assert not (bench.work / "backup.partial").exists()


def test_backup_copies_many_files_and_a_deep_folder(bench):
    for part in range(20):
        (bench.skill / f"part-{part}").mkdir()
        for number in range(100):
            (bench.skill / f"part-{part}" / f"{number}.md").touch()
    deep_folder = bench.skill.joinpath(*["d"] * 400)
    deep_folder.mkdir(parents=True)
    bench.space.backup()
    assert sum(row["kind"] == "file" for row in read_manifest(bench).values()) == 2_004
