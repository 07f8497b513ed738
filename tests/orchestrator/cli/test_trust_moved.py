"""Test `trust` in a copied or moved project: a run changes only the project that holds its work dir."""

import json
import shutil

import pytest

from orchestrator.cli import trust as trust_command
from orchestrator.fs.own_folders import trust_work_dir
from orchestrator.run import relocation
from tests.fakes import write_skill


@pytest.fixture
def original_text(project):
    return (project / "plover/SKILL.md").read_bytes()


@pytest.fixture
def run(tune, original_text, work_dirs):
    """Return the work dir of a run that has applied its fixes, in relation to its project."""
    assert tune("run", "plover", "--apply", "all", "--no-sessions").code in (0, 1)
    return work_dirs()[-1].relative_to(work_dirs()[-1].parents[2])


@pytest.fixture
def fixed_text(project, run):
    return (project / "plover/SKILL.md").read_bytes()


@pytest.fixture
def copy(project, run, tmp_path, monkeypatch):
    """Return a copy of the project, as the working directory."""
    folder = shutil.copytree(project, tmp_path / "copy")
    monkeypatch.chdir(folder)
    return folder


def test_rollback_in_a_copy_changes_only_the_copy(tune, project, copy, run, original_text, fixed_text):
    assert fixed_text != original_text
    result = tune("trust", run.name)
    assert (result.code, f"it may change {copy / 'plover'}\n" in result.out) == (0, True)
    result = tune("rollback", "--all")
    assert (result.code, "rolled back: FIX-" in result.out) == (0, True)
    assert (copy / "plover/SKILL.md").read_bytes() == original_text
    assert (project / "plover/SKILL.md").read_bytes() == fixed_text
    for file in copy.glob(f"{run}/state.json*"):
        assert str(project) not in json.dumps(json.loads(file.read_text()) | {"final_report": ""})


def test_trust_writes_the_report_for_the_copy(tune, project, copy, run):
    assert str(project / run) in (copy / run / "report.md").read_text()
    assert tune("trust", run.name).code == 0
    text = (copy / run / "report.md").read_text()
    assert (str(project) in text, str(copy / run) in text) == (False, True)


def test_trust_advice_is_quoted_for_a_shell(tune, project, run, tmp_path, monkeypatch):
    folder = project.rename(tmp_path / "two words")
    monkeypatch.chdir(folder)
    expected = f"`tune-skill trust '{folder / run}'`"
    assert expected in tune("rollback", run.name, "--all").err
    trust_work_dir(folder / run, folder / "plover")
    assert expected in tune("rollback", run.name, "--all").err
    trust_work_dir(folder / run, project / "plover")
    write_skill(project / "plover")
    assert expected in tune("rollback", run.name, "--all").err


def test_run_of_a_moved_project_continues(tune, project, run, original_text, tmp_path, monkeypatch):
    folder = project.rename(tmp_path / "moved")
    monkeypatch.chdir(folder)
    assert "tune-skill trust" in tune("rollback", run.name, "--all").err
    assert tune("trust", run.name).code == 0
    assert tune("rollback", "--all").code == 0
    assert (folder / "plover/SKILL.md").read_bytes() == original_text


def test_run_of_a_project_that_was_moved_back_names_the_way(tune, project, run, original_text, tmp_path, monkeypatch):
    moved = project.rename(tmp_path / "moved")
    monkeypatch.chdir(moved)
    assert tune("trust", run.name).code == 0
    monkeypatch.chdir(moved.rename(project))
    assert "if you moved or copied the project: `tune-skill trust" in tune("rollback", run.name, "--all").err
    assert tune("trust", run.name).code == 0
    assert tune("rollback", "--all").code == 0
    assert (project / "plover/SKILL.md").read_bytes() == original_text


