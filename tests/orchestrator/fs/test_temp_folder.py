"""Test that the temporary folder of a killed command is removed by the next command of its kind, and nothing else."""

import os
import signal
import subprocess
import sys

import pytest

from orchestrator.fs.temp_folder import create_temp_folder

PROGRAM_WITH_TEMP_FOLDER = """
import sys, time
from pathlib import Path
from orchestrator.fs.temp_folder import create_temp_folder
with create_temp_folder("listing", Path(sys.argv[1])) as folder:
    (folder / "file").write_text("text")
    print(folder, flush=True)
    time.sleep(60)
"""


@pytest.fixture
def running_command(tmp_path):
    """Yield the process of a running command that has a temporary folder in `tmp_path`."""
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM_WITH_TEMP_FOLDER, tmp_path], stdout=subprocess.PIPE, text=True
    ) as process:
        process.folder = tmp_path / os.path.basename(process.stdout.readline().strip())  # noqa: PTH119
        yield process
        process.kill()


def test_temp_folder_is_private_and_removed_at_the_end(tmp_path):
    with create_temp_folder("listing", tmp_path) as folder:
        assert folder.parent == tmp_path
        assert folder.stat().st_mode & 0o777 == 0o700
        (folder / "file").write_text("text")
    assert not [*tmp_path.iterdir()]


def test_temp_folder_of_a_killed_command_is_removed(tmp_path, running_command):
    running_command.send_signal(signal.SIGKILL)
    running_command.wait()
    assert (running_command.folder / "file").exists()
    with create_temp_folder("listing", tmp_path) as folder:
        assert [*tmp_path.iterdir()] == [folder]


def test_temp_folder_of_a_running_command_is_kept(tmp_path, running_command):
    with create_temp_folder("listing", tmp_path):
        assert (running_command.folder / "file").read_text() == "text"


def test_temp_folder_removes_no_foreign_folder(tmp_path):
    number = "0123456789abcdef"
    foreign_names = ("tune-skill-listing-examples", f"tune-skill-judge-{number}", f"my-tune-skill-listing-{number}")
    for name in foreign_names:
        (tmp_path / name).mkdir(mode=0o700)
    (tmp_path / f"tune-skill-listing-{number[::-1]}").write_text("a file")
    (tmp_path / f"tune-skill-listing-{number}").symlink_to(tmp_path / foreign_names[0])
    (shared_folder := tmp_path / f"tune-skill-listing-{'a' * 16}").mkdir()
    shared_folder.chmod(0o755)
    before = {*tmp_path.iterdir()}
    with create_temp_folder("listing", tmp_path) as folder:
        assert {*tmp_path.iterdir()} == before | {folder}
    assert {*tmp_path.iterdir()} == before
