"""Test where `run` puts its work dir, and which folders it refuses."""

import pytest

from orchestrator.run.run import Run
from orchestrator.run.workspace.registry import read_last_claim
from orchestrator.run.workspace.workspace import Workspace
from tests.fakes import SKILL_HEADER, write_skill

FIXED_TEXT = SKILL_HEADER + "Count each fixable on the shore.\n"
LINES_WITHOUT_FIX = "".join(f"\nThe {n} NOFIX goes by.\n" for n in ("first", "second", "third"))


def test_given_work_dir_is_used_in_all_hints(tune, project, tmp_path):
    work = tmp_path / "other place"
    result = tune("run", "plover", "--apply", "all", "--work-dir", str(work))
    assert result.code == 0
    assert f"rollback: tune-skill rollback '{work}' --all" in result.out
    assert f"tune-skill rollback '{work}' --all" in (work / "report.md").read_text()
    assert tune("rollback", str(work), "--all").code == 0
    assert "FIXABLE" in (project / "plover" / "SKILL.md").read_text()


@pytest.mark.parametrize("place", ["plover", "plover/work", "plover/references/../work", "link/work"])
def test_work_dir_inside_the_skill_is_refused(tune, project, place):
    (project / "link").symlink_to("plover")
    result = tune("run", "plover", "--work-dir", place)
    assert result.code == 2
    assert "inside the skill" in result.err
    assert sorted(p.name for p in (project / "plover").iterdir()) == ["SKILL.md"]


def test_work_dir_with_a_run_or_file_is_refused(tune, project):
    tune("run", "plover", "--apply", "none", "--work-dir", "w")
    second_run = tune("run", "plover", "--apply", "none", "--work-dir", "w")
    assert (second_run.code, "already has a run" in second_run.err) == (2, True)
    (project / "file").write_text("x")
    run_in_file = tune("run", "plover", "--apply", "none", "--work-dir", "file")
    assert run_in_file.code == 2
    assert len(run_in_file.err.strip().splitlines()) == 1


@pytest.mark.parametrize("name", ["report.md", "backup.json", "questions/mine", ".hidden"])
def test_work_dir_with_files_of_the_user_is_refused(tune, project, name):
    user_file = project / "w" / name
    user_file.parent.mkdir(parents=True)
    user_file.write_text("mine")
    result = tune("run", "plover", "--apply", "none", "--work-dir", "w")
    assert (result.code, len(result.err.strip().splitlines())) == (2, 1)
    assert "--work-dir must be a new or empty folder" in result.err
    assert [path for path in (project / "w").rglob("*") if path.is_file()] == [user_file]
    assert user_file.read_text() == "mine"


def test_empty_work_dir_is_used(tune, project):
    (project / "w").mkdir()
    assert tune("run", "plover", "--apply", "none", "--work-dir", "w").code in (0, 1)
    assert (project / "w" / "report.md").is_file()


@pytest.mark.parametrize("place", [".claude/commands", "commands/x", ".hidden/w"])
def test_work_dir_of_a_model_is_no_folder_of_agents(tune, project, monkeypatch, place):
    monkeypatch.setenv("CLAUDECODE", "1")
    result = tune("run", "plover", "--apply", "none", "--work-dir", place)
    assert (result.code, "Claude Code must use another folder" in result.err) == (2, True)
    assert not (project / place).exists()


def test_run_from_a_subfolder_uses_the_project_work_dir(tune, project, monkeypatch):
    docs = project / "docs"
    docs.mkdir()
    monkeypatch.chdir(docs)
    first_run_id = tune("run", "../plover", "--apply", "all", "--format", "json").as_run["run_id"]
    assert (docs / ".workflow" / "skill-tuning" / first_run_id).is_dir(), (
        "without a marker, the folder above is not a project"
    )
    (project / ".git").mkdir()
    second_run = tune("run", "../plover", "--apply", "all", "--format", "json").as_run
    assert second_run["work_dir"] == str(project / ".workflow" / "skill-tuning" / second_run["run_id"])
    assert tune("status", "--format", "json").as_run["run_id"] == second_run["run_id"]
    assert tune("rollback", first_run_id, "--all").code == 0
    assert "FIXABLE" in (project / "plover" / "SKILL.md").read_text()
    monkeypatch.chdir(project)
    assert tune("status", "--format", "json").as_run["run_id"] == second_run["run_id"]


@pytest.mark.parametrize("place", ["home", "shared"])
def test_home_folder_is_no_project_of_subfolders(tune, project, monkeypatch, place):
    (project / ".git").mkdir()
    monkeypatch.setenv("HOME", str(project if place == "home" else project.parent))
    project.chmod(0o1777 if place == "shared" else 0o755)
    (project / "docs").mkdir()
    monkeypatch.chdir(project / "docs")
    assert tune("run", "../plover", "--apply", "none").code in (0, 1)
    assert not (project / ".workflow").exists()


def test_run_inside_the_skill_puts_work_dir_beside_it(tune, project, monkeypatch):
    monkeypatch.chdir(project / "plover")
    assert tune("run", ".", "--apply", "all").code == 0
    assert sorted(p.name for p in (project / "plover").iterdir()) == ["SKILL.md"]
    assert (project / ".workflow").is_dir()
    assert tune("rollback", "--all").code == 0
    assert "FIXABLE" in (project / "plover" / "SKILL.md").read_text()


def test_work_dir_of_another_killed_run_is_refused(tune, project, monkeypatch):
    write_skill(project / "dunlin")
    save = Run._save

    def interrupt_at_apply(self, state, row):
        if row.action and row.action.name == "action-apply-fix":
            raise KeyboardInterrupt
        return save(self, state, row)

    with monkeypatch.context() as patch:
        patch.setattr(Workspace, "_recover", lambda self, verified: [])
        patch.setattr(Run, "_save", interrupt_at_apply)
        assert tune("run", "plover", "--apply", "all", "--work-dir", "w").code == 130
    before = (project / "w" / "journal.jsonl").read_bytes()
    result = tune("run", "dunlin", "--apply", "none", "--work-dir", "w")
    assert (result.code, "already has a run" in result.err) == (2, True)
    assert (project / "w" / "journal.jsonl").read_bytes() == before
    assert read_last_claim(project / "dunlin") is None, "the refused run locked the skill"
