"""Test that hostile files in a clone use no memory and block no command."""

import json
import os
import resource
import signal
from pathlib import Path

import pytest

from actions.project.model_listings import ListingSettings
from orchestrator.engine.baseline import read_baseline
from orchestrator.errors import BadInput, StateDamaged, TuneSkillError
from orchestrator.fs.git_files import read_head_commit
from orchestrator.guard.hooks import entry
from orchestrator.guard.hooks.compaction import read_lost_memory
from orchestrator.guard.hooks.hook import Call
from orchestrator.guard.hooks.sidecar import write_sidecar
from orchestrator.guard.log.event_log import EventLog
from orchestrator.guard.log.events import read_events
from orchestrator.guard.sessions.artifacts import find_latest_artifacts
from orchestrator.guard.sessions.config import ProjectConfig
from orchestrator.guard.sessions.cycles import load_agent_state
from orchestrator.guard.sessions.manifest import load_merged_manifest
from orchestrator.guard.sessions.state import SessionState
from orchestrator.guard.steering.considerations import load_considerations, load_shipped_considerations
from orchestrator.guard.steering.diagnostics import DiagnosticLog
from orchestrator.guard.steering.state import PowerSteeringState
from orchestrator.guard.steering.switches import read_switches
from orchestrator.installation.settings import find_installed
from orchestrator.listing.settings import read_listing_settings
from orchestrator.model.memory import Memory
from orchestrator.model.question_queue import QuestionQueue
from orchestrator.project.settings import read_project_settings
from orchestrator.run.store import StateStore
from orchestrator.run.workspace.journal import Journal
from orchestrator.run.workspace.recovery import read_verified_fixes

READERS = {
    ".maceff/config.json": lambda root: ProjectConfig(root).values == {},
    ".maceff/agent_state.json": lambda root: load_agent_state(root)["current_cycle_number"] == 1,
    ".maceff/sessions/s1/session_state.json": lambda root: SessionState.load("s1", root=root).drive_count == 0,
    ".maceff/sessions/s1/sidecar.json": lambda root: not read_lost_memory(_make_hook_call(root)).todos,
    ".maceff/agent_events_log.jsonl": lambda root: list(read_events()) == [],
    ".maceff/agent_events_log.jsonl.000001": lambda root: list(read_events()) == [],
    ".maceff/policies/manifest.json": lambda root: _raises_error(lambda: load_merged_manifest(root)),
    ".claude/settings.local.json": lambda root: _raises_error(
        lambda: find_installed(root / ".claude/settings.local.json")
    ),
    ".claude/settings.json": lambda root: read_listing_settings(root) == ListingSettings(),
    ".claude/tools/amplihack/.power_steering_config": lambda root: not read_switches(root, root).disabled,
    ".claude/tools/amplihack/considerations.yaml": lambda root: (
        load_considerations(root) == load_shipped_considerations()
    ),
    ".claude/runtime/power-steering/s1/state.json": lambda root: (
        PowerSteeringState("s1", root).load_state() == PowerSteeringState("s1", root).default()
    ),
    ".claude/runtime/power-steering/s1/diagnostic.jsonl": lambda root: (
        not list(DiagnosticLog(root / ".claude/runtime/power-steering/s1/diagnostic.jsonl").entries())
    ),
    ".workflow/skill-tuning/r/state.json": lambda root: (
        _raises_error(lambda: StateStore(_get_run_folder(root)).load(read_only=True))
        and not read_verified_fixes(_get_run_folder(root))
    ),
    ".workflow/skill-tuning/r/journal.jsonl": lambda root: _raises_error(lambda: _open_journal(root).read_entries()),
    ".workflow/skill-tuning/r/judge/paid.json": lambda root: Memory(_get_run_folder(root) / "judge").cost.usd == 0,
    ".workflow/skill-tuning/r/judge/reader.json": lambda root: (
        QuestionQueue(_get_run_folder(root)).reader == "the model of the client"
    ),
    ".git/HEAD": lambda root: read_head_commit(root) is None,
    "baseline.json": lambda root: _raises_error(lambda: read_baseline(root / "baseline.json")),
    "tune-skill.toml": lambda root: (
        _raises_error(lambda: read_project_settings(root)) or read_project_settings(root) is None
    ),
}
"""The files that are read below a project, and the result if a file is not usable."""


def _make_hook_call(root):
    return Call("SessionStart", {"session_id": "s1"}, False, 0.0)


