"""Test `diagnose` on submodules, worktrees, and clones with hostile git settings."""

import pytest

from tests.orchestrator.cli.repositories.samples import AGENT, HOOK, MISSING, PLUGIN, git, put


def test_submodule_is_a_project_of_its_own(project, tmp_path, diagnose):
    put(tmp_path / "inner", {**PLUGIN, "hooks/hooks.json": HOOK % MISSING})
    for folder in (tmp_path / "inner", project):
        folder.mkdir(exist_ok=True)
        git(folder, "init")
    git(tmp_path / "inner", "add", ".")
    git(tmp_path / "inner", "commit", "-m", "x")
    put(project, {"CLAUDE.md": "See [it](plugins/inner/README.md) and [us](gone.md).\n"})
    git(project, "submodule", "add", str(tmp_path / "inner"), "plugins/inner")
    units, found = diagnose(project)
    assert units == ["CLAUDE.md", "plugins/inner/skills/count"]
    assert found == {"CLAUDE.md": {"PRJ-012"}}
    assert diagnose(project / "plugins/inner")[1] == {"hooks/hooks.json": {"PRJ-003"}}


def test_worktree_is_diagnosed_as_its_repository(project, tmp_path, diagnose):
    put(project, {**PLUGIN, "hooks/hooks.json": HOOK % MISSING})
    git(project, "init")
    git(project, "add", ".")
    git(project, "commit", "-m", "x")
    git(project, "worktree", "add", str(tmp_path / "tree"))
    assert diagnose(tmp_path / "tree") == diagnose(project)


def test_path_in_another_case_is_missing(project, diagnose):
    """Existence depends on the listing of git: a case-insensitive file system finds the file, but a clone would not."""
    put(
        project,
        {**PLUGIN, "scripts/Run.sh": "#!/bin/sh\n", "hooks/hooks.json": HOOK % "${CLAUDE_PLUGIN_ROOT}/scripts/run.sh"},
    )
    git(project, "init")
    (project / "scripts/run.sh").symlink_to("Run.sh")
    (project / ".gitignore").write_text("")
    git(project, "add", "scripts/Run.sh")
    (project / "scripts/run.sh").unlink()
    assert diagnose(project)[1] == {"hooks/hooks.json": {"PRJ-003"}}


@pytest.mark.parametrize(
    "setting", ["core.fsmonitor", "core.hooksPath", "filter.x.clean", "core.pager", "core.sshCommand"]
)
def test_git_settings_of_a_clone_start_nothing(project, tmp_path, diagnose, setting):
    put(project, {**PLUGIN, ".gitattributes": "* filter=x\n", "agents/a.md": AGENT.format("a")})
    git(project, "init")
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/started\n")
    program.chmod(0o755)
    hooks = project / ".git/hooks"
    for name in ("post-index-change", "fsmonitor-watchman", "pre-commit"):
        (hooks / name).write_text(program.read_text())
        (hooks / name).chmod(0o755)
    with (project / ".git/config").open("a") as config:
        section, _, key = setting.rpartition(".")
        head = section.replace("filter.x", 'filter "x"')
        config.write(f"[{head}]\n\t{key} = {hooks if key == 'hooksPath' else program}\n")
    assert diagnose(project)[0] == [".claude-plugin/plugin.json", "agents/a.md", "skills/count"]
    assert not (tmp_path / "started").exists()


@pytest.mark.parametrize("is_corrupt", [False, True])
def test_staged_needs_an_index_and_no_commit(project, tune, monkeypatch, is_corrupt):
    put(project, {**PLUGIN, "CLAUDE.md": "See [it](gone.md).\n"})
    git(project, "init")
    git(project, "add", ".")
    monkeypatch.chdir(project)
    if is_corrupt:
        (project / ".git/index").write_bytes(b"no index")
    done = tune("diagnose", "--staged", "--no-cache")
    assert done.code == (2 if is_corrupt else 1)
    assert ("git failed: fatal: " if is_corrupt else "gone.md") in done.out + done.err
