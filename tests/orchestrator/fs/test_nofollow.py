"""Test opening files in a project without following links."""

import errno
import json
import os
from contextlib import suppress
from pathlib import Path

import pytest

from orchestrator.errors import TuneSkillError, WriteFailed
from orchestrator.fleet.result_store import ResultStore
from orchestrator.fs import durable, nofollow, project_root
from orchestrator.fs.append_log import append_line
from orchestrator.guard.sessions.config import ProjectConfig
from orchestrator.guard.sessions.state import SessionState, hold_lock
from orchestrator.guard.steering.diagnostics import DiagnosticLog
from orchestrator.guard.steering.results import ReturnCode
from orchestrator.guard.steering.state import PowerSteeringState
from orchestrator.installation.targets import find_project_target
from orchestrator.model.question_queue import QuestionQueue
from orchestrator.run.store import StateStore
from orchestrator.run.workspace.journal import Journal, Kind
from schemas.records import State

WRITERS = {
    ".workflow/fleet/results.jsonl": lambda path: _open_result_store(path),
    ".workflow/skill-tuning/run/state.json": lambda path: StateStore(path.parent).create(State()),
    ".workflow/skill-tuning/run/journal.jsonl": lambda path: Journal(path, Path("/plover")).begin(
        Kind.APPLY, [], [], []
    ),
    ".workflow/skill-tuning/run/judge/lock": lambda path: QuestionQueue(path.parents[1]).set_open({}),
    ".workflow/skill-tuning/run/report.md": lambda path: durable.write_bytes(path, b"x"),
    ".maceff/agent_events_log.jsonl": lambda path: append_line(str(path), b"{}"),
    ".maceff/config.json": lambda path: durable.write_json(path, {}),
    ".maceff/sessions/s1/session_state.json": lambda path: _check_saved(SessionState("s1").save(path.parents[3])),
    ".maceff/agent_state.lock": lambda path: _hold_lock(path.with_suffix(".json")),
    ".claude/runtime/power-steering/s1/state.json": lambda path: _save_steering_state(
        PowerSteeringState("s1", path.parents[4])
    ),
    ".claude/runtime/power-steering/s1/diagnostic.jsonl": lambda path: DiagnosticLog(path).write("state_save"),
    "baseline.json": lambda path: durable.write_json(path, {}),
}
"""The paths that we write below a project, and the function that writes each."""


def _open_result_store(path):
    with ResultStore(path):
        pass


def _check_saved(is_saved):
    if not is_saved:
        raise OSError("not saved")


def _hold_lock(path):
    with hold_lock(path):
        pass


def _save_steering_state(state):
    assert state.save_state({}) is not ReturnCode.SUCCESS


@pytest.fixture
def outside_folder(tmp_path):
    """Return a folder outside the project with files that a link may lead to."""
    folder = tmp_path / "away"
    folder.mkdir()
    (folder / "aliases").write_text("alias ls=ls\n")
    return folder


@pytest.fixture(autouse=True)
def without_retries(monkeypatch):
    monkeypatch.setenv("AMPLIHACK_PS_MAX_RETRIES", "0")


def call_ignoring_errors(write, path):
    """Call a function that writes; ignore the errors that it may raise."""
    try:
        write(path)
    except (OSError, TuneSkillError):
        return


def read_folder(folder):
    return {str(path.relative_to(folder)): path.is_file() and path.read_bytes() for path in folder.rglob("*")}


@pytest.mark.parametrize("file", WRITERS)
def test_no_own_file_is_written_through_a_link(project, outside_folder, file):
    path = project / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(outside_folder / "aliases")
    before = read_folder(outside_folder)
    call_ignoring_errors(WRITERS[file], path)
    path.unlink(missing_ok=True)
    path.symlink_to(outside_folder / "new")
    call_ignoring_errors(WRITERS[file], path)
    assert read_folder(outside_folder) == before


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
@pytest.mark.parametrize("file", WRITERS)
def test_no_own_folder_is_written_through_a_link(project, outside_folder, file, depth):
    path = project / file
    parts = Path(file).parts
    if depth >= len(parts):
        return
    link = project.joinpath(*parts[:depth])
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(outside_folder)
    before = read_folder(outside_folder)
    call_ignoring_errors(WRITERS[file], path)
    assert read_folder(outside_folder) == before


@pytest.mark.parametrize("file", WRITERS)
def test_each_own_file_is_written_without_a_link(project, file):
    path = project / file
    path.parent.mkdir(parents=True, exist_ok=True)
    if "power-steering" in file and path.name == "state.json":
        assert PowerSteeringState("s1", project).save_state({}) is ReturnCode.SUCCESS
    else:
        WRITERS[file](path)
    assert path.is_file()


def test_error_names_the_link(project, outside_folder):
    (project / ".workflow").symlink_to(outside_folder)
    with pytest.raises(WriteFailed, match=f"{project}/.workflow is a link, and links are not followed here"):
        durable.write_bytes(project / ".workflow" / "report.md", b"x")
    with pytest.raises(WriteFailed, match=f"{project}/.workflow is a link"):
        durable.ensure_private_dir(project / ".workflow" / "fleet")
    (project / ".maceff").mkdir()
    (link := project / ".maceff" / "config.json").symlink_to(outside_folder)
    assert ProjectConfig(project).problem == f"{link}: it is a link, and links are not followed here"
    link.unlink()
    link.parent.rmdir()
    link.parent.symlink_to(outside_folder)
    assert ProjectConfig(project).problem == f"{link}: {link.parent} is a link, and links are not followed here"


