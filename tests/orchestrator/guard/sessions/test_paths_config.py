"""Test finding the folders of a project and its sessions, and reading its configuration."""

import json
import os
import shutil

import pytest

from orchestrator.errors import BadInput
from orchestrator.guard.sessions import config as config_module
from orchestrator.guard.sessions.config import DEFAULTS, ProjectConfig
from orchestrator.guard.sessions.paths import (
    find_project_root,
    get_dev_scripts_dir,
    get_hooks_dir,
    get_session_dir,
)
from tests.fakes import write_config


@pytest.fixture
def outside_of_container(monkeypatch, tmp_path):
    monkeypatch.setattr(config_module, "CONTAINER_MARK", tmp_path / "no-such-mark")


def test_find_project_root_uses_the_variable_or_a_marked_folder(project, tmp_path, monkeypatch):
    deep_folder = project / "a" / "b"
    deep_folder.mkdir(parents=True)
    assert find_project_root() == find_project_root(deep_folder) == project
    (project / "a" / ".maceff").mkdir()
    assert find_project_root(deep_folder) == project / "a"
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(tmp_path / "given"))
    assert find_project_root() == tmp_path / "given"
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", "relative")
    assert find_project_root() == project


def test_find_project_root_ignores_the_home_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".claude").mkdir()
    (tmp_path / "work").mkdir()
    assert find_project_root(tmp_path / "work") == tmp_path / "work"


def test_get_session_dir_creates_private_folders(project, tmp_path):
    assert get_session_dir("abc", "me", "sub") == tmp_path / "macf" / "me" / "abc" / "sub"
    assert get_hooks_dir("abc", "me") == tmp_path / "macf" / "me" / "abc" / "hooks"
    assert get_dev_scripts_dir("abc", "me") == tmp_path / "macf" / "me" / "abc" / "dev_scripts"
    assert (tmp_path / "macf" / "me").stat().st_mode & 0o777 == 0o700


def test_get_session_dir_creates_nothing_if_not_asked(project, tmp_path):
    assert get_session_dir("abc", "me", create=False) is None
    assert not (tmp_path / "macf").exists()


def test_get_session_dir_avoids_a_folder_of_another_user(project, tmp_path):
    folder_of_other_user, own_folder = tmp_path / "elsewhere", tmp_path / f"macf-{os.geteuid()}"
    folder_of_other_user.mkdir()
    (tmp_path / "macf").symlink_to(folder_of_other_user)
    assert get_session_dir("abc", "me") == own_folder / "me" / "abc"
    assert get_session_dir("abc", "me", create=False) == own_folder / "me" / "abc"
    shutil.rmtree(own_folder)
    own_folder.symlink_to(folder_of_other_user)
    assert get_session_dir("abc", "me") is None
    assert list(folder_of_other_user.iterdir()) == []


def test_get_session_dir_keeps_hostile_names_inside(project, tmp_path):
    assert get_session_dir("../../x", "a/b") == tmp_path / "macf" / "unknown" / "unknown"


def test_agent_root_is_found_in_four_steps(project, tmp_path, monkeypatch, outside_of_container):
    home = tmp_path / "home"
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USER", "ann")

    def read_environment_and_root():
        return ProjectConfig().environment, ProjectConfig().agent_root

    assert read_environment_and_root() == ("fallback", home / ".macf" / "ann" / "agent")
    (project / ".claude").mkdir()
    assert read_environment_and_root() == ("host", project / "agent")
    (tmp_path / "mark").touch()
    monkeypatch.setattr(config_module, "CONTAINER_MARK", tmp_path / "mark")
    assert read_environment_and_root() == ("container", home / "agent")
    monkeypatch.setenv("MACF_AGENT_ROOT", str(tmp_path / "given"))
    assert read_environment_and_root() == ("env", tmp_path / "given")


def test_agent_id_is_variable_configuration_or_user(project, monkeypatch):
    monkeypatch.setenv("USER", "ann")
    assert ProjectConfig().agent_id == "ann"
    (project / ".maceff").mkdir()
    (project / ".maceff" / "config.json").write_text(json.dumps({"schema_version": 1, "agent": {"id": "ben"}}))
    assert ProjectConfig().agent_id == "ben"
    monkeypatch.setenv("MACF_AGENT_ID", "../cee")
    assert ProjectConfig().agent_id == "unknown"
    monkeypatch.setenv("MACF_AGENT_ID", "cee")
    assert ProjectConfig().agent_id == "cee"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{", "not JSON at line 1, column 2"),
        ("[]", "[] is not an object"),
        ("{}", "schema_version"),
        ('{"schema_version": 1, "hooks": {"x": 1}}', "/hooks"),
    ],
)
def test_invalid_configuration_is_ignored_with_its_reason(project, text, problem):
    (project / ".maceff").mkdir()
    (project / ".maceff" / "config.json").write_text(text)
    config = ProjectConfig()
    assert problem in config.problem
    assert config.get("context_window") == 200_000


def test_missing_settings_have_their_defaults(project):
    write_config(project, hooks={"power_steering": True})
    config = ProjectConfig()
    assert (config.problem, config.settings_without_consent) == (None, ())
    assert config.get("hooks", "power_steering") is True
    assert config.get("hooks", "speak_at_tools") is False


def test_find_project_root_reports_a_deleted_working_directory(tmp_path, monkeypatch):
    monkeypatch.delenv("CLAUDE_PROJECT_DIR", raising=False)
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    with pytest.raises(BadInput, match="the current folder no longer exists"):
        find_project_root()


@pytest.mark.parametrize(
    ("key", "value"),
    [("power_steering", True), ("speak_at_tools", True), ("judge", "sdk"), ("judge", "auto"), ("max_cost_usd", 100)],
)
def test_settings_of_a_clone_need_consent(project, key, value):
    (project / ".maceff").mkdir()
    (project / ".maceff" / "config.json").write_text(json.dumps({"schema_version": 1, "hooks": {key: value}}))
    assert ProjectConfig().get("hooks", key) == DEFAULTS["hooks"][key]
    assert ProjectConfig().settings_without_consent == (f"hooks.{key}",)
    write_config(project, hooks={key: value})
    assert ProjectConfig().get("hooks", key) == value
    assert ProjectConfig().settings_without_consent == ()


def test_consent_holds_for_one_value(project):
    write_config(project, hooks={"max_cost_usd": 0.1})
    (project / ".maceff" / "config.json").write_text('{"schema_version": 1, "hooks": {"max_cost_usd": 100}}')
    assert ProjectConfig().get("hooks", "max_cost_usd") == 0.5
    (project / ".maceff" / "config.json").write_text('{"schema_version": 1, "hooks": {"power_steering": false}}')
    assert ProjectConfig().settings_without_consent == ()


def test_consent_holds_for_one_project(project, tmp_path):
    write_config(project, hooks={"power_steering": True})
    (tmp_path / "clone").mkdir()
    (project / ".maceff").rename(tmp_path / "clone" / ".maceff")
    assert not ProjectConfig(tmp_path / "clone").get("hooks", "power_steering")