def _get_run_folder(root):
    return root / ".workflow/skill-tuning/r"


def _open_journal(root):
    return Journal(_get_run_folder(root) / "journal.jsonl", root)


def _raises_error(function):
    """Return whether a call raises a TuneSkillError."""
    try:
        function()
    except TuneSkillError:
        return True
    return False


@pytest.fixture(autouse=True)
def limit_memory_and_time():
    """Allow one more gigabyte of memory and twenty seconds, so that an endless read fails."""
    memory_in_use = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (memory_in_use + 1_000_000_000, hard))
    signal.signal(signal.SIGALRM, lambda *_: pytest.fail("the read does not end"))
    signal.alarm(20)
    yield
    signal.alarm(0)
    resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def create_link_to_zeros(path):
    path.symlink_to("/dev/zero")


def create_pipe(path):
    os.mkfifo(path)


def create_file_of_10_gb(path):
    with path.open("wb") as file:
        file.truncate(10_000_000_000)


def create_folder(path):
    path.mkdir()


@pytest.mark.parametrize(
    "create_hostile_file", [create_link_to_zeros, create_pipe, create_file_of_10_gb, create_folder]
)
@pytest.mark.parametrize("file", READERS)
def test_endless_file_is_not_read(project, monkeypatch, file, create_hostile_file):
    monkeypatch.delenv("TUNE_SKILL_STRICT")
    path = project / file
    path.parent.mkdir(parents=True, exist_ok=True)
    create_hostile_file(path)
    assert READERS[file](project)


@pytest.mark.parametrize("create_hostile_file", [create_link_to_zeros, create_pipe, create_file_of_10_gb])
def test_recording_hook_does_not_wait_for_the_state(project, create_hostile_file):
    (project / ".maceff").mkdir()
    create_hostile_file(project / ".maceff" / "agent_state.json")
    entry.record("PreToolUse", b'{"session_id": "s1"}')
    assert [record["event"] for record in read_events()] == ["tool_call_started"]


def test_link_is_not_followed(project, tmp_path):
    (tmp_path / "secret.json").write_text(json.dumps({"hooks": {"judge": "sdk"}}))
    (project / ".maceff").mkdir()
    (project / ".maceff" / "config.json").symlink_to(tmp_path / "secret.json")
    config = ProjectConfig(project)
    assert config.values == {}
    assert "is a link" in config.problem


def test_sidecar_cannot_name_a_file_outside_its_folder(project, tmp_path):
    secret = tmp_path / "secret.json"
    secret.write_text(json.dumps([{"role": "user", "content": "Keep the place of the nests secret."}]))
    for transcript_path in (
        str(secret),
        "../secret.json",
        f".claude/runtime/power-steering/s1/../../../../../{secret.name}",
    ):
        write_sidecar("s1", project, extract=transcript_path)
        assert read_lost_memory(_make_hook_call(project)).objective is None


def test_agent_notes_behind_a_link_are_not_read(project, tmp_path):
    (tmp_path / "disk").mkdir()
    (tmp_path / "disk" / "found.md").write_text("x")
    (project / ".claude").mkdir()
    (project / "agent" / "private").mkdir(parents=True)
    (project / "agent" / "private" / "checkpoints").symlink_to(tmp_path / "disk")
    assert not find_latest_artifacts(ProjectConfig(project))


def test_foreign_log_parts_count_as_skipped(project):
    log = EventLog(project / ".maceff" / "agent_events_log.jsonl")
    log.append("step", {})
    (project / ".maceff" / "agent_events_log.jsonl.000001").symlink_to("/dev/zero")
    assert [record["event"] for record in log.read()] == ["step"]
    assert log.skipped == 1


def test_linked_state_is_refused_in_one_line(project, tmp_path):
    run = _get_run_folder(project)
    run.mkdir(parents=True)
    (run / "state.json").symlink_to(tmp_path / "state.json")
    with pytest.raises((BadInput, StateDamaged), match="is a link"):
        StateStore(run).load(read_only=True)


def test_endless_installed_skill_is_not_read(project):
    from orchestrator.installation.skill import plan_install

    path = project / ".claude" / "skills" / "tune-skill" / "SKILL.md"
    path.parent.mkdir(parents=True)
    create_file_of_10_gb(path)
    with pytest.raises(TuneSkillError, match="larger than"):
        plan_install(path, b"text")
