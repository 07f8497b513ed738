"""Test `trust`: a run from elsewhere is read-only until the user trusts it."""

import json

import pytest

from orchestrator.fs.notes import WORK_DIRS, get_note_file
from orchestrator.installation.skill import SUBCOMMANDS


@pytest.fixture
def untrusted_run(tune, work_dirs, tmp_path, monkeypatch):
    """Return the id of a paused run that is part of a cloned project."""
    assert tune("run", "plover", "--pause", "--no-sessions").code == 3
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "another" / "state"))
    return work_dirs()[-1].name


@pytest.mark.parametrize(
    "command", [["resume"], ["apply", "--all"], ["rollback", "--all"], ["answer", "DIM-001=memory_loss"]]
)
def test_untrusted_run_changes_nothing(tune, project, untrusted_run, command):
    before = (project / "plover" / "SKILL.md").read_bytes()
    result = tune(command[0], untrusted_run, *command[1:])
    assert (result.code, result.out) == (2, "")
    assert "tune-skill trust" in result.err
    assert (project / "plover" / "SKILL.md").read_bytes() == before


@pytest.mark.parametrize("command", [["resume"], ["rollback", "--all"], ["status"], ["report"]])
def test_untrusted_run_is_never_the_newest(tune, untrusted_run, command):
    result = tune(*command)
    assert result.code == 2
    assert f"no run of yours in this project; {untrusted_run}: none of your runs created this work dir" in result.err


@pytest.mark.parametrize("text", ["", "{}", "[]", "null", "\xff"])
def test_damaged_note_of_a_run_is_named_and_trust_repairs_it(tune, work_dirs, text):
    assert tune("run", "plover", "--pause", "--no-sessions").code == 3
    (run,) = work_dirs()
    note = get_note_file(WORK_DIRS, run.resolve())
    note.write_bytes(text.encode("latin-1"))
    for command in (["resume"], ["resume", run.name], ["rollback", run.name, "--all"]):
        result = tune(*command)
        assert (result.code, f"is damaged ({note})" in result.err) == (2, True)
    assert f"run `tune-skill trust {run}`" in result.err
    assert tune("trust", str(run)).code == 0
    assert tune("resume").code == 3


def test_own_run_is_the_newest_beside_untrusted(tune, untrusted_run, work_dirs):
    assert tune("run", "plover", "--pause", "--no-sessions").code == 3
    own_run = next(run.name for run in work_dirs() if run.name != untrusted_run)
    (next(run for run in work_dirs() if run.name == untrusted_run) / "state.json").touch()
    assert own_run in tune("status").out


def test_untrusted_run_can_be_read(tune, untrusted_run):
    assert tune("status", untrusted_run).code == 0


def test_trusted_run_continues(tune, project, untrusted_run):
    result = tune("trust", untrusted_run)
    assert result.code == 0
    assert f"it may change {project / 'plover'}" in result.out
    assert tune("apply", untrusted_run, "--all").code in (0, 1)


@pytest.mark.parametrize("path", ["/x\0y", "/x\ud800y"])
@pytest.mark.parametrize("command", ["trust", "status", "report"])
def test_state_with_an_impossible_path_is_damaged(tune, untrusted_run, work_dirs, command, path):
    for file in work_dirs()[-1].glob("state*"):
        state = json.loads(file.read_bytes())
        state["target_skill"]["path"] = path
        file.write_text(json.dumps(state))
    result = tune(command, untrusted_run)
    assert (result.code, result.out) == (2, "")
    assert "state.json is damaged" in result.err


def test_run_without_its_skill_cannot_be_trusted(tune, project, untrusted_run):
    (project / "plover").rename(project / "moved")
    result = tune("trust", untrusted_run)
    assert result.code == 2
    assert "has no SKILL.md" in result.err
    assert "put the skill back" in result.err
    assert "trust" in tune("resume", untrusted_run).err


def test_state_of_another_kind_of_unit_is_refused(tune, work_dirs):
    assert tune("run", "plover", "--pause", "--no-sessions").code == 3
    for file in work_dirs()[-1].glob("state*"):
        state = json.loads(file.read_bytes())
        state["target_skill"]["project"] = "/elsewhere"
        file.write_text(json.dumps(state))
    err = tune("resume").err
    assert "is for a unit of the project /elsewhere, but the run was created for a skill; start a new run" in err


def test_slash_command_may_not_run_trust():
    assert "resume" in SUBCOMMANDS
    assert "trust" not in SUBCOMMANDS


def test_run_in_a_worktree_continues_there(tune, project, tmp_path, work_dirs):
    (project / ".git").write_text(f"gitdir: {tmp_path}/main/.git/worktrees/project\n")
    assert tune("run", "plover", "--pause", "--no-sessions").code == 3
    assert tune("apply", work_dirs()[-1].name, "--all").code in (0, 1)
    assert tune("rollback", "--all").code == 0