def test_run_on_an_agent_of_a_copy_changes_only_the_copy(tune, project, tmp_path, monkeypatch):
    agent = ".claude/agents/counter.md"
    (project / agent).parent.mkdir(parents=True)
    (project / agent).write_text("---\nname: counter\ndescription: Counts.\n---\n\nCount.\n")
    assert tune("run", agent, "--pause").code in (0, 3)
    (run,) = (project / ".workflow/skill-tuning").iterdir()
    copy = shutil.copytree(project, tmp_path / "copy")
    monkeypatch.chdir(copy)
    assert f"it may change {copy / agent}\n" in tune("trust", run.name).out
    target = json.loads((copy / run.relative_to(project) / "state.json").read_text())["target_skill"]
    assert (target["path"], target["project"]) == (str(copy / agent), str(copy))


def test_trust_that_was_killed_is_repeated(tune, copy, run, original_text, monkeypatch):
    with monkeypatch.context() as context:
        context.setattr(relocation.StateStore, "save", kill)
        with pytest.raises(KilledError):
            trust_command.trust.callback(str(run), trial=False, yes=False)
    assert tune("trust", run.name).code == 0
    assert tune("rollback", "--all").code == 0
    assert (copy / "plover/SKILL.md").read_bytes() == original_text


class KilledError(Exception):
    """Stands for the end of a process."""


def kill(*_):
    raise KilledError


def test_copy_without_the_skill_is_not_trusted(tune, project, copy, run, fixed_text):
    shutil.rmtree(copy / "plover")
    result = tune("trust", run.name)
    assert (result.code, f"{copy / 'plover'} has no SKILL.md" in result.err) == (2, True)
    assert (project / "plover/SKILL.md").read_bytes() == fixed_text


def test_run_on_a_skill_of_another_project_is_not_trusted(tune, project, tmp_path, work_dirs, monkeypatch):
    other = write_skill(tmp_path / "other/tern")
    assert tune("run", str(other), "--pause", "--no-sessions").code == 3
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "another/state"))
    result = tune("trust", work_dirs()[-1].name)
    assert (result.code, f"is for {other}, outside of {project}" in result.err) == (2, True)
    assert tune("resume", work_dirs()[-1].name).err == result.err


def test_state_cannot_name_a_place_outside_of_the_copy(tune, copy, run, tmp_path):
    write_skill(tmp_path / "tern")
    for file in copy.glob(f"{run}/state.json*"):
        state = json.loads(file.read_text())
        state["work_dir"] = "/elsewhere/.workflow/skill-tuning/run"
        state["target_skill"]["path"] = "/tern"
        file.write_text(json.dumps(state))
    (copy / run / "journal.jsonl").unlink()
    result = tune("trust", run.name)
    assert (result.code, f"is for /tern, outside of {copy}" in result.err) == (2, True)
    assert tune("resume", run.name).err == result.err


@pytest.mark.parametrize("command", ["rollback", "apply", "resume"])
def test_run_that_was_trusted_for_another_project_is_refused(tune, project, copy, run, fixed_text, command):
    trust_work_dir(copy / run, project / "plover")
    result = tune(command, run.name, *(() if command == "resume" else ("--all",)))
    assert (result.code, f"is for {project / 'plover'}, outside of {copy}" in result.err) == (2, True)
    assert f"tune-skill trust {copy / run}" in result.err
    assert (project / "plover/SKILL.md").read_bytes() == fixed_text
    assert tune("trust", run.name).code == 0
    assert tune("rollback", "--all").code == 0


def test_own_run_on_a_skill_of_another_project_continues(tune, tmp_path, project):
    other = write_skill(tmp_path / "other/tern")
    before = (other / "SKILL.md").read_bytes()
    assert tune("run", str(other), "--apply", "all", "--no-sessions").code in (0, 1)
    assert tune("rollback", "--all").code == 0
    assert (other / "SKILL.md").read_bytes() == before


