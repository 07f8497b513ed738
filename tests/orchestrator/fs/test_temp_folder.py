"""Temporary folders: a killed command's is removed by the next command of its kind, and nothing else is."""

import os
import signal
import subprocess
import sys

import pytest

from orchestrator.fs.temp_folder import create_temp_folder

OWNER = """
import sys, time
from pathlib import Path
from orchestrator.fs.temp_folder import create_temp_folder
with create_temp_folder("listing", Path(sys.argv[1])) as folder:
    (folder / "file").write_text("text")
    print(folder, flush=True)
    time.sleep(60)
"""


@pytest.fixture
def owner(tmp_path):
    """A living command with a folder in `tmp_path`."""
    with subprocess.Popen([sys.executable, "-c", OWNER, tmp_path], stdout=subprocess.PIPE, text=True) as process:
        process.folder = tmp_path / os.path.basename(process.stdout.readline().strip())  # noqa: PTH119
        yield process
        process.kill()


def test_temp_folder_is_private_and_removed_at_the_end(tmp_path):
    with create_temp_folder("listing", tmp_path) as folder:
        assert folder.parent == tmp_path
        assert folder.stat().st_mode & 0o777 == 0o700
        (folder / "file").write_text("text")
    assert not [*tmp_path.iterdir()]


def test_temp_folder_of_a_killed_command_is_removed(tmp_path, owner):
    owner.send_signal(signal.SIGKILL)
    owner.wait()
    assert (owner.folder / "file").exists()
    with create_temp_folder("listing", tmp_path) as folder:
        assert [*tmp_path.iterdir()] == [folder]


def test_temp_folder_of_a_living_command_is_kept(tmp_path, owner):
    with create_temp_folder("listing", tmp_path):
        assert (owner.folder / "file").read_text() == "text"


def test_temp_folder_removes_no_foreign_folder(tmp_path):
    number = "0123456789abcdef"
    foreign = ("tune-skill-listing-examples", f"tune-skill-judge-{number}", f"my-tune-skill-listing-{number}")
    for name in foreign:
        (tmp_path / name).mkdir(mode=0o700)
    (tmp_path / f"tune-skill-listing-{number[::-1]}").write_text("a file")
    (tmp_path / f"tune-skill-listing-{number}").symlink_to(tmp_path / foreign[0])
    (shared := tmp_path / f"tune-skill-listing-{'a' * 16}").mkdir()
    shared.chmod(0o755)
    before = {*tmp_path.iterdir()}
    with create_temp_folder("listing", tmp_path) as folder:
        assert {*tmp_path.iterdir()} == before | {folder}
    assert {*tmp_path.iterdir()} == before