def test_pipe_or_a_device_is_not_opened(project):
    (project / ".maceff").mkdir()
    pipe = project / ".maceff" / "agent_events_log.jsonl"
    os.mkfifo(pipe)
    for flags in (os.O_RDONLY, os.O_RDWR, os.O_WRONLY | os.O_APPEND | os.O_CREAT):
        with pytest.raises(OSError, match="not a regular file"):
            nofollow.open_file(str(pipe), flags)
    with pytest.raises(OSError, match="not a regular file"):
        nofollow.open_file("/dev/zero", os.O_RDONLY)


def test_path_to_a_project_may_contain_links(project, tmp_path, monkeypatch):
    (tmp_path / "way").symlink_to(project)
    durable.ensure_private_dir(tmp_path / "way" / ".workflow")
    durable.write_bytes(tmp_path / "way" / ".workflow" / "a", b"x")
    assert (project / ".workflow" / "a").read_bytes() == b"x"
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(tmp_path / "way"))
    ProjectConfig()
    append_line(project_root.get_log_path(), b"{}")
    assert (project / ".maceff" / project_root.NAME).read_bytes() == b"{}\n"


def test_links_in_the_home_folder_are_followed(tmp_path, monkeypatch):
    home = Path(os.environ["HOME"])
    (home / ".git").mkdir()
    (tmp_path / "disk").mkdir()
    (home / "state").symlink_to(tmp_path / "disk")
    durable.ensure_private_dir(home / "state" / "tune-skill")
    durable.write_bytes(home / "state" / "tune-skill" / "a", b"x")
    (home / ".claude").symlink_to(tmp_path / "disk")
    durable.write_bytes(home / ".claude" / "settings.json", b"{}")
    assert {path.name for path in (tmp_path / "disk").iterdir()} == {"tune-skill", "settings.json"}


def test_links_in_any_project_are_not_followed(project, outside_folder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (project / "work").symlink_to(outside_folder)
    before = read_folder(outside_folder)
    with pytest.raises(WriteFailed, match="is a link"):
        durable.ensure_private_dir(project / "work" / "run")
    assert read_folder(outside_folder) == before


def test_settings_of_a_project_are_not_installed_through_a_link(project, outside_folder):
    (project / ".claude").symlink_to(outside_folder)
    with pytest.raises(TuneSkillError, match=r"\.claude is a link"):
        find_project_target()


def test_read_stops_at_a_limit(project):
    (project / ".maceff").mkdir()
    large_file = project / ".maceff" / "config.json"
    with large_file.open("wb") as file:
        file.truncate(10_000_000_000)
    with pytest.raises(OSError, match="larger than") as error_info:
        nofollow.read(str(large_file))
    assert error_info.value.errno == errno.EFBIG
    with pytest.raises(OSError, match="not a regular file"):
        nofollow.read("/dev/zero")


@pytest.mark.parametrize("file_in_clone", ["config.json", "agent_events_log.jsonl"])
def test_first_event_adds_an_ignore_file(project, file_in_clone):
    (project / ".maceff").mkdir()
    (project / ".maceff" / file_in_clone).write_text("{}\n")
    append_line(project_root.get_log_path(), json.dumps({"prompt": "gulls"}).encode())
    assert (project / ".maceff" / ".gitignore").read_text() == "*\n"


@pytest.mark.parametrize("kind", ["link", "folder"])
def test_fake_ignore_file_is_replaced(project, kind):
    ignore = project / ".maceff" / ".gitignore"
    ignore.mkdir(parents=True) if kind == "folder" else ignore.parent.mkdir()
    if kind == "link":
        ignore.symlink_to("nowhere")
    with suppress(OSError, WriteFailed):
        append_line(project_root.get_log_path(), json.dumps({"prompt": "gulls"}).encode())
    is_written = (project / ".maceff" / "agent_events_log.jsonl").exists()
    assert (not ignore.is_symlink() and ignore.is_file()) or not is_written


def test_first_state_adds_ignore_files(project):
    for folder in (".maceff/sessions/s1", ".claude/runtime/power-steering/s1"):
        (project / folder).mkdir(parents=True)
        (project / folder / "notes.md").write_text("x")
    SessionState("s1").save(project)
    PowerSteeringState("s1", project).save_state({})
    assert (project / ".maceff" / ".gitignore").read_text() == "*\n"
    assert (project / ".claude" / "runtime" / "power-steering" / ".gitignore").read_text() == "*\n"


def test_existing_ignore_file_is_kept(project):
    (project / ".workflow").mkdir()
    (project / ".workflow" / ".gitignore").write_text("*\n!keep.md\n")
    durable.ensure_private_dir(project / ".workflow")
    assert (project / ".workflow" / ".gitignore").read_text() == "*\n!keep.md\n"