@pytest.mark.parametrize("format", ["text", "json"])
def test_status_of_a_copy_names_and_reads_nothing_of_the_original(tune, project, copy, run, monkeypatch, format):
    monkeypatch.setattr("orchestrator.run.workspace.pending.find_pending", kill)
    result = tune("status", run.name, "--format", format)
    text = json.dumps(result.as_run | {"final_report": ""}) if format == "json" else result.out
    assert (result.code, str(project) in text, "tune-skill rollback" in text) == (0, False, False)
    assert format == "json" or f"tune-skill trust {run.name}" in " ".join(text.split())


class PersonalRun:
    """A run in a project on a skill outside of it, such as one in `~/.claude/skills`, and copies of the project."""

    def __init__(self, tune, project, tmp_path, work_dirs):
        self.skill = write_skill(tmp_path / "home/skills/tern")
        self.before = (self.skill / "SKILL.md").read_bytes()
        assert tune("run", str(self.skill), "--apply", "all", "--no-sessions").code in (0, 1)
        self.fixed = (self.skill / "SKILL.md").read_bytes()
        self.folder, self.project = work_dirs()[-1].absolute(), project
        assert self.fixed != self.before


@pytest.fixture
def personal_run(tune, project, tmp_path, work_dirs):
    return PersonalRun(tune, project, tmp_path, work_dirs)


COMMANDS = [("trust",), ("resume",), ("rollback", "--all"), ("apply", "--all"), ("trust", "--trial")]


@pytest.mark.parametrize("place", ["copy", "deeper/copy"])
def test_copied_run_on_a_personal_skill_is_read_only(tune, personal_run, tmp_path, monkeypatch, place):
    copy, id = shutil.copytree(personal_run.project, tmp_path / place), personal_run.folder.name
    monkeypatch.chdir(copy)
    for command, *options in COMMANDS:
        result = tune(command, id, *options)
        assert f"is for {personal_run.skill}, outside of {copy}" in result.err
        assert f"cannot be trusted; use {personal_run.folder}, or start a new run" in result.err
    assert str(tmp_path / "home") not in tune("status", id).out
    monkeypatch.chdir(personal_run.project)
    assert tune("rollback", str(personal_run.folder), "--all").code == 0
    assert (personal_run.skill / "SKILL.md").read_bytes() == personal_run.before


def test_moved_run_on_a_personal_skill_goes_on_where_it_was(tune, personal_run, tmp_path, monkeypatch):
    moved, id = personal_run.project.rename(tmp_path / "moved"), personal_run.folder.name
    monkeypatch.chdir(moved)
    for command, *options in COMMANDS:
        assert f"cannot be trusted; move it back to {personal_run.folder}, or start" in tune(command, id, *options).err
    monkeypatch.chdir(moved.rename(personal_run.project))
    assert tune("rollback", "--all").code == 0
    assert (personal_run.skill / "SKILL.md").read_bytes() == personal_run.before


def test_moved_work_dir_outside_of_the_project_names_itself(tune, project, tmp_path):
    assert tune("run", "plover", "--work-dir", str(tmp_path / "work"), "--no-sessions", "--apply", "all").code in (0, 1)
    (tmp_path / "work").rename(tmp_path / "moved")
    assert str(tmp_path / "work") not in tune("status", str(tmp_path / "moved")).out


def test_advice_on_a_work_dir_of_another_home_goes_in_no_circle(tune, project, tmp_path, monkeypatch):
    """`run` said resume, `resume` said trust, and `trust` said start a new run."""
    work_dir = str(tmp_path / "work")
    assert tune("run", "plover", "--work-dir", work_dir, "--pause", "--no-sessions").code == 3
    assert "resume it, or choose another" in tune("run", "plover", "--work-dir", work_dir, "--pause").err
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "another/state"))
    for command, *options in COMMANDS:
        err = tune(command, work_dir, *options).err
        assert ("cannot be trusted; start a new run" in err, "`tune-skill trust" in err) == (True, False)
    err = tune("run", "plover", "--work-dir", work_dir, "--pause").err
    assert ("already has a run; choose another --work-dir" in err, "resume" in err) == (True, False)
    assert "start a new run" in " ".join(tune("status", work_dir).out.split())
