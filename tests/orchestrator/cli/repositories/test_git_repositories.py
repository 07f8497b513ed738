"""Test `diagnose` on submodules, worktrees, and clones with hostile git settings."""

import pytest

from tests.orchestrator.cli.repositories.samples import AGENT, HOOK, MISSING, PLUGIN, run_git, write_files


def test_submodule_is_a_separate_project(project, tmp_path, diagnose):
    write_files(tmp_path / "inner", {**PLUGIN, "hooks/hooks.json": HOOK % MISSING})
    for folder in (tmp_path / "inner", project):
        folder.mkdir(exist_ok=True)
        run_git(folder, "init")
    run_git(tmp_path / "inner", "add", ".")
    run_git(tmp_path / "inner", "commit", "-m", "x")
    write_files(project, {"CLAUDE.md": "See [it](plugins/inner/README.md) and [us](gone.md).\n"})
    run_git(project, "submodule", "add", str(tmp_path / "inner"), "plugins/inner")
    units, patterns_by_file = diagnose(project)
    assert units == ["CLAUDE.md", "plugins/inner/skills/count"]
    assert patterns_by_file == {"CLAUDE.md": {"PRJ-012"}}
    assert diagnose(project / "plugins/inner")[1] == {"hooks/hooks.json": {"PRJ-003"}}


def test_worktree_is_diagnosed_as_its_repository(project, tmp_path, diagnose):
    write_files(project, {**PLUGIN, "hooks/hooks.json": HOOK % MISSING})
    run_git(project, "init")
    run_git(project, "add", ".")
    run_git(project, "commit", "-m", "x")
    run_git(project, "worktree", "add", str(tmp_path / "tree"))
    assert diagnose(tmp_path / "tree") == diagnose(project)


def test_path_in_another_case_is_missing(project, diagnose):
    """Existence depends on the listing of git: a case-insensitive file system finds the file, but a clone would not."""
    write_files(
        project,
        {**PLUGIN, "scripts/Run.sh": "#!/bin/sh\n", "hooks/hooks.json": HOOK % "${CLAUDE_PLUGIN_ROOT}/scripts/run.sh"},
    )
    run_git(project, "init")
    (project / "scripts/run.sh").symlink_to("Run.sh")
    (project / ".gitignore").write_text("")
    run_git(project, "add", "scripts/Run.sh")
    (project / "scripts/run.sh").unlink()
    assert diagnose(project)[1] == {"hooks/hooks.json": {"PRJ-003"}}


@pytest.mark.parametrize(
    "setting", ["core.fsmonitor", "core.hooksPath", "filter.x.clean", "core.pager", "core.sshCommand", "diff.external"]
)
def test_git_settings_of_a_clone_start_no_program(project, tmp_path, diagnose, tune, setting):
    write_files(project, {**PLUGIN, ".gitattributes": "* filter=x\n", "agents/a.md": AGENT.format("a")})
    run_git(project, "init")
    run_git(project, "add", "-N", ".")
    logging_program = tmp_path / "program"
    logging_program.write_text(f"#!/bin/sh\ntouch {tmp_path}/started\n")
    logging_program.chmod(0o755)
    hooks = project / ".git/hooks"
    for name in ("post-index-change", "fsmonitor-watchman", "pre-commit"):
        (hooks / name).write_text(logging_program.read_text())
        (hooks / name).chmod(0o755)
    with (project / ".git/config").open("a") as config:
        section, _, key = setting.rpartition(".")
        header = section.replace("filter.x", 'filter "x"')
        config.write(f"[{header}]\n\t{key} = {hooks if key == 'hooksPath' else logging_program}\n")
    assert diagnose(project)[0] == [".claude-plugin/plugin.json", "agents/a.md", "skills/count"]
    assert "no skill or other unit affected" in tune("diagnose", "--staged").err
    assert not (tmp_path / "started").exists()


@pytest.mark.parametrize("is_corrupt", [False, True])
def test_diagnose_staged_needs_an_index_but_no_commit(project, tune, monkeypatch, is_corrupt):
    write_files(project, {**PLUGIN, "CLAUDE.md": "See [it](gone.md).\n"})
    run_git(project, "init")
    run_git(project, "add", ".")
    monkeypatch.chdir(project)
    if is_corrupt:
        (project / ".git/index").write_bytes(b"no index")
    result = tune("diagnose", "--staged", "--no-cache")
    assert result.code == (2 if is_corrupt else 1)
    assert ("git failed: fatal: " if is_corrupt else "gone.md") in result.out + result.err
